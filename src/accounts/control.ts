/**
 * How a command tells running servers that accounts have changed, and waits until they know.
 *
 * Each server listens on a Unix socket in STORE_DIR/servers; a connection means "look again", and the server answers
 * `ok` once its threads no longer use what they knew. A socket that nobody listens on is a dead server's and is removed.
 * Where STORE_DIR makes the path too long for a socket, the folder is in the system's temporary one, under a name that
 * is made from STORE_DIR.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AccountsError } from './store.ts'

/** The shortest bound on a socket's path among the systems served (macOS: 104 bytes with its end). */
const pathBytesMax = 103
const answerMsMax = 3000
const socketEnding = '.sock'

export class ControlSocket {
  readonly path: string
  readonly #server: Server

  private constructor(path: string, server: Server) {
    this.path = path
    this.#server = server
  }

  /** Listens; `onChange` runs for each command before it is answered. */
  static async open(storeDir: string, onChange: () => void): Promise<ControlSocket> {
    const folder = controlFolder(storeDir)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    checkOwner(folder, storeDir)
    const path = join(folder, `${process.pid}-${randomBytes(3).toString('hex')}${socketEnding}`)
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      onChange()
      // A command that hangs must not keep the server from stopping.
      socket.end('ok\n', () => socket.destroy())
    })
    // The socket is made before `listen` returns: nothing else comes under this umask.
    const umask = process.umask(0o177)
    const listening = new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
    process.umask(umask)
    await listening
    return new ControlSocket(path, server)
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    rmSync(this.path, { force: true })
  }
}

/** Tells every server on the store. Returns the process ids of those that did not confirm within 3 s. */
export async function tellServers(storeDir: string): Promise<string[]> {
  const folder = controlFolder(storeDir)
  if (!existsSync(folder)) return []
  checkOwner(folder, storeDir)
  const sockets = readdirSync(folder).filter((name) => name.endsWith(socketEnding))
  const confirmed = await Promise.all(sockets.map((name) => tell(join(folder, name))))
  return sockets.filter((_, i) => !confirmed[i]).map((name) => name.split('-')[0]!)
}

/** Whether the server confirmed, or is gone. */
async function tell(path: string): Promise<boolean> {
  // A server that is starting has its socket for a moment before it listens: a refusal counts when it is repeated.
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await ask(path)
    if (answer !== 'refused') return answer === 'ok'
    await pause(50)
  }
  rmSync(path, { force: true })
  return true
}

function ask(path: string): Promise<'ok' | 'refused' | 'silent'> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(path)
    const timer = setTimeout(() => finish('silent'), answerMsMax)
    const finish = (result: 'ok' | 'refused' | 'silent') => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1')
    })
    // A server that ends before its answer is one that is stopping: the next attempt finds it gone.
    socket.on('end', () => finish(answer === 'ok\n' ? 'ok' : 'refused'))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? 'refused' : 'silent'),
    )
  })
}

function controlFolder(storeDir: string): string {
  const real = realpathSync(storeDir)
  const folder = join(real, 'servers')
  const longest = join(folder, `4194304-${'0'.repeat(6)}${socketEnding}`)
  if (Buffer.byteLength(longest) <= pathBytesMax) return folder
  return join(tmpdir(), `card-prices-${createHash('sha256').update(real).digest('hex').slice(0, 16)}`)
}

/** Throws AccountsError if somebody else has made the folder: in a temporary folder anybody can. */
function checkOwner(folder: string, storeDir: string): void {
  const owners = [0, process.getuid!(), statSync(storeDir).uid]
  if (!owners.includes(statSync(folder).uid)) throw new AccountsError(`${folder} belongs to somebody else`)
}
