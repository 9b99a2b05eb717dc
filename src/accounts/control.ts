/**
 * How a command tells the running server that accounts have changed, and waits until it knows; and how a server that
 * starts finds out whether another one runs.
 *
 * The server listens on a Unix socket in STORE_DIR/servers, whose name is in its note in the store; a connection means
 * "write down what you have counted, and look again", and the server answers `ok` once the store has all of it and its
 * threads no longer use what they knew; `unwritten` if its counts can't be written. Only that is an answer: a server
 * that is out of descriptors takes a connection and closes it. Where STORE_DIR makes the path too long for a
 * socket, the folder is in the system's temporary one, under a name that is made from STORE_DIR.
 */
import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { confirmMsMax, socketMissingMsMax } from '../limits.ts'
import { AccountsError } from '../store/accounts-error.ts'
import { isSameServer, type ServerNote } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { lifeOf, noteOfThisProcess } from './server-life.ts'

/** The shortest bound on a socket's path among the systems served (macOS: 104 bytes with its end). */
const pathBytesMax = 103
const retryMs = 50
const socketEnding = '.sock'

/** The threads look again. */
export interface Confirmation {
  /** The store has all that was counted. */
  readonly isWritten: boolean
}

type OnChange = () => Confirmation | undefined

const written = 'ok\n'
const unwritten = 'unwritten\n'

export class ControlSocket {
  readonly #path: string
  readonly #onChange: OnChange
  readonly note: ServerNote
  #server: Server | undefined
  /** Of the file that this process made. */
  #file = ''

  private constructor(path: string, name: string, onChange: OnChange) {
    this.#path = path
    this.#onChange = onChange
    this.note = noteOfThisProcess(name)
  }

  /** Listens; `onChange` runs for each command before it is answered, which it is unless that returned undefined. */
  static async open(storeDir: string, onChange: OnChange): Promise<ControlSocket> {
    const name = `${process.pid}-${randomBytes(3).toString('hex')}${socketEnding}`
    const socket = new ControlSocket(join(folderFor(storeDir), name), name, onChange)
    await socket.#listen()
    return socket
  }

  /** Listens anew if the socket's file is gone or is another's. Rejects if that can't be done now. */
  async keep(): Promise<void> {
    if (fileAt(this.#path) === this.#file) return
    // With the server goes the file at its path, whoever's it is.
    this.#server?.close()
    mkdirSync(join(this.#path, '..'), { recursive: true, mode: 0o700 })
    await this.#listen()
  }

  /** This is the store's only server: what else lies there was left by killed ones. */
  removeOthers(): void {
    const folder = join(this.#path, '..')
    for (const name of readdirSync(folder)) {
      if (name.endsWith(socketEnding) && name !== this.note.socket) rmSync(join(folder, name), { force: true })
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => (this.#server?.listening ? this.#server.close(() => resolve()) : resolve()))
    rmSync(this.#path, { force: true })
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      // A command that hangs must not keep the server from stopping.
      const confirmed = this.#onChange()
      if (confirmed === undefined) socket.destroy()
      else socket.end(confirmed.isWritten ? written : unwritten, () => socket.destroy())
    })
    this.#server = server
    // The socket is made before `listen` returns: nothing else comes under this umask.
    const umask = process.umask(0o177)
    const listening = new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.#path, resolve))
    process.umask(umask)
    await listening
    // A connection that can't be taken, for want of descriptors, is the command's to tell: it hears no `ok`.
    server.on('error', () => {})
    this.#file = fileAt(this.#path)
  }
}

/** Makes this process the store's server. Rejects with an AccountsError that names the one that it has. */
export async function claimStore(store: Store, storeDir: string, note: ServerNote): Promise<void> {
  for (;;) {
    const found = store.setting('server')
    if (found !== undefined && !(await isDead(storeDir, found))) {
      throw new AccountsError(
        `the store ${storeDir} is served by the process ${found.pid} already: stop that, or set another STORE_DIR`,
      )
    }
    if (store.replaceServer(found, note)) return
  }
}

/**
 * Tells the store's server, if it has one. Returns its process id if it did not confirm in time.
 * @param mustWrite what it has counted must be in the store then
 */
export async function tellServer(store: Store, storeDir: string, mustWrite = false): Promise<number | undefined> {
  const until = performance.now() + confirmMsMax
  let told: ServerNote | undefined
  let missingSince: number | undefined
  for (;;) {
    const note = store.setting('server')
    if (note === undefined) return undefined
    if (!isSameServer(note, told)) missingSince = undefined
    told = note
    const answer = await ask(socketOf(storeDir, note), until - performance.now())
    if (answer === 'written' || (answer === 'unwritten' && !mustWrite)) return undefined
    missingSince = answer === 'nobody' ? (missingSince ?? performance.now()) : undefined
    if (missingSince !== undefined && isDeadWithout(note, missingSince)) return undefined
    if (performance.now() + retryMs >= until) return note.pid
    await pause(retryMs)
  }
}

async function isDead(storeDir: string, note: ServerNote): Promise<boolean> {
  const since = performance.now()
  while (lifeOf(note) !== 'lives') {
    if ((await ask(socketOf(storeDir, note), confirmMsMax)) !== 'nobody') return false
    if (isDeadWithout(note, since)) return true
    await pause(retryMs)
  }
  return false
}

/** Whether a server on whose socket nobody has listened since then is dead. */
function isDeadWithout(note: ServerNote, since: number): boolean {
  const life = lifeOf(note)
  return life === 'gone' || (life === 'unknown' && performance.now() - since >= socketMissingMsMax)
}

/** `nobody` listens there, or somebody does and its answer is `unclear`. */
type ControlAnswer = 'written' | 'unwritten' | 'nobody' | 'unclear'

function ask(path: string, msMax: number): Promise<ControlAnswer> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(path)
    const timer = setTimeout(() => finish('unclear'), Math.max(msMax, 0))
    const finish = (result: ControlAnswer) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1')
    })
    socket.on('end', () => finish(answer === written ? 'written' : answer === unwritten ? 'unwritten' : 'unclear'))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'nobody' : 'unclear'),
    )
  })
}

/** A file's identity; '' if there is none. */
function fileAt(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.dev} ${stat.ino} ${stat.ctimeNs}`
}

const socketOf = (storeDir: string, { socket }: ServerNote): string => join(controlFolder(storeDir), socket)

/** The folder for this server's socket, made if there is none. Throws AccountsError. */
function folderFor(storeDir: string): string {
  const folder = controlFolder(storeDir)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new AccountsError(`${folder} can't be made a folder (${(error as Error).message})`)
  }
  // In a temporary folder anybody can have made it.
  const owners = [0, process.getuid?.(), statSync(storeDir).uid]
  if (!owners.includes(statSync(folder).uid)) throw new AccountsError(`${folder} belongs to somebody else`)
  return folder
}

function controlFolder(storeDir: string): string {
  const real = realpathSync(storeDir)
  const folder = join(real, 'servers')
  const longest = join(folder, `4194304-${'0'.repeat(6)}${socketEnding}`)
  if (Buffer.byteLength(longest) <= pathBytesMax) return folder
  return join(tmpdir(), `card-prices-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`)
}
