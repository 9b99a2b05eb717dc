/**
 * MTGJSON. A fetch downloads all sets if they changed. The first fetch downloads 90 days of prices, and each later
 * fetch the prices of the day. MTGJSON publishes a checksum of each file.
 */
import type { Sum } from '../../../src/indexes/plain-file.ts'
import type { FetchState } from '../../fetch-state.ts'
import { dayOfTime } from '../../import/source-values.ts'
import { checkGzip } from '../content.ts'
import { downloadDay } from '../download.ts'
import { excerpt, FetchError, WrongContent } from '../fetch-errors.ts'
import { mtgjsonPauseMs } from '../fetch-limits.ts'
import { type FetchedSource, type Fetching, hourMs, type ImportTask } from './fetched-source.ts'

const printings = 'AllPrintings.json.gz'
const allPrices = 'AllPrices.json.gz'
const todaysPrices = 'AllPricesToday.json.gz'

export const mtgjson: FetchedSource = {
  address: 'https://mtgjson.com',
  domains: ['mtgjson.com'],
  pauseMs: mtgjsonPauseMs,
  intervalMs: 12 * hourMs,
  games: () => ['mtg'],
  terms: 'MTGJSON: Magic sets, cards and prices, MIT licence, new once a day.',
  fetch: fetchMtgjson,
  imports: importsOf,
}

async function fetchMtgjson(fetching: Fetching): Promise<boolean> {
  const { mirror, host, progress, clock, isUnfinished } = fetching
  const today = dayOfTime(clock.now())
  const isFirst = mirror.file(allPrices) === undefined || (isUnfinished && mirror.has(allPrices, today))
  const files = [printings, isFirst ? allPrices : todaysPrices].map((name) => {
    const path = `/api/v5/${name}`
    const check = async (file: string, { sha256 }: Sum): Promise<void> => {
      const published = await checksumOf(host, `${path}.sha256`)
      if (published !== sha256) throw new WrongContent(`has the checksum ${sha256}, its publisher says ${published}`)
      await checkGzip(file)
    }
    return { name, path, check }
  })
  progress.begin('bytes', 0)
  return downloadDay(files, today, fetching)
}

async function checksumOf(host: Fetching['host'], path: string): Promise<string> {
  const { text = '' } = (await host.text(path, {})) ?? {}
  const [sum] = /^[0-9a-f]{64}\b/i.exec(text.trim()) ?? []
  if (sum !== undefined) return sum.toLowerCase()
  throw new FetchError(host.shown(path), `is no checksum (${excerpt(text)})`, 'look at the address yourself')
}

/** The imports: first the file with 90 days, then the file with the newest day. */
function importsOf({ files }: FetchState): readonly ImportTask[] {
  const task = (prices: string): ImportTask[] => {
    const file = files[prices]
    const date = undefined
    return file === undefined ? [] : [{ names: [printings, prices], games: ['mtg'], revision: `${file.sha256}`, date }]
  }
  return [...task(allPrices), ...task(todaysPrices)]
}
