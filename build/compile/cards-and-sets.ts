/** Reads a snapshot's sets and cards, and has the workers check and render the cards. */
import { createHash, type Hash } from 'node:crypto'
import { Checksum } from '../../src/checksum.ts'
import { lineBytesMax } from '../../src/limits.ts'
import { CardIds } from '../read/card-ids.ts'
import { chunkBytes, type SnapshotFile, sha256Of, snapshotFiles } from '../read/files.ts'
import { readBlocks, readRecords } from '../read/ndjson.ts'
import { type FoundProblems, inLineOrder, Problems, shown } from '../read/problems.ts'
import { checkSet, type SetRecord } from '../read/schema.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { compiler } from './base.ts'
import { type Card, type CardBlock, idOf } from './card-block.ts'
import { cardsJob } from './cards.ts'
import { orderSets, setKey } from './order.ts'
import type { TextsFile } from './texts-file.ts'

interface SourceFiles {
  readonly sets: readonly SnapshotFile[]
  readonly cards: readonly SnapshotFile[]
}

interface CardsAndSets {
  /** In list order. */
  readonly sets: readonly SetRecord[]
  /** In the order of files and lines. */
  readonly cards: readonly Card[]
  /**
   * SHA-256 over the sets and all cards' fields that do not change with prices. If it equals the base's, the base's order,
   * search and ids are reused.
   */
  readonly fingerprint: string
  /** Of the bytes that were read, as `catalogSource` returns it. */
  readonly source: string
}

export async function sourceFiles(snapshots: string, problems: Problems): Promise<SourceFiles> {
  return {
    sets: await snapshotFiles(snapshots, 'sets', 'ndjson', problems),
    cards: await snapshotFiles(snapshots, 'cards', 'ndjson', problems),
  }
}

/**
 * SHA-256 over the compiler, the currency, and the files' names and contents: if two are equal, so are the index files. Undefined
 * if a file can't be read; reading its records then reports why.
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

/** Blocks that are read before their results are taken, for each worker. */
const blocksAhead = 2
/** A chunk, and the start of a line from the chunk before. */
const blockBytes = chunkBytes + lineBytesMax

/**
 * Reads all records, and adds what is wrong to `problems`.
 * @param currency of all prices, null if unknown
 * @param texts the cards are rendered into it
 * @param fingerprintBefore the base's: if it is unchanged, the ids are unique, as they were
 */
export async function readCardsAndSets(
  files: SourceFiles,
  currency: string | null,
  problems: Problems,
  pool: WorkerPool,
  texts: TextsFile,
  fingerprintBefore?: string,
): Promise<CardsAndSets> {
  const source = startSource(currency)
  pool.expect(files.cards.reduce((sum, { bytes }) => sum + bytes, 0))
  const sets = await readSets(files.sets, source, problems)
  pool.prepare(cardsJob, { sets, texts: texts.memory, currency })
  const fields = createHash('sha256').update(JSON.stringify(sets))
  const blocks: CardBlock[] = []
  const found: FoundProblems[] = []
  const freeBuffers: Uint8Array[] = []
  // Results are taken in the order of files and lines, whichever is ready first.
  const ahead: (Promise<CardBlock> | FoundProblems)[] = []
  const takeNext = async () => {
    const next = ahead.shift()!
    if ('count' in next) found.push(next)
    else {
      const block = await next
      fields.update(block.documents)
      blocks.push(block)
      found.push(block.problems)
    }
  }
  for (const file of files.cards) {
    const content = new Checksum()
    const stopped = new Problems()
    for await (const block of readBlocks(file, stopped, (chunk) => content.add(chunk))) {
      const buffer = freeBuffers.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes))
      buffer.set(block.bytes)
      const compiled = pool.run(cardsJob, { ...block, bytes: buffer.subarray(0, block.bytes.length) })
      ahead.push(compiled)
      void compiled.then(
        () => freeBuffers.push(buffer),
        () => undefined,
      )
      if (ahead.length > blocksAhead * pool.size) await takeNext()
    }
    ahead.push(stopped.found)
    addSource(source, file, content.end().sha256)
  }
  while (ahead.length > 0) await takeNext()
  const cards = blocks.flatMap((block) => Array.from(block.lines, (_, row): Card => ({ block, row })))
  const fingerprint = fields.digest('hex')
  const duplicates = fingerprint === fingerprintBefore ? new Map<FoundProblems, Problems>() : duplicateIds(cards)
  for (const one of found) problems.append(duplicates.has(one) ? inLineOrder(one, duplicates.get(one)!.found) : one)
  return { sets, cards, fingerprint, source: source.digest('hex') }
}

/** In list order. */
async function readSets(files: readonly SnapshotFile[], source: Hash, problems: Problems): Promise<SetRecord[]> {
  const sets: SetRecord[] = []
  /** `file:line` by the set's key. */
  const lines = new Map<string, string>()
  for (const file of files) {
    const content = new Checksum()
    const take = (record: object, line: number) => {
      const set = checkSet(record, file.name, line, problems)
      if (set === undefined) return
      const key = setKey(set.game, set.code)
      const earlier = lines.get(key)
      if (earlier === undefined) {
        lines.set(key, `${file.name}:${line}`)
        sets.push(set)
      } else problems.add(file.name, line, 'code', `must be unique in its game, is also at ${earlier}`, shown(set.code))
    }
    await readRecords(file, problems, take, (chunk) => content.add(chunk))
    addSource(source, file, content.end().sha256)
  }
  return orderSets(sets)
}

/** The problems of cards whose id an earlier card has, by the problems of their blocks. */
function duplicateIds(cards: readonly Card[]): Map<FoundProblems, Problems> {
  const duplicates = new Map<FoundProblems, Problems>()
  const onDuplicate = (ids: CardIds, number: number, earlierNumber: number) => {
    const { block, row } = cards[number]!
    const earlier = cards[earlierNumber]!
    const problems = duplicates.get(block.problems) ?? new Problems()
    duplicates.set(block.problems, problems)
    const wrong = `must be unique, is also at ${earlier.block.file}:${earlier.block.lines[earlier.row]}`
    problems.add(block.file, block.lines[row], 'id', wrong, shown(ids.text(number)))
  }
  CardIds.of(cards.length, (number) => idOf(cards[number]!), onDuplicate)
  return duplicates
}
