/** Checks the HTTP library before anything else is loaded, so that a machine where it can't run gets one line. */
import type { Logger } from 'pino'
import { LibraryError, loadLibrary } from '../http/connections/uws.ts'

/** Why the library can't run on this machine, in one line; undefined if it can. */
export function unsupportedPlatform(): string | undefined {
  try {
    loadLibrary()
    return undefined
  } catch (error) {
    if (error instanceof LibraryError) return error.message
    throw error
  }
}

/** Logs what callers notice if an older library is used. Call it once. */
export function warnOfLibrary(log: Logger): void {
  const { name, failsOnPieces, passedOver } = loadLibrary()
  if (failsOnPieces) {
    log.warn(
      { library: name, passedOver },
      'this HTTP library answers 505 to requests whose first line arrives in pieces; use glibc 2.38 or later, with which a newer ' +
        'version of it runs, or a proxy in front that sends requests whole',
    )
  } else if (passedOver.length > 0) {
    log.warn(
      { library: name, passedOver },
      'the preferred version of the HTTP library can not run here; an older one is used',
    )
  }
}
