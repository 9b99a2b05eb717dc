/** The log of a thread: lines of JSON on standard error, with no key in them, and nobody waits for their reader. */
import pino, { type Logger } from 'pino'
import type { Settings } from '../settings.ts'
import { LogOutput } from './output.ts'
import { withoutKeys } from './secrets.ts'

export function makeLog(level: Settings['LOG_LEVEL']): Logger {
  const output = new LogOutput((dropped) => log.error({ dropped }, 'log lines were dropped, since nobody read them'))
  const log = pino({ level }, { write: (line) => output.write(withoutKeys(line)) })
  return log
}
