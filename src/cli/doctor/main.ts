/**
 * card-prices doctor: examines all that the service needs, and changes nothing.
 *
 *   this thread ◀─ one finding a part ─ another thread, which may hang on a disk
 *
 * A finding that is missing after `doctorMsMax` is bad.
 */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { command } from '../../command/command.ts'
import { table } from '../../command/table.ts'
import { doctorMsMax } from '../../limits.ts'
import { endAtOnce } from '../../platform/end-at-once.ts'
import { startThread } from '../../platform/start-thread.ts'
import { bad, type Finding } from './finding.ts'

const usage = `Usage: card-prices doctor [--json]

Examines Node.js and its HTTP library, the settings, INDEX_DIR, STORE_DIR, the last fetch, import and build, the server, its
pages, metrics and certificate, Redis, disk space and descriptors. It prints a line for each: ok, warn or bad, and what to do. It
changes nothing, and works with or without a running server.

  --json    prints an array of {"part","state","found","advice"}
  --help    shows this

Exit codes: 0 nothing is bad, 1 something is, 2 wrong usage.`

/** Messages of the thread: first the names of all parts, then each finding. */
export type FromDoctor = { readonly parts: readonly string[] } | { readonly at: number; readonly finding: Finding }

const colours = { ok: 32, warn: 33, bad: 31 } as const

process.exitCode = await command(usage, { json: { type: 'boolean', default: false } }, 0, async ({ values }) => {
  const worker = startThread('./thread', import.meta.url)
  const { findings, isComplete } = await findingsOf(worker)
  const text = values['json'] === true ? JSON.stringify(findings) : reportOf(findings, process.stdout.isTTY)
  await new Promise((resolve) => process.stdout.write(`${text}\n`, resolve))
  const code = findings.some(({ state }) => state === 'bad') ? 1 : 0
  return isComplete ? code : endAtOnce(code)
})

/** In the order of the parts. */
async function findingsOf(worker: Worker): Promise<{ findings: readonly Finding[]; isComplete: boolean }> {
  let parts: readonly string[] = ['doctor']
  const found: Finding[] = []
  worker.on('message', (message: FromDoctor) => {
    if ('parts' in message) parts = message.parts
    else found[message.at] = message.finding
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), doctorMsMax)
  })
  const isComplete = (await Promise.race([once(worker, 'exit'), late]).finally(() => clearTimeout(timer))) !== 'late'
  const missing = bad(`no result within ${doctorMsMax / 1000} s`, 'check whether its disk or mount answers')
  return { findings: parts.map((part, i) => found[i] ?? { part, ...missing }), isComplete }
}

function reportOf(findings: readonly Finding[], isColoured: boolean): string {
  const rows = findings.map(({ state, part, found, advice }) => [
    state,
    part,
    advice === null ? found : `${found}: ${advice}`,
  ])
  const lines = table(rows).split('\n')
  if (!isColoured) return lines.join('\n')
  return lines
    .map((line, i) => {
      const { state } = findings[i]!
      return `\x1b[${colours[state]}m${state}\x1b[0m${line.slice(state.length)}`
    })
    .join('\n')
}
