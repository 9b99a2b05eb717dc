/**
 * Programs and rights that some tests need, and that a machine with only Node and npm may lack. The option `skip` of
 * such a test says what is missing. `.ci/run` fails if a test is skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from './command.ts'
import { until } from './until.ts'

/**
 * The package that installs each program: Debian's packages, and callers' tools from npm. Programs that Debian always
 * has (sh, mount, prlimit, …) are left out.
 */
const debianPackages = {
  chromium: 'chromium',
  curl: 'curl',
  haproxy: 'haproxy',
  nginx: 'nginx',
  openssl: 'openssl',
  pgbouncer: 'pgbouncer',
  postgres: 'postgresql',
  script: 'bsdutils',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  python3: 'python3',
  'redis-server': 'redis-server',
  'systemd-analyze': 'systemd',
  'systemd-notify': 'systemd',
  wrk: 'wrk',
} as const
const npmPackages = {
  newman: 'newman',
  'openapi-ts': '@hey-api/openapi-ts',
  openapi2postmanv2: 'openapi-to-postmanv2',
  orval: 'orval',
} as const

/** The last release that shared accounts through Redis. `.ci/run` installs it. */
const earlierRelease = 'card-prices-2.0.0'

export type ProgramName = keyof typeof debianPackages | keyof typeof npmPackages | typeof earlierRelease

/**
 * The path of the program; undefined if it is not installed. Debian puts servers into folders that only root's PATH
 * has.
 */
export function pathOf(program: ProgramName): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...postgresFolders()]
  return folders.map((folder) => join(folder, program)).find(isExecutable)
}

const postgresVersions = '/usr/lib/postgresql'

/** The folders of PostgreSQL's versions, newest first. Debian does not put them into PATH. */
const postgresFolders = (): string[] =>
  existsSync(postgresVersions)
    ? readdirSync(postgresVersions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(postgresVersions, version, 'bin'))
    : []

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A value for the option `skip` of node:test: the reason if the program is missing, else false. */
export function skipWithout(program: ProgramName): string | false {
  if (pathOf(program) !== undefined) return false
  if (program === earlierRelease) return `needs ${program}: .ci/earlier-release`
  const install =
    program in npmPackages
      ? `npm install --global ${npmPackages[program as keyof typeof npmPackages]}`
      : `apt-get install -y ${debianPackages[program as keyof typeof debianPackages]}`
  return `needs ${program}: ${install}`
}

/** The bit of CAP_SYS_ADMIN (linux/capability.h). Root in a container often lacks this capability. */
const mountingBit = 21n

/** The same for a test that mounts a small disk. */
export function skipWithoutMounting(): string | false {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'latin1') : ''
  const capabilities = BigInt(`0x${/^CapEff:\s+(\w+)$/m.exec(status)?.[1] ?? '0'}`)
  return (capabilities & (1n << mountingBit)) === 0n && 'needs root that may mount a small disk'
}

/** A small disk in memory, for tests that use `skipWithoutMounting`. */
export interface Disk {
  readonly folder: string
  /** Fills the disk except for `left` bytes, rounded to pages. */
  fill(left: number): void
  /** Undoes `fill`. */
  free(): void
  /** Resolves when no file on the disk is open. If a file stays open, it detaches the disk and rejects. */
  unmount(): Promise<void>
}

export function mountDisk(bytes: number): Disk {
  const folder = join(temporaryFolder(), 'disk')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  const free = () => rmSync(filler, { force: true })
  return {
    folder,
    fill(left) {
      free()
      const { bavail, bsize } = statfsSync(folder)
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)))
      } catch (error) {
        // Another program may have written in the meantime. Then the disk is already full.
        if (left > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free,
    // A program may still be closing a file.
    unmount: () =>
      until('the disk is unmounted', () => spawnSync('umount', [folder]).status === 0).catch((error) => {
        spawnSync('umount', ['--lazy', folder])
        throw error
      }),
  }
}
