/** The cards and sets of a snapshot, read, checked and put in order. */
import { createHash, type Hash } from 'node:crypto'
import { Checksum } from '../../src/checksum.ts'
import { orderCards, orderSets, setKey } from '../compile/order.ts'
import { compiler } from '../publish/compiler.ts'
import { type SnapshotFile, sha256Of, snapshotFiles } from './files.ts'
import { readRecords } from './ndjson.ts'
import { type Problems, shown } from './problems.ts'
import type { CardRecord, SetRecord } from './records.ts'
import { checkCard, checkSet } from './schema.ts'

interface SourceFiles {
  readonly sets: readonly SnapshotFile[]
  readonly cards: readonly SnapshotFile[]
}

interface CardsAndSets {
  /** In list order. */
  readonly sets: readonly SetRecord[]
  /** By card number. */
  readonly cards: readonly CardRecord[]
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
 * SHA-256 over the compiler and the files' names and contents: equal ones give equal index files. Undefined if a file
 * can't be read; reading the records then says why.
 */
export async function catalogSource(files: SourceFiles): Promise<string | undefined> {
  const source = startSource()
  for (const file of [...files.sets, ...files.cards]) {
    const content = await sha256Of(file)
    if (content === undefined) return undefined
    addSource(source, file, content)
  }
  return source.digest('hex')
}

const startSource = (): Hash => createHash('sha256').update(`${compiler()}\n`)

const addSource = (source: Hash, file: SnapshotFile, content: string): Hash =>
  source.update(`${file.name} ${content}\n`)

/** Reads all records; what is wrong goes to `problems`. */
export async function readCardsAndSets(files: SourceFiles, problems: Problems): Promise<CardsAndSets> {
  const source = startSource()
  const read = async (file: SnapshotFile, onRecord: (record: object, line: number) => void) => {
    const content = new Checksum()
    await readRecords(file, problems, onRecord, (piece) => content.add(piece))
    addSource(source, file, content.end().sha256)
  }
  const sets: SetRecord[] = []
  const setPlaces = new Map<string, string>()
  for (const file of files.sets) {
    await read(file, (record, line) => {
      const set = checkSet(record, file.name, line, problems)
      if (set === undefined) return
      const earlier = claim(setPlaces, setKey(set.game, set.code), file, line)
      if (earlier === undefined) sets.push(set)
      else problems.add(file.name, line, 'code', `must be unique in its game, is also at ${earlier}`, shown(set.code))
    })
  }
  const cards: CardRecord[] = []
  const cardPlaces = new Map<string, string>()
  for (const file of files.cards) {
    await read(file, (record, line) => {
      const card = checkCard(record, file.name, line, problems)
      if (card === undefined) return
      // Without any set, it is not the cards that are wrong.
      if (sets.length > 0 && !setPlaces.has(setKey(card.game, card.setCode))) {
        problems.add(file.name, line, 'setCode', 'must be the code of a set of its game', shown(card.setCode))
      }
      const earlier = claim(cardPlaces, card.id, file, line)
      if (earlier === undefined) cards.push(card)
      else problems.add(file.name, line, 'id', `must be unique, is also at ${earlier}`, shown(card.id))
    })
  }
  return { sets: orderSets(sets), cards: orderCards(cards, sets), source: source.digest('hex') }
}

/** Notes where `key` stands; returns where it stood before, if it did. */
function claim(places: Map<string, string>, key: string, file: SnapshotFile, line: number): string | undefined {
  const earlier = places.get(key)
  if (earlier === undefined) places.set(key, `${file.name}:${line}`)
  return earlier
}
