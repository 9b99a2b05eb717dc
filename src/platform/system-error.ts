/** The system's text for an error, without call and paths, which the surrounding message names. */
import { getSystemErrorMessage } from 'node:util'

export function systemText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
