/**
 * The readers of files that come from outside or have lain on a disk, each as an entry of one table: what lies there at
 * first, how it is damaged and read, and which results are allowed. Any other exception is a failure.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from '../../build/build.ts'
import { Progress } from '../../build/progress.ts'
import { SnapshotError } from '../../build/read/problems.ts'
import { createAccount, createKey, listAccounts, listKeys, setPlan } from '../../src/accounts/registry.ts'
import { type Dataset, openDataset } from '../../src/api/dataset.ts'
import { IdList } from '../../src/catalog/id-list.ts'
import { views } from '../../src/catalog/views.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'
import { sorts } from '../../src/search/scope/orders.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'
import { damaged, damagedText } from './damage.ts'

/** Refused: by the error that the reader has for it. */
type Outcome = 'accepted' | 'refused'

interface Reader {
  /** Makes what all cases start from. */
  readonly prepare: (folder: string) => Promise<void>
  /** @param scratch an empty folder. Throws what is a fault. */
  readonly run: (random: Random, folder: string, scratch: string) => Promise<Outcome>
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Puts every file of `folder` into `copy`, those of them in `instead` with that content. */
function copied(folder: string, copy: string, instead: ReadonlyMap<string, Buffer>): void {
  for (const name of filesBelow(folder)) {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    const content = instead.get(name)
    if (content === undefined) linkSync(join(folder, name), join(copy, name))
    else writeFileSync(join(copy, name), content)
  }
}

/** Accepted unless it throws an error of this kind. */
async function refusedBy(kind: new (...args: never[]) => Error, read: () => unknown): Promise<Outcome> {
  try {
    await read()
    return 'accepted'
  } catch (error) {
    if (!(error instanceof kind)) throw error
    if (/\n {4}at /.test(error.message)) throw new Error(`a refusal with a stack: ${error.message}`)
    return 'refused'
  }
}

const ids = ['pokemon-base1-001', 'pokemon-base1-002', 'mtg-lea-001', 'pokemonjp-s1-001', 'mtg-lea-002', 'mtg-lea-003']

function record(id: string, i: number): string {
  const [game, set] = id.split('-')
  const prices = { market: i + 0.5, low: 1, mid: null, conditions: { near_mint: 3 }, graded: { psa_10: 99.99 } }
  const name = ['Pikachu', 'リザードン', 'Black Lotus', "Urza's Saga"][i % 4]
  const more = { sources: ['a', 'b'], updatedAt: '2026-11-20T06:00:00Z', tcgplayerId: i + 1 }
  return `${JSON.stringify({ id, game, name, setCode: set, number: String(i), rarity: 'Rare', prices, ...more })}\n`
}

function historyRows(month: string): string {
  const rows = ['date,id,market,low,high']
  for (let day = 1; day < 12; day++) {
    for (const [i, id] of ids.entries()) {
      rows.push(`2026-${month}-${String(day).padStart(2, '0')},${id},${i + (day % 4)}.25,${i},`)
    }
  }
  return `${rows.join('\n')}\n`
}

async function smallSnapshot(folder: string): Promise<void> {
  const sets = [
    ['pokemon', 'base1'],
    ['mtg', 'lea'],
    ['pokemonjp', 's1'],
  ].map(([game, code]) => `${JSON.stringify({ game, code, name: `Set ${code}`, releaseDate: '1999-01-09' })}\n`)
  const cards = ids.map(record)
  const files: Record<string, string> = {
    'sets/sets.ndjson': sets.join(''),
    'cards/a.ndjson': cards.slice(0, 3).join(''),
    'cards/b.ndjson.gz': cards.slice(3).join(''),
    'history/10.csv': historyRows('10'),
    'history/11.csv.gz': historyRows('11'),
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }
}

/** `file:line: field: what is wrong`, how many there are, or what is wrong with the whole. */
const problemLine = /^(\S.*:\d+: \S+: \S.*|\d+ problems?\b.*|[^:]*\b(cards?|sets?)\b.*)$/s

const snapshots: Reader = {
  prepare: smallSnapshot,
  run: async (random, folder, scratch) => {
    const names = filesBelow(folder)
    const name = drawFrom(random, names)
    const content = damagedText(random, name, readFileSync(join(folder, name)))
    copied(folder, join(scratch, 'snapshots'), new Map([[name, content]]))
    const indexDir = join(scratch, 'indexes')
    mkdirSync(indexDir)
    return refusedBy(SnapshotError, async () => {
      try {
        const { manifest } = await build(join(scratch, 'snapshots'), indexDir, new Progress())
        ask(await openDataset(await loadVersion(indexDir, manifest.version)))
      } catch (error) {
        if ((await readCurrent(indexDir)) !== undefined) throw new Error('published and then failed', { cause: error })
        if (error instanceof SnapshotError) {
          for (const line of error.lines)
            if (!problemLine.test(line) || /[\r\n]/.test(line)) throw new Error(`a problem without its place: ${line}`)
        }
        throw error
      }
    })
  },
}

const idList = new IdList(ids.length)

/** A server's reads of a version, for every card. */
function ask({ catalog, search, history, changes }: Dataset): void {
  for (const id of [...ids, 'nobody', '']) {
    catalog.detailsOf(id)
    const card = catalog.find(id)
    if (card === -1) continue
    for (const days of [7, 365, Number.POSITIVE_INFINITY]) history.body(card, id, '"days":1', days)
    changes.body(card, id)
  }
  for (const game of [-1, 0, 2]) {
    const movement = { period: 1, direction: 0, by: 'amount', minCents: 5 } as const
    changes.moversPage(search.movers({ game, set: 'base1' }, movement, 20, 0), 1, 20, 0)
    changes.moversPage(search.movers({ game, set: undefined }, movement, 20, 0), 1, 20, 0)
  }
  idList.takeAll(ids)
  for (const view of views) catalog.batch(idList, view)
  catalog.games()
  for (let game = -1; game < 8; game++) catalog.setsPage(game, 200, 0)
  for (const name of ['pikachu', 'p', 'lotu', 'リザ', 'urzas saga', 'pikachx', '_', 'black lotsu']) {
    for (const filter of [{}, { set: 'base1' }, { set: 'Set lea', rarity: 'rare' }, { rarity: 'rare' }]) {
      const asked = { game: -1, set: undefined, rarity: undefined, ...filter }
      catalog.cardsPage(search.find(name, asked, 20, 0), 'summary', 20, 0)
    }
    askLists({ catalog, search }, name)
  }
}

function askLists({ catalog, search }: Pick<Dataset, 'catalog' | 'search'>, name: string): void {
  catalog.suggestions(search.suggest(name, -1, 20))
  const everything = { game: -1, set: undefined, rarity: undefined }
  for (const sort of sorts) {
    for (const filter of [{ number: '1' }, { minCents: 5, maxCents: 500 }, { game: 2 }, { set: 'base1' }]) {
      const asked = { ...everything, ...filter }
      catalog.cardsPage(search.find(name, asked, 20, 0, sort), 'full', 20, 0)
      catalog.cardsPage(search.list(asked, {}, 20, 0, sort), 'full', 20, 0)
    }
    for (let product = 0; product < 9; product++) search.list(everything, { tcgplayer: product }, 20, 0, sort)
  }
}

const indexes: Reader = {
  prepare: async (folder) => {
    const source = join(folder, 'snapshots')
    const indexDir = join(folder, 'indexes')
    await smallSnapshot(source)
    mkdirSync(indexDir)
    await build(source, indexDir, new Progress())
    rmSync(source, { recursive: true })
  },
  run: async (random, folder, scratch) => {
    const version = (await readCurrent(join(folder, 'indexes')))!
    const place = join(folder, 'indexes', version)
    const name = drawFrom(random, readdirSync(place).sort())
    const content = damaged(random, readFileSync(join(place, name)))
    copied(place, join(scratch, version), new Map([[name, content]]))
    const outcome = await refusedBy(IndexError, async () => ask(await openDataset(await loadVersion(scratch, version))))
    const changed = !content.equals(readFileSync(join(place, name)))
    if (outcome === 'accepted' && changed && name.endsWith('.msgpack')) {
      throw new Error(`${name} is accepted with a wrong checksum`)
    }
    return outcome
  },
}

const accountCount = 60
const storeFile = 'accounts.db'

const stores: Reader = {
  prepare: async (folder) => {
    const store = new Store(folder)
    for (let i = 0; i < accountCount; i++) {
      createAccount(store, `account ${i}`, 'trader', Date.now())
      for (let key = 0; key < i % 4; key++) createKey(store, `account ${i}`, `key ${key}`, null, Date.now())
    }
    await store.close()
  },
  run: async (random, folder, scratch) => {
    const content = damaged(random, readFileSync(join(folder, storeFile)))
    writeFileSync(join(scratch, storeFile), content)
    // Leftovers of a killed process.
    if (drawBelow(random, 2) === 0) {
      writeFileSync(join(scratch, `${storeFile}-wal`), damaged(random, readFileSync(join(folder, storeFile))))
    }
    return refusedBy(AccountsError, async () => {
      const store = new Store(scratch)
      try {
        useStore(store)
      } finally {
        await store.close()
      }
    })
  },
}

/** The uses of it by commands and servers, from reading all to a change. */
function useStore(store: Store): void {
  const now = Date.now()
  for (const { account } of listAccounts(store, 1, now)) {
    const number = store.accountNumber(account)
    if (number !== undefined) listKeys(store, number).map(({ hash }) => store.keyInUse(Buffer.from(hash, 'hex')))
  }
  createKey(store, 'account 7', 'one more', null, now)
  setPlan(store, 'account 8', 'business')
  createAccount(store, 'newcomer', 'free', now)
}

export const readers: Readonly<Record<string, Reader>> = { snapshots, indexes, stores }
