/** The cards and sets of a snapshot, read, checked and put in order. */
import { createHash, type Hash } from 'node:crypto'
import { Checksum } from '../../src/checksum.ts'
import { lineBytesMax } from '../../src/limits.ts'
import type { CardBlock, CompiledBlock } from '../compile/cards.ts'
import { ContentFingerprint } from '../compile/fingerprint.ts'
import { orderSets, setKey } from '../compile/order.ts'
import type { TextsFile } from '../compile/texts-file.ts'
import { compiler } from '../publish/compiler.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { CardIds, type IdPlace } from './card-ids.ts'
import { chunkBytes, type SnapshotFile, sha256Of, snapshotFiles } from './files.ts'
import { readBlocks, readRecords } from './ndjson.ts'
import { type FoundProblems, inLineOrder, Problems, shown } from './problems.ts'
import type { SetRecord } from './records.ts'
import { checkSet } from './schema.ts'

interface SourceFiles {
  readonly sets: readonly SnapshotFile[]
  readonly cards: readonly SnapshotFile[]
}

/** A card that was checked and rendered: the block it came in, and as the how manieth. Its texts are in the file of texts. */
export interface Card {
  readonly block: CardBlock
  readonly place: number
}

export interface CardsAndSets {
  /** In list order. */
  readonly sets: readonly SetRecord[]
  /** In the order of files and lines. */
  readonly cards: readonly Card[]
  /** Of both (fingerprint.ts). */
  readonly steady: string
  /** The date of the newest `updatedAt`, null if no card has one. */
  readonly newestUpdate: string | null
  /** Of the bytes that were read, as `catalogSource` has it. */
  readonly source: string
}

export async function sourceFiles(snapshots: string, problems: Problems): Promise<SourceFiles> {
  return {
    sets: await snapshotFiles(snapshots, 'sets', 'ndjson', problems),
    cards: await snapshotFiles(snapshots, 'cards', 'ndjson', problems),
  }
}

/**
 * SHA-256 over the compiler, the currency, and the files' names and contents: equal ones give equal index files. Undefined if a file
 * can't be read; reading the records then says why.
 */
export async function catalogSource(files: SourceFiles, currency: string | null): Promise<string | undefined> {
  const source = startSource(currency)
  for (const file of [...files.sets, ...files.cards]) {
    const content = await sha256Of(file)
    if (content === undefined) return undefined
    addSource(source, file, content)
  }
  return source.digest('hex')
}

const startSource = (currency: string | null): Hash =>
  createHash('sha256').update(`${compiler()}\n${JSON.stringify(currency)}\n`)

const addSource = (source: Hash, file: SnapshotFile, content: string): Hash =>
  source.update(`${file.name} ${content}\n`)

/** So many blocks are read ahead of the work, for each that works. */
const blocksAhead = 2
/** What is read at a time, and the beginning of a line before it. */
const blockBytes = chunkBytes + lineBytesMax

/**
 * Reads all records; what is wrong goes to `problems`.
 * @param currency of all prices, null if it is unknown
 * @param texts gets what is sent of the cards
 * @param steadyBefore of a version: if it is the same now, its ids, which are unique, are those of now
 */
export async function readCardsAndSets(
  files: SourceFiles,
  currency: string | null,
  problems: Problems,
  crew: WorkerPool,
  texts: TextsFile,
  steadyBefore?: string,
): Promise<CardsAndSets> {
  const source = startSource(currency)
  crew.expect(files.cards.reduce((sum, { bytes }) => sum + bytes, 0))
  const sets = await readSets(files.sets, source, problems)
  crew.prepare('cards', { sets, texts: texts.memory, currency })
  const steadySum = new ContentFingerprint(sets)
  const blocks: CardBlock[] = []
  const found: FoundProblems[] = []
  /** Memory for blocks that is free. */
  const rooms: Uint8Array[] = []
  // What was begun is taken in the order of files and lines, whichever is ready first.
  const ahead: (Promise<CompiledBlock> | FoundProblems)[] = []
  const takeNext = async () => {
    const next = ahead.shift()!
    if ('count' in next) found.push(next)
    else {
      const compiled = await next
      steadySum.add(compiled)
      const { steady, ...block } = compiled
      blocks.push(block)
      found.push(block.problems)
    }
  }
  for (const file of files.cards) {
    const content = new Checksum()
    const stopped = new Problems()
    for await (const block of readBlocks(file, stopped, (piece) => content.add(piece))) {
      const room = rooms.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes))
      room.set(block.bytes)
      const compiled = crew.do('cards', { ...block, bytes: room.subarray(0, block.bytes.length) })
      ahead.push(compiled)
      void compiled.then(
        () => rooms.push(room),
        () => undefined,
      )
      if (ahead.length > blocksAhead * crew.size) await takeNext()
    }
    ahead.push(stopped.found)
    addSource(source, file, content.end().sha256)
  }
  while (ahead.length > 0) await takeNext()
  const cards = blocks.flatMap((block) => Array.from(block.lines, (_, place): Card => ({ block, place })))
  const steady = steadySum.end()
  const twice = steady === steadyBefore ? new Map<FoundProblems, Problems>() : foundTwice(cards)
  for (const one of found) problems.append(twice.has(one) ? inLineOrder(one, twice.get(one)!.found) : one)
  const newestUpdate = blocks.reduce(
    (newest: string | null, { newestUpdate: date }) =>
      date !== null && (newest === null || date > newest) ? date : newest,
    null,
  )
  return { sets, cards, steady, newestUpdate, source: source.digest('hex') }
}

/** In list order. */
async function readSets(files: readonly SnapshotFile[], source: Hash, problems: Problems): Promise<SetRecord[]> {
  const sets: SetRecord[] = []
  const places = new Map<string, string>()
  for (const file of files) {
    const content = new Checksum()
    const take = (record: object, line: number) => {
      const set = checkSet(record, file.name, line, problems)
      if (set === undefined) return
      const earlier = claim(places, setKey(set.game, set.code), file.name, line)
      if (earlier === undefined) sets.push(set)
      else problems.add(file.name, line, 'code', `must be unique in its game, is also at ${earlier}`, shown(set.code))
    }
    await readRecords(file, problems, take, (piece) => content.add(piece))
    addSource(source, file, content.end().sha256)
  }
  return orderSets(sets)
}

/** The problems of cards whose id an earlier one has, too, by those of their blocks. */
function foundTwice(cards: readonly Card[]): Map<FoundProblems, Problems> {
  const twice = new Map<FoundProblems, Problems>()
  const onTwice = (ids: CardIds, number: number, earlierNumber: number) => {
    const { block, place } = cards[number]!
    const earlier = cards[earlierNumber]!
    const problems = twice.get(block.problems) ?? new Problems()
    twice.set(block.problems, problems)
    const wrong = `must be unique, is also at ${earlier.block.file}:${earlier.block.lines[earlier.place]}`
    problems.add(block.file, block.lines[place], 'id', wrong, shown(ids.text(number)))
  }
  CardIds.of(cards.length, (number) => idOf(cards[number]!), onTwice)
  return twice
}

export const idOf = ({ block, place }: Card): IdPlace => ({
  bytes: block.ids,
  start: block.idsAt[place]!,
  end: block.idsAt[place + 1]!,
})

/** Notes where `key` stands; returns where it stood before, if it did. */
function claim(places: Map<string, string>, key: string, file: string, line: number): string | undefined {
  const earlier = places.get(key)
  if (earlier === undefined) places.set(key, `${file}:${line}`)
  return earlier
}
