/** Scryfall's bulk data: the API lists the file, which is on another host. */
import * as v from 'valibot'
import { dayOfText } from '../../import/source-values.ts'
import { checkGzip } from '../content.ts'
import { conditionsOf, download, tagsOf } from '../download.ts'
import { FetchError } from '../fetch-errors.ts'
import { scryfallPauseMs } from '../fetch-limits.ts'
import { type FetchedSource, type Fetching, hourMs } from './fetched-source.ts'

const listPath = '/bulk-data/default_cards'
const fileName = 'default_cards.jsonl.gz'

const listSchema = v.object({
  updated_at: v.pipe(
    v.string(),
    v.check((text) => dayOfText(text) !== null && !Number.isNaN(Date.parse(text)), 'must be a time'),
  ),
  jsonl_download_uri: v.string(),
  compressed_size: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
})

export const scryfall: FetchedSource = {
  address: 'https://api.scryfall.com',
  domains: ['scryfall.com', 'scryfall.io'],
  pauseMs: scryfallPauseMs,
  intervalMs: 12 * hourMs,
  games: () => ['mtg'],
  terms:
    "Scryfall's bulk data, new twice a day; it forbids putting its data behind payment: read docs/data.md if you sell plans.",
  fetch: fetchScryfall,
  imports: ({ stamp, files }) => [
    { names: [fileName], games: ['mtg'], revision: files[fileName]?.sha256 ?? '', date: dayOfText(stamp) ?? undefined },
  ],
}

async function fetchScryfall(fetching: Fetching): Promise<boolean> {
  const { mirror, host, games, progress, isUnfinished } = fetching
  const { state } = mirror
  const hasAll = !isUnfinished && state.stamp !== null && mirror.has(fileName, state.stamp)
  const response = await host.text(listPath, hasAll ? conditionsOf(state) : {})
  if (response === undefined) return false
  const list = listIn(response.text, host.shown(listPath))
  const { updated_at: stamp, jsonl_download_uri: address, compressed_size: bytes } = list
  const path = host.pathOf(address, host.shown(listPath))
  Object.assign(state, tagsOf(response.headers))
  if (hasAll && state.stamp === stamp) return false
  mirror.begin(stamp, games)
  if (mirror.has(fileName, stamp)) return true
  progress.begin('bytes', bytes)
  const madeAt = new Date(stamp)
  const wanted = { name: fileName, path, of: stamp, bytes, keepsSum: true, madeAt, check: checkGzip }
  await download(wanted, fetching)
  return true
}

/** The list in the API's response. Throws FetchError if the text is wrong. */
function listIn(text: string, shown: string): v.InferOutput<typeof listSchema> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FetchError(shown, 'is no JSON', 'look at the address yourself, and run it again')
  }
  const list = v.safeParse(listSchema, value)
  if (list.success) return list.output
  const [issue] = list.issues
  const where = v.getDotPath(issue) ?? 'it'
  throw new FetchError(shown, `has a wrong ${where} (${issue.message})`, 'check whether its format has changed')
}
