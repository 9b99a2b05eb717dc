/** The interface of a source that can be fetched, and a check that an import can read its files. */
import type { GameSlug } from '../../../src/games.ts'
import type { FetchState, Mirror } from '../../fetch-state.ts'
import type { FolderGames } from '../../games/folder-games.ts'
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
  /** All games of the snapshot folder. */
  readonly folder: FolderGames
  readonly progress: FetchProgress
  readonly clock: Clock
  readonly token: string | undefined
  /** True if the previous run was not finished. Requests must then be unconditional. */
  readonly isUnfinished: boolean
}

/** One import of a mirror. */
export interface ImportTask {
  /** The names of the mirror's files to import; empty if the mirror as a whole is imported. */
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
  /** Returns the games of the folder that the publisher has. */
  games(folder: FolderGames): readonly GameSlug[]
  /** The owner of the data, and how you may use it. */
  readonly terms: string
  /** The setting with the token, if the publisher needs one. */
  readonly tokenSetting?: 'PRICECHARTING_TOKEN'
  /** Fetches the source. Returns false if nothing is new. Throws FetchError. */
  fetch(fetching: Fetching): Promise<boolean>
  /** The imports of the mirror, in the order in which they must run. */
  imports(state: FetchState, folder: FolderGames): readonly ImportTask[]
}

/**
 * Reads a downloaded file as an import does. Throws WrongContent if the file is a web page, or for the first error.
 * @param names what the file should be, and how the message about a wrong file begins
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
