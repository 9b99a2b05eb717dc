/** MTGJSON: all sets if they changed; 90 days of prices at first, then each day's. It publishes a checksum of each file. */
import type { Sum } from '../../../src/indexes/plain-file.ts'
import type { FetchState } from '../../fetch-state.ts'
import { dayOfTime } from '../../import/sources/values.ts'
import { checkGzip } from '../content.ts'
import { download } from '../download.ts'
import { excerpt, FetchError, WrongContent } from '../errors.ts'
import type { Fetching, ImportTask, SourceFetch } from './source.ts'

const printings = 'AllPrintings.json.gz'
const allPrices = 'AllPrices.json.gz'
const todaysPrices = 'AllPricesToday.json.gz'

export const mtgjson: SourceFetch = {
  fetch: fetchMtgjson,
  imports: importsOf,
}

async function fetchMtgjson(fetching: Fetching): Promise<boolean> {
  const { mirror, clock, games, isUnfinished } = fetching
  const today = dayOfTime(clock.now())
  const isFetched = (name: string): boolean => isUnfinished && mirror.has(name, today)
  const prices = mirror.file(allPrices) === undefined || isFetched(allPrices) ? allPrices : todaysPrices
  let isNew = isUnfinished
  for (const name of [printings, prices]) {
    if (!isFetched(name) && (await fetchFile(fetching, name, today))) isNew = true
  }
  if (isNew) mirror.begin(today, games)
  return isNew
}

function fetchFile(fetching: Fetching, name: string, of: string): Promise<boolean> {
  const { mirror, host, games, progress } = fetching
  const path = `/api/v5/${name}`
  const check = async (file: string, { sha256 }: Sum): Promise<void> => {
    const published = await checksumOf(host, `${path}.sha256`)
    if (published !== sha256) throw new WrongContent(`has the checksum ${sha256}, its publisher says ${published}`)
    await checkGzip(file)
    // From here on, the mirror's files are of different days.
    mirror.begin(of, games)
  }
  progress.begin('bytes', 0)
  return download({ name, path, of, keepsSum: true, check }, fetching)
}

async function checksumOf(host: Fetching['host'], path: string): Promise<string> {
  const response = await host.text(path, {})
  const [sum] = /^[0-9a-f]{64}\b/i.exec(response?.text.trim() ?? '') ?? []
  if (sum !== undefined) return sum.toLowerCase()
  throw new FetchError(
    host.shown(path),
    `is no checksum (${excerpt(response?.text ?? '')})`,
    'look at the address yourself',
  )
}

/** The 90 days first, then the newest day. */
function importsOf({ files }: FetchState): readonly ImportTask[] {
  const task = (prices: string): ImportTask[] => {
    const file = files[prices]
    const date = undefined
    return file === undefined ? [] : [{ names: [printings, prices], games: ['mtg'], revision: `${file.sha256}`, date }]
  }
  return [...task(allPrices), ...task(todaysPrices)]
}
