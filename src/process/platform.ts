/** Whether the server can run here, and how well: asked before anything else is loaded, so that the answer is one line. */
import type { Logger } from 'pino'
import { LibraryError, loadLibrary } from '../http/connections/uws.ts'

/** What is wrong with this machine, in one line; undefined if nothing is. */
export function unsupportedPlatform(): string | undefined {
  try {
    loadLibrary()
    return undefined
  } catch (error) {
    if (error instanceof LibraryError) return error.message
    throw error
  }
}

/** Once a process: what was not loaded, and what that means for callers. */
export function warnOfLibrary(log: Logger): void {
  const { name, failsOnPieces, passedOver } = loadLibrary()
  if (failsOnPieces) {
    log.warn(
      { library: name, passedOver },
      'requests whose first line arrives in pieces are answered 505 by this HTTP library; its next version, which ' +
        'mends that, loads with glibc 2.38 or later, and a proxy in front that sends requests whole helps too',
    )
  } else if (passedOver.length > 0) {
    log.warn({ library: name, passedOver }, 'another HTTP library than the first choice is used')
  }
}
