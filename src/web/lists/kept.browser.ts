/**
 * The lists that this browser keeps, each under its own key in localStorage. The server gets a list only to value it.
 * An entry that this script can't read is never overwritten; it can be downloaded or deleted.
 *
 *   card-prices-list:3f9c…  ►  {"version":1,"name":…,"text":…,"game":…,"columns":…,"choices":…,"valued":…,"before":…}
 */

export const keptListsMax = 20
export const keptBytesMax = 4 * 2 ** 20
/** From this share of either bound on, the page warns that the storage is nearly full. */
const nearlyFull = 0.8

export const prefix = 'card-prices-list:'
const version = 1
const fileFormat = 'card-prices-lists'

/** A valued line. The key is the page's key of the line (`keyOf`). The cents are null if the price was unknown. */
export type KeptLine = readonly [key: string, quantity: number, id: string | null, cents: number | null]

export interface Valued {
  /** A moment as `Date.toISOString` writes it. */
  readonly at: string
  readonly currency: string
  /** Null if there was no total, because columns were unsure. */
  readonly cents: number | null
  readonly cards: number
  readonly lines: readonly KeptLine[]
}

/** What a list was worth on an earlier day. The amounts are in the order of `valued.lines`. */
export interface Before {
  readonly at: string
  readonly currency: string
  readonly amounts: readonly (number | null)[]
}

export interface KeptList {
  readonly version: typeof version
  readonly name: string
  readonly text: string
  readonly game: string
  /** The columns' names and fields if a person chose the fields, else null. */
  readonly columns: readonly (readonly [name: string, field: string])[] | null
  /** The chosen cards by the keys of their lines. */
  readonly choices: readonly (readonly [key: string, id: string])[]
  readonly valued: Valued
  readonly before: Before | null
}

export interface Kept {
  readonly key: string
  readonly raw: string
  /** Undefined if this script can't read it. */
  readonly list: KeptList | undefined
  /** True if a later version of the pages wrote it. */
  readonly isLater: boolean
}

/** The message is a sentence for the person: why the list can't be kept. */
export class NotKept extends Error {}

const refused =
  'This browser does not let the page keep anything, perhaps because of a setting for cookies or a private window.'

/** Returns the browser's storage. Throws NotKept if the browser refuses access. */
function storage(): Storage {
  try {
    return localStorage
  } catch {
    throw new NotKept(refused)
  }
}

/** Returns all lists, sorted by name; none if the browser refuses access. */
export function keptLists(): Kept[] {
  const found: Kept[] = []
  try {
    const all = storage()
    for (let i = 0; i < all.length; i++) {
      const key = all.key(i)
      const raw = key?.startsWith(prefix) ? all.getItem(key) : null
      if (key !== null && raw !== null) found.push(keptIn(key, raw))
    }
  } catch {
    return []
  }
  return found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : a.key < b.key ? -1 : 1))
}

/** Returns the list; undefined if it is gone, because the browser or another tab has removed it. */
export function keptList(key: string): Kept | undefined {
  return keptLists().find((one) => one.key === key)
}

export const nameOf = ({ list }: Kept): string => list?.name ?? ''

function keptIn(key: string, raw: string): Kept {
  try {
    const value = JSON.parse(raw)
    return { key, raw, list: isList(value) ? value : undefined, isLater: value?.version > version }
  } catch {
    return { key, raw, list: undefined, isLater: false }
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isCents = (value: unknown) => value === null || Number.isFinite(value)
const isPairs = (value: unknown) =>
  Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))

function isList(value: KeptList | null): value is KeptList {
  if (value === null || typeof value !== 'object' || value.version !== version) return false
  const { name, text, game, columns, choices, valued, before } = value
  const hasTexts = [name, text, game].every(isText) && isPairs(choices) && (columns === null || isPairs(columns))
  return hasTexts && isValued(valued) && (before === null || isBefore(before))
}

const isMoment = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(value))

function isValued(value: Valued | undefined): boolean {
  if (!isMoment(value?.at) || !isText(value?.currency)) return false
  const { cents, cards, lines } = value
  return (
    isCents(cents) &&
    Number.isFinite(cards) &&
    Array.isArray(lines) &&
    lines.every(
      (line) =>
        Array.isArray(line) &&
        isText(line[0]) &&
        Number.isFinite(line[1]) &&
        (line[2] === null || isText(line[2])) &&
        isCents(line[3]),
    )
  )
}

const isBefore = (value: Before): boolean =>
  isMoment(value.at) && isText(value.currency) && Array.isArray(value.amounts) && value.amounts.every(isCents)

const bytesOf = (raw: string): number => new Blob([raw]).size

interface Fill {
  readonly lists: number
  readonly bytes: number
  readonly isNearlyFull: boolean
}

