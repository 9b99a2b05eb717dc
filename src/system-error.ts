/** What the system says of a failure, for people: without its call and its paths, which a line tells in its own words. */
import { getSystemErrorMessage } from 'node:util'

/** @param error whatever was thrown */
export function systemText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
