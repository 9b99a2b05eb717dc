/**
 * A change as it goes over the wire and stands in the store's log:
 *
 *   | chain, 32 hex digits | place's bytes 4 | place | record's bytes 4 | record | …      numbers big-endian
 *
 * A record of no bytes is one that was removed; else it is msgpack, or a counter's digits.
 *
 * The chain is a hash over the chain before and the records, so two histories that parted never share one again.
 */
import { hash, randomBytes } from 'node:crypto'
import { pack, unpack } from 'msgpackr'
import { feedChangeBytesMax } from '../../limits.ts'
import { AccountsError } from '../../store/accounts-error.ts'
import { type Changed, type Numbered, placeOf } from '../../store/changed.ts'
import { type Account, isAccount, isStoredKey, keyRecord, type StoredKey, storedKey } from '../../store/records.ts'

const chainChars = 32
const lengthBytes = 4

export interface Entry {
  readonly chain: string
  /** Of the records alone. */
  readonly records: Buffer
}

/** Of a history that begins. */
export const newChain = (): string => randomBytes(chainChars / 2).toString('hex')

export function entryOf(chainBefore: string, changed: readonly Changed[]): Entry {
  const records = Buffer.concat(
    changed.flatMap((each) => [Buffer.from(placeOf(each)), bytesOf(each)]).flatMap((part) => [lengthOf(part), part]),
  )
  const chain = hash('sha256', Buffer.concat([Buffer.from(chainBefore), records]), 'hex').slice(0, chainChars)
  return { chain, records }
}

/** What the log keeps of it: of a large one the chain alone. */
export const loggedBytes = (entry: Entry): Buffer =>
  Buffer.concat([Buffer.from(entry.chain), isKept(entry) ? entry.records : Buffer.alloc(0)])

export const isKept = ({ records }: Entry): boolean => records.length <= feedChangeBytesMax

/** What stands in the log. Throws AccountsError. */
export function entryIn(logged: Buffer): { readonly chain: string; readonly changed: readonly Changed[] } {
  const chain = logged.toString('latin1', 0, chainChars)
  const changed: Changed[] = []
  for (let at = chainChars; at < logged.length; ) {
    const place = partAt(logged, at)
    const record = partAt(logged, at + lengthBytes + place.length)
    changed.push(changedOf(place.toString('utf8'), record))
    at += 2 * lengthBytes + place.length + record.length
  }
  return { chain, changed }
}

function lengthOf(part: Buffer): Buffer {
  const bytes = Buffer.alloc(lengthBytes)
  bytes.writeUInt32BE(part.length)
  return bytes
}

function partAt(bytes: Buffer, at: number): Buffer {
  const start = at + lengthBytes
  const end = start > bytes.length ? Number.POSITIVE_INFINITY : start + bytes.readUInt32BE(at)
  if (end > bytes.length) throw damaged()
  return bytes.subarray(start, end)
}

/** A record as the store has it. */
export function bytesOf(changed: Changed): Buffer {
  if (changed.type === 'counter') return Buffer.from(String(changed.value))
  const { record } = changed
  if (record === undefined) return Buffer.alloc(0)
  return changed.type === 'account' ? pack(record) : pack(storedKey(changed.record!))
}

/** The same read. Throws AccountsError if it is none. */
export function changedOf(place: string, bytes: Uint8Array): Changed {
  const [mark, name] = [place.slice(0, 2), place.slice(2)]
  const isRemoved = bytes.length === 0
  if (mark === 'a:') {
    const record = isRemoved ? undefined : (unpacked(bytes) as Account)
    if (record !== undefined && !(isAccount(record) && record.number === Number(name))) throw damaged()
    return { type: 'account', number: Number(name), record }
  }
  if (mark === 'k:') {
    const stored = isRemoved ? undefined : (unpacked(bytes) as StoredKey)
    if (stored !== undefined && !isStoredKey(stored)) throw damaged()
    return { type: 'key', keyId: name, record: stored && keyRecord(stored) }
  }
  const value = Number(Buffer.from(bytes).toString('latin1'))
  if (mark !== 'c:' || !(name === 'nextAccount' || name === 'nextKey') || !Number.isSafeInteger(value)) throw damaged()
  return { type: 'counter', name: name satisfies Numbered, value }
}

function unpacked(bytes: Uint8Array): unknown {
  try {
    return unpack(bytes)
  } catch {
    throw damaged()
  }
}

const damaged = () =>
  new AccountsError("the accounts' store holds a damaged record: restore a backup of it, or push a copy")