export function fill(lists: readonly Kept[]): Fill {
  const bytes = lists.reduce((sum, { raw }) => sum + bytesOf(raw), 0)
  const isNearlyFull = lists.length >= keptListsMax * nearlyFull || bytes >= keptBytesMax * nearlyFull
  return { lists: lists.length, bytes, isNearlyFull }
}

/**
 * Writes a list. Throws NotKept if there is no room, or if the browser refuses access.
 * @param key the key of the list that it replaces; by default a new key
 */
export function keep(list: KeptList, key: string = newKey()): string {
  write(key, JSON.stringify(list))
  return key
}

function write(key: string, raw: string): void {
  const others = keptLists().filter((one) => one.key !== key)
  const { lists, bytes } = fill(others)
  if (lists >= keptListsMax) {
    throw new NotKept(
      `This device keeps at most ${keptListsMax} lists. Download them, and delete one that you no longer need.`,
    )
  }
  if (bytes + bytesOf(raw) > keptBytesMax) {
    throw new NotKept(
      `All lists together have at most ${keptBytesMax / 2 ** 20} MB on this device. Download them, and delete one that you no longer need.`,
    )
  }
  try {
    storage().setItem(key, raw)
  } catch (error) {
    const isFull = (error as Error).name === 'QuotaExceededError'
    throw error instanceof NotKept
      ? error
      : new NotKept(isFull ? 'This browser has no more room for the page’s lists.' : refused)
  }
}

/** Returns a random key, so that two tabs never write under the same key. */
const newKey = (): string =>
  prefix + [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Throws NotKept. */
export const remove = (key: string): void => storage().removeItem(key)

/** Puts back a list that was removed. Throws NotKept. */
export const putBack = ({ key, raw }: Kept): void => write(key, raw)

/** Returns the content of a file with all lists, including those that this script can't read. */
export const fileOf = (lists: readonly Kept[]): string =>
  JSON.stringify({ format: fileFormat, version, lists: lists.map(({ key, raw }) => ({ key, raw })) })

export interface Restored {
  readonly added: number
  readonly known: number
  /** Why the lists counted in `left` could not be added. */
  readonly reason: string | undefined
  readonly left: number
}

/**
 * Adds the lists of a file. A list whose key is taken by a different list gets a new key, so none is replaced. Throws
 * NotKept.
 */
export function restore(text: string): Restored {
  const lists = listsIn(text)
  let [added, known, left] = [0, 0, 0]
  let reason: string | undefined
  for (const { key, raw } of lists) {
    const own = keptLists().find((one) => one.key === key)
    if (own?.raw === raw) known++
    else {
      try {
        write(own === undefined ? key : newKey(), raw)
        added++
      } catch (error) {
        left++
        reason = (error as Error).message
      }
    }
  }
  return { added, known, left, reason }
}

function listsIn(text: string): readonly { readonly key: string; readonly raw: string }[] {
  let file: { format?: unknown; version?: unknown; lists?: unknown } | null
  try {
    file = JSON.parse(text)
  } catch {
    file = null
  }
  if (file?.format !== fileFormat) throw new NotKept('This is no file of kept lists.')
  const isKnown =
    file.version === version &&
    Array.isArray(file.lists) &&
    file.lists.every((one) => isText(one?.key) && one.key.startsWith(prefix) && isText(one.raw))
  if (!isKnown) throw new NotKept('This file of kept lists is damaged, or of a later version of these pages.')
  return file.lists as { key: string; raw: string }[]
}

/** Returns the day of a moment in the reader's language and time zone. */
export const dayText = (at: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(at))

/** Returns the amounts with which a new value is compared: those of the last earlier day, if there are any. */
export function earlier({ valued, before }: KeptList, now: Date): Before {
  const isSameDay = dayText(valued.at) === dayText(now.toISOString())
  const { at, currency, lines } = valued
  return isSameDay && before !== null ? before : { at, currency, amounts: lines.map(([, , , cents]) => cents) }
}

/** Returns the list with new values, and keeps the amounts of the last earlier day for comparison. */
export function withValues(list: KeptList, valued: Valued): KeptList {
  const last = earlier(list, new Date(valued.at))
  const amounts = amountsOf(list, last)
  const { at, currency } = last
  return { ...list, valued, before: { at, currency, amounts: valued.lines.map(([key]) => amounts.get(key) ?? null) } }
}

/** Returns the known amounts, by the keys of their lines. */
export function amountsOf({ valued: { lines } }: KeptList, { amounts }: Before): ReadonlyMap<string, number> {
  const known = new Map<string, number>()
  for (const [i, [key]] of lines.entries()) {
    const cents = amounts[i]
    if (cents != null) known.set(key, cents)
  }
  return known
}
