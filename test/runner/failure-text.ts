/** A test's error as text, without the runner's own frames and an assertion's fields. */
import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'

const foreignFrame = /^ *at ((.*[( ])?node:|(async )?(new Promise|Promise\.all|Array\.map) |.*\/node_modules\/)/
const assertionCode = new AssertionError({}).code

/** @param error a test's, as an event of node:test has it: it wraps what was thrown */
export function failureText(error: Error): string {
  const thrown: unknown = error.cause ?? error
  if (typeof thrown === 'string') return indented([thrown])
  // It comes from another process: its class is gone, its code is left.
  const isAssertion = thrown instanceof Error && (thrown as { code?: string }).code === assertionCode
  const lines: string[] = []
  for (const line of (isAssertion ? thrown.stack! : inspect(thrown, { depth: 4, maxArrayLength: 20 })).split('\n')) {
    if (!foreignFrame.test(line)) lines.push(line)
    // The fields of the error begin behind its last frame.
    else if (line.endsWith(' {')) lines[lines.length - 1] += ' {'
  }
  return indented(lines)
}

/** Why a whole file failed: its own words are in what it printed. @param ended why it was ended, if it was */
export function endingText(error: Error, ended?: string): string {
  if (ended !== undefined) return indented([ended])
  const { exitCode, signal } = error as { exitCode?: number | null; signal?: string | null }
  if (signal) return indented([`its process was ended by ${signal}`])
  return exitCode ? indented([`its process exited ${exitCode}`]) : failureText(error)
}

const indented = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .trimEnd()
    .replace(/^(?=.)/gm, '    ')
    .concat('\n')
