/** Runs the cases of a reader in processes, and goes on behind the case that ends one or never returns. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectDir } from '../support/command.ts'
import { readers } from './readers.ts'

interface FileFuzz {
  readonly cases: number
  readonly seed: number
  /** This one alone, to see a failure again. */
  readonly only: number | undefined
}

/** Settings from the environment: FUZZ_CASES (of each reader), FUZZ_SEED, FUZZ_CASE. */
export function fileSettings(cases: number): FileFuzz {
  const { FUZZ_CASES, FUZZ_SEED, FUZZ_CASE } = process.env
  return {
    cases: Number(FUZZ_CASES ?? cases),
    seed: Number(FUZZ_SEED ?? 20_261_121),
    only: FUZZ_CASE === undefined ? undefined : Number(FUZZ_CASE),
  }
}

interface FileReport {
  readonly accepted: number
  readonly refused: number
  /** An error, with the number of the first case that has it and how many do. */
  readonly failures: ReadonlyMap<string, { readonly first: number; count: number }>
  readonly seconds: number
}

const caseMsMax = 20_000

/** @param folder for files, best in memory: all that is written there is gone afterwards */
export async function fuzzFiles(name: string, { cases, seed, only }: FileFuzz, folder: string): Promise<FileReport> {
  const started = performance.now()
  const source = join(folder, name)
  const scratch = join(folder, `${name}-cases`)
  mkdirSync(source)
  await readers[name]!.prepare(source)
  const outcomes = { accepted: 0, refused: 0 }
  const failures = new Map<string, { first: number; count: number }>()
  const fault = (number: number, text: string) => {
    const what = kindOf(text)
    const known = failures.get(what)
    if (known === undefined) failures.set(what, { first: number, count: 1 })
    else known.count++
  }
  const end = only === undefined ? cases : only + 1
  for (let from = only ?? 0; from < end; ) {
    const last = await runCases([name, source, scratch, seed, from, end].map(String), (what, number, more) => {
      if (what === 'fault') fault(number, more)
      else outcomes[what]++
    })
    if (last.fault !== undefined) fault(last.number, last.fault)
    from = last.number + 1
  }
  rmSync(scratch, { recursive: true, force: true })
  return { ...outcomes, failures: failures, seconds: (performance.now() - started) / 1000 }
}

type OnReported = (what: 'accepted' | 'refused' | 'fault', number: number, more: string) => void

/** Until all are done or one ends the process: the case that was run last, and how the process ended if not in order. */
async function runCases(args: readonly string[], onReported: OnReported): Promise<{ number: number; fault?: string }> {
  const child = spawn(process.execPath, [join(projectDir, 'test/fuzz/child.ts'), ...args], {
    cwd: projectDir,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  let number = Number(args[4])
  let isDone = true
  let hangs = false
  const hang = () => {
    hangs = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(hang, caseMsMax)
  createInterface(child.stdout).on('line', (line) => {
    const reported = /^(case|accepted|refused|fault) (\d+) (.*)$/.exec(line)
    // Other output, and a line that the process did not live to end.
    if (reported === null) return
    const [, what, digits, more] = reported as unknown as [string, string, string, string]
    clearTimeout(timer)
    timer = setTimeout(hang, caseMsMax)
    number = Number(digits)
    isDone = what !== 'case'
    if (isDone) onReported(what as 'fault', number, decodeURIComponent(more))
  })
  const [code, signal] = await ended
  clearTimeout(timer)
  if (code === 0 && isDone) return { number }
  if (hangs) return { number, fault: `no end in ${caseMsMax} ms` }
  return { number, fault: `the process ended (${signal ?? code}) ${errors}` }
}

/** The first lines that tell failures apart, without what differs from case to case. */
const kindOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^\S*(Error|the process|no end)|^\s+at .*\/(src|build)\//.test(line))
    .slice(0, 3)
    .map((line) =>
      line
        .trim()
        .replaceAll(projectDir, '')
        .replace(/\d{3,}/g, '…')
        .slice(0, 200),
    )
    .join(' | ')
