/** Runs the project's commands: as processes with settings in the environment, as a user does, or in this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'node:util'
import type { ProgramCommand } from '../../src/command/command.ts'
import './after-tests.ts'
import './kept-types.cjs'

export const projectDir = fileURLToPath(new URL('../..', import.meta.url))

/** @param name the path from the project's folder */
export const documentText = (name: string): string => readFileSync(join(projectDir, name), 'utf8')

/** The same options as in src/process/node.sh. */
const flags = ['--disable-sigusr1', '--disable-warning=ExperimentalWarning']

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

process.setMaxListeners(0)

const inMemory = '/dev/shm'
const inMemoryBytesMin = 2e9

/** A folder in memory if more than 2 GB are free there, else the system's folder for temporary files. */
function temporaryBase(): string {
  if (!existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize > inMemoryBytesMin ? inMemory : tmpdir()
}

const base = temporaryBase()
const otherBase = [inMemory, tmpdir()].find((path) => existsSync(path) && statSync(path).dev !== statSync(base).dev)

/** A value for the option `skip`: the reason if the machine has no second file system, else false. */
export const withoutOtherDisk = otherBase === undefined && 'needs two file systems'

/** Like `temporaryFolder`, but on another file system. */
export const folderOnOtherDisk = (): string => temporaryFolder(otherBase)

/** Makes a new folder, which is removed when the process exits. */
export function temporaryFolder(parent = base): string {
  const folder = mkdtempSync(join(parent, 'card-price-lookup-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function copyOf(folder: string): string {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

/**
 * The environment of a process whose constants are replaced, so that a test need not wait long.
 * @param limits the new values, by the constants' names in src/ and build/
 * @param modules further modules of the tests that the process requires, as paths from the project's folder
 */
export function withLimits(limits: Readonly<Record<string, number>>, ...modules: readonly string[]) {
  const byModule: Record<string, [name: string, value: string][]> = {}
  for (const [name, value] of Object.entries(limits)) {
    const line = new RegExp(`^(?:export )?const ${name} = `, 'm')
    const [found, ...others] = programModules().filter(({ source }) => line.test(source))
    if (found === undefined || others.length > 0) throw new Error(`not one module of src/ and build/ has ${name}`)
    byModule[found.url] ??= []
    byModule[found.url]!.push([name, `${value}`])
  }
  return { TEST_LIMITS: JSON.stringify(byModule), ...withModules('test/support/limits.cjs', ...modules) }
}

/**
 * The environment of a process that first requires these modules of the tests.
 * @param modules paths from the project's folder
 */
export const withModules = (...modules: readonly string[]) => ({
  NODE_OPTIONS: [process.env['NODE_OPTIONS'], ...modules.map((module) => `--require ${join(projectDir, module)}`)].join(
    ' ',
  ),
})

/** PATH without the programs of the tests. */
export const systemPath = process.env['PATH'] ?? ''
// An `update` gives itself the lowest priority with chrt. On a busy machine it would then wait for minutes.
process.env['PATH'] = `${join(projectDir, 'test/support/bin')}:${systemPath}`

// Applies to all processes and threads that the tests of a file start.
process.env['NODE_OPTIONS'] ??= ''
Object.assign(process.env, withModules('test/support/kept-code.cjs'))

let modulesRead: readonly { readonly url: string; readonly source: string }[] | undefined

function programModules() {
  modulesRead ??= ['src', 'build'].flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(projectDir, folder, name))
      .map((path) => ({ url: pathToFileURL(path).href, source: readFileSync(path, 'utf8') })),
  )
  return modulesRead
}

/** The path of the program card-prices from the project's folder. */
export const cardPrices = 'src/cli/main.ts'

/**
 * Starts a script as an operator's process, without the test runner's options.
 * @param script a path from the project's folder, or an absolute path
 */
export function start(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = projectDir,
): ChildProcess {
  // Behind `--`, Node.js leaves --env-file to the program.
  return spawn(process.execPath, [...flags, '--', resolve(projectDir, script), ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export const run = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  outcomeOf(start(script, args, env))

/** Resolves when the process has ended. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}

let running: Promise<unknown> = Promise.resolve()

/** Runs `card-prices WORDS` in this process, and collects its output. Calls wait for each other. */
export function runHere(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const outcome = running.then(() => runNow(words, env))
  running = outcome.catch(() => {})
  return outcome
}

async function runNow(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  // Loaded only when a test runs a command. This loads the table of commands, but no command's module.
  const { runCardPrices } = await import('../../src/cli/card-prices.ts')
  const { log, error } = console
  const envBefore = { ...process.env }
  const { output, outcome } = collectHere()
  Object.assign(process.env, env)
  console.log = (...texts) => output.log(format(...texts))
  console.error = (...texts) => output.error(format(...texts))
  try {
    return outcome(await runCardPrices(words, output))
  } finally {
    Object.assign(console, { log, error })
    for (const name of new Set([...Object.keys(env), 'CARD_PRICES_ENV'])) {
      if (envBefore[name] === undefined) delete process.env[name]
      else process.env[name] = envBefore[name]
    }
  }
}

/** Runs the build command in this process. Most test files need no build, so its modules are loaded only here. */
export async function build(snapshots: string, indexDir: string): Promise<Outcome> {
  const [{ build: buildVersion }, { reportOf }] = await Promise.all([
    import('../../build/build.ts'),
    import('../../build/build-command.ts'),
  ])
  try {
    const result = await buildVersion(snapshots, indexDir)
    return { code: 0, stdout: `${reportOf(result)}\n`, stderr: '' }
  } catch (error) {
    return { code: 1, stdout: '', stderr: `${(error as Error).message}\n` }
  }
}

/** Runs `npm run accounts` in this process. */
export const runAccountsHere = (storeDir: string, ...args: string[]): Promise<Outcome> =>
  runAccountsOf({ STORE_DIR: storeDir }, ...args)

/** The same with settings. */
export async function runAccountsOf(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Outcome> {
  const { accountsCommand } = await import('../../src/cli/accounts/accounts-command.ts')
  return runMadeHere((output) => accountsCommand(output, { storeDir: env['STORE_DIR']!, env }), args)
}

/** Runs one command in this process, without the table of commands. Several may run at once. */
export async function runMadeHere(
  make: (output: ReturnType<typeof collectHere>['output']) => ProgramCommand,
  args: readonly string[],
): Promise<Outcome> {
  const { ProgramCommand, runProgram } = await import('../../src/command/command.ts')
  const { output, outcome } = collectHere()
  const command = make(output)
  const program = new ProgramCommand('card-prices', output).addCommand(command)
  return outcome(await runProgram(program, [command.name(), ...args], output))
}

/** Collects the output of a command that runs in this process. */
export function collectHere() {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const output = {
    log: (text: string) => void stdout.push(`${text}\n`),
    error: (text: string) => void stderr.push(`${text}\n`),
    write: async (text: string) => void stdout.push(text),
  }
  const outcome = (code: number): Outcome => ({ code, stdout: stdout.join(''), stderr: stderr.join('') })
  return { output, outcome }
}

/** Runs an accounts command with --json, and returns its parsed output. Throws if the command fails. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
export async function accounts(storeDir: string, ...args: string[]): Promise<any> {
  return jsonOf(await runAccountsHere(storeDir, ...args, '--json'), args)
}

/** The parsed output of an accounts command with --json. Throws if the command failed. */
// biome-ignore lint/suspicious/noExplicitAny: each command has its own answer
export function jsonOf({ code, stdout, stderr }: Outcome, [name]: readonly string[]): any {
  if (code !== 0) throw new Error(`accounts ${name} exited ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

export function collect(child: ChildProcess): { stdout(): string; stderr(): string } {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  return { stdout: () => stdout, stderr: () => stderr }
}
