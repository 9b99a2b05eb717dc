/** The log of a thread: lines of JSON on standard error, with no key in them, and nobody waits for their reader. */
import pino, { type Logger } from 'pino'
import type { Settings } from '../settings.ts'
import { LogOutput } from './output.ts'
import { withoutKeys } from './secrets.ts'

/** @param first what the first line tells, whichever that is: a start that fails has no line but its reason */
export function makeLog(level: Settings['LOG_LEVEL'], first: object = {}): Logger {
  let told = first
  const mixin = () => {
    const now = told
    told = {}
    return now
  }
  const output = new LogOutput((dropped) => log.error({ dropped }, 'log lines were dropped, since nobody read them'))
  const log = pino({ level, mixin }, { write: (line) => output.write(withoutKeys(line)) })
  return log
}
