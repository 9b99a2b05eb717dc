/**
 * Writes a snapshot with more or fewer cards than another, or with more years of history. Without years, it has no
 * history. Copies have their own ids, set codes and names, so that words, names, lists and look-ups grow as with real
 * cards:
 *
 *   pokemon-base1-004    Charizard   set base1
 *   pokemon-base1-004-1  Djesobesf   set base1-1   the next vowel for each vowel, the next consonant for each consonant
 */
import { once } from 'node:events'
import { copyFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { gamesFile } from '../../build/games/folder-games.ts'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'

const yearDays = 365

export interface Scale {
  /** How many copies the snapshot has of each card. Below 1, such as 1/4, it has every fourth card. */
  readonly times: number
  /** Years of history: the last year's days, repeated with earlier dates. Default 0. */
  readonly years?: number
  /** How many different names a card's copies have. Further copies repeat them. By default each copy has its own. */
  readonly nameTimes?: number
}

interface Line {
  readonly id?: string
  readonly name: string
  readonly setCode?: string
  readonly code?: string
}

/** Writes the scaled snapshot of `from` into the folder `to`. */
export async function writeScaled(
  from: string,
  to: string,
  { times, years = 0, nameTimes = times }: Scale,
): Promise<void> {
  if (existsSync(join(from, gamesFile))) copyFileSync(join(from, gamesFile), join(to, gamesFile))
  if (years > 0) await writeYears(from, to, years)
  const copies = Math.max(1, Math.round(times))
  const every = Math.max(1, Math.round(1 / times))
  for (const folder of ['sets', 'cards']) {
    mkdirSync(join(to, folder), { recursive: true })
    const out = createWriteStream(join(to, folder, 'all.ndjson'))
    let number = 0
    for await (const line of linesIn(join(from, folder))) {
      if (folder === 'cards' && number++ % every !== 0) continue
      const text = Array.from({ length: copies }, (_, copy) => JSON.stringify(copyOf(line, copy, copy % nameTimes)))
      if (!out.write(`${text.join('\n')}\n`)) await once(out, 'drain')
    }
    out.end()
    await finished(out)
  }
}

/** Writes the history. Each earlier year is shifted by 365 days, so no day is repeated. */
async function writeYears(from: string, to: string, years: number): Promise<void> {
  const folder = join(from, 'history')
  mkdirSync(join(to, 'history'))
  const newest = await newestDay(folder)
  for (const name of filesIn(folder)) {
    let dateAt = -1
    const out = createWriteStream(join(to, 'history', name.replace(/\.gz$/, '')))
    for await (const line of linesOf(folder, name)) {
      const cells = line.split(',')
      if (dateAt === -1) {
        dateAt = cells.indexOf('date')
        out.write(`${line}\n`)
        continue
      }
      const day = dayOfDate(cells[dateAt]!)
      if (newest - day >= yearDays) continue
      for (let year = 0; year < years; year++) {
        const dated = cells.with(dateAt, dateOfDay(day - year * yearDays)).join()
        if (!out.write(`${dated}\n`)) await once(out, 'drain')
      }
    }
    out.end()
    await finished(out)
  }
}

async function newestDay(folder: string): Promise<number> {
  let newest = 0
  for (const name of filesIn(folder)) {
    for await (const line of linesOf(folder, name)) {
      const [date] = /\d{4}-\d\d-\d\d/.exec(line) ?? []
      if (date !== undefined) newest = Math.max(newest, dayOfDate(date))
    }
  }
  return newest
}

const filesIn = (folder: string): string[] => readdirSync(folder).sort()

async function* linesOf(folder: string, name: string): AsyncGenerator<string> {
  const file = createReadStream(join(folder, name))
  const input = name.endsWith('.gz') ? file.pipe(createGunzip()) : file
  for await (const line of createInterface({ input })) if (line !== '') yield line
}

async function* linesIn(folder: string): AsyncGenerator<Line> {
  for (const name of filesIn(folder)) for await (const line of linesOf(folder, name)) yield JSON.parse(line)
}

function copyOf({ id, name, setCode, code, ...line }: Line, copy: number, nameCopy: number): object {
  if (copy === 0) return { id, name, setCode, code, ...line }
  const numbered = (text: string | undefined) => (text === undefined ? undefined : `${text}-${copy}`)
  return {
    ...line,
    id: numbered(id),
    name: otherName(name, nameCopy),
    setCode: numbered(setCode),
    code: numbered(code),
    printing: printings[copy % printings.length],
    tcgplayerId: null,
  }
}

const printings = ['Normal', 'Holofoil', 'Reverse Holofoil', 'Foil']

const vowels = 'aeiou'
const consonants = 'bcdfghjklmnpqrstvwxyz'

/**
 * Returns the name with each vowel replaced by the vowel `copy` places further, and each consonant likewise. Once the
 * letters would repeat, appends the copy's number. The same name and copy have the same result.
 */
export function otherName(name: string, copy: number): string {
  if (copy === 0) return name
  let period = 1
  const other = name.replace(/[a-z]/gi, (letter) => {
    const small = letter.toLowerCase()
    const letters = vowels.includes(small) ? vowels : consonants
    period = Math.max(period, letters.length)
    const next = letters[(letters.indexOf(small) + copy) % letters.length]!
    return small === letter ? next : next.toUpperCase()
  })
  return copy < period ? other : `${other} ${copy}`
}
