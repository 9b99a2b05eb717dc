/** The system's text for an error, without the call and the paths. The caller's message names these. */
import { getSystemErrorMessage } from 'node:util'

export function systemText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
