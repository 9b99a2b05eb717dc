/** The system's words for a failure, without its call and its paths: the line around them names those. */
import { getSystemErrorMessage } from 'node:util'

/** @param error whatever was thrown */
export function systemText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
