/** The log of a thread: JSON lines on stderr. They contain no key, and nothing waits for their reader. */
import pino, { type Logger } from 'pino'
import type { Settings } from '../settings.ts'
import { LogOutput } from './output.ts'
import { withoutKeys } from './secrets.ts'

/** @param firstLine fields for the first line, whichever that is: a start that fails logs only its reason */
export function makeLog(level: Settings['LOG_LEVEL'], firstLine: object = {}): Logger {
  let fields = firstLine
  const mixin = () => {
    const now = fields
    fields = {}
    return now
  }
  const output = new LogOutput((dropped) => log.error({ dropped }, 'log lines were dropped, because nobody read them'))
  const log = pino({ level, mixin }, { write: (line) => output.write(withoutKeys(line)) })
  return log
}
