/** The lines of the access log among those of a server's log. */
import type { AccessLine } from '../../src/log/access.ts'
import type { Service } from '../support/service.ts'
import { until } from '../support/until.ts'

export interface Line extends Omit<AccessLine, 'query'> {
  readonly time: number
  readonly query?: string
}

export const linesOf = ({ log }: Service): Line[] =>
  log()
    .split('\n')
    .filter((line) => line.startsWith('{"time":'))
    .map((line) => JSON.parse(line))

/** Waits until its log has so many lines. */
export const untilLines = (service: Service, count: number): Promise<void> =>
  until(
    `the log has ${count} lines`,
    () => linesOf(service).length >= count,
    30_000,
    () => `${linesOf(service).length}, the last of ${JSON.stringify(linesOf(service).at(-1))}`,
  )
