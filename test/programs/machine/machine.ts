/**
 * A machine of a test's own: this one's disk under an overlay, with namespaces for mounts, processes and the network, so that commands
 * which change all of it run as they stand. systemctl, apt-get and certbot are the files beside this one; nothing leads out of it.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectDir, temporaryFolder } from '../../support/command.ts'

const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']

/** For `skip`. */
export const withoutMachine: string | false =
  spawnSync('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0 &&
  'needs root that may make namespaces and mount an overlay (unshare, mount)'

/** Makes the overlay, then becomes a shell in it. */
const setup = (folder: string, addresses: readonly string[]): string => `
set -e
ip link set lo up
for address in ${addresses.join(' ')}; do ip address add "$address/32" dev lo; done
mount -t tmpfs tmpfs ${folder}
mkdir ${folder}/upper ${folder}/work ${folder}/root
mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/work ${folder}/root
mount --rbind /dev ${folder}/root/dev
mount -t proc proc ${folder}/root/proc
mount -t tmpfs tmpfs ${folder}/root/run
cp ${projectDir}/test/programs/machine/systemctl ${projectDir}/test/programs/machine/certbot \\
  ${projectDir}/test/programs/machine/apt-get ${folder}/root/usr/local/sbin/
exec chroot ${folder}/root /bin/sh 2>&1
`

export class Machine {
  readonly #shell: ChildProcessWithoutNullStreams
  #output = ''
  #lines = 0

  /** @param addresses of its network, besides 127.0.0.1 */
  constructor(addresses: readonly string[]) {
    const folder = temporaryFolder(tmpdir())
    mkdirSync(folder, { recursive: true })
    const env = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      npm_config_offline: 'true',
    }
    this.#shell = spawn('unshare', [...namespaces, 'sh', '-c', setup(folder, addresses)], { env })
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream.on('data', (data: Buffer) => {
        this.#output += data
        this.#shell.emit('printed')
      })
    }
  }

  /** Types a line into its shell. Rejects with its output if it fails. */
  async type(line: string): Promise<string> {
    const end = `::${++this.#lines} `
    const from = this.#output.length
    this.#shell.stdin.write(`${line}\necho "${end}$?"\n`)
    const ended = once(this.#shell, 'close').then(() => {
      throw new Error(`the machine ended: ${this.#output.slice(from)}`)
    })
    ended.catch(() => undefined)
    const found = () => new RegExp(`^([\\s\\S]*)${end}(\\d+)\\n`).exec(this.#output.slice(from))
    while (found() === null) await Promise.race([once(this.#shell, 'printed'), ended])
    const [, printed = '', code] = found()!
    if (code !== '0') {
      const shown = printed.replaceAll(/cpl_live_\w+/g, 'cpl_live_…')
      throw new Error(`${line}\nended with ${code}: ${shown}`)
    }
    return printed
  }

  async close(): Promise<void> {
    const closed = once(this.#shell, 'close')
    this.#shell.kill('SIGKILL')
    await closed
  }
}

/** A file in the project, as seen from a machine. */
export const inProject = (name: string): string => join(projectDir, name)
