/** The interface of a fetched source, and the check of its files that import reads. */
import type { GameSlug } from '../../../src/games.ts'
import type { FetchState, Mirror } from '../../fetch-state.ts'
import { ImportErrors } from '../../import/import-errors.ts'
import { firstByte } from '../../import/read/lines.ts'
import { type InputFile, inputFile } from '../../import/read/open.ts'
import { WrongContent } from '../fetch-errors.ts'
import type { FetchProgress } from '../fetch-progress.ts'
import type { Clock, Host, Publisher } from '../publisher-host.ts'

export const hourMs = 3_600_000
const lessThan = 0x3c

export interface Fetching {
  readonly mirror: Mirror
  readonly host: Host
  readonly games: readonly GameSlug[]
  readonly progress: FetchProgress
  readonly clock: Clock
  readonly token: string | undefined
  /** The run before was not finished, so unconditional requests are needed. */
  readonly isUnfinished: boolean
}

/** One import of a mirror. */
export interface ImportTask {
  /** Files of the mirror; empty for the mirror itself. */
  readonly names: readonly string[]
  readonly games: readonly GameSlug[]
  /** Identifies the fetched data: the same revision is not imported again. */
  readonly revision: string
  /** Undefined if the import finds the day by itself. */
  readonly date: string | undefined
}

export interface FetchedSource extends Publisher {
  /** The least time between the starts of two successful runs. */
  readonly intervalMs: number
  readonly games: readonly GameSlug[]
  /** The owner of the data, and how you may use it. */
  readonly terms: string
  /** The setting with the token, if the publisher needs one. */
  readonly tokenSetting?: 'PRICECHARTING_TOKEN'
  /** False if nothing is new. Throws FetchError. */
  fetch(fetching: Fetching): Promise<boolean>
  /** In the order in which they must run. */
  imports(state: FetchState): readonly ImportTask[]
}

/**
 * Reads a downloaded file as an import does. Throws WrongContent if it is a web page, or for the first error.
 * @param names what it should be, and how a wrong one is named
 */
export async function checkReadable(
  path: string,
  [wanted, wrong]: readonly [wanted: string, wrong: string],
  read: (file: InputFile, errors: ImportErrors) => Promise<void>,
): Promise<void> {
  const errors = new ImportErrors()
  const file = inputFile(path, errors)!
  if ((await firstByte(file, errors)) === lessThan) throw new WrongContent(`is a web page instead of ${wanted}`)
  await read(file, errors)
  const [first] = errors.shown
  if (first !== undefined) throw new WrongContent(`${wrong} (${first.replace(`${path}: `, '')})`)
}
