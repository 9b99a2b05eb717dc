/** Reads the lines of a list in turns with other work of the thread, within the bounds of lines. */
import { listLineCharsMax } from '../../limits.ts'
import type { KnownSets } from '../../lists/known-sets.ts'
import { type ReadList, type ReadOptions, readList } from '../../lists/read-list.ts'
import type { Turns } from '../shared/turns.ts'

interface Within {
  /** The most lines of a list. */
  readonly max: number
  readonly turns: Turns
  /** Reads the sets of the data; called only if a column needs them. */
  readonly setsOf: () => Promise<KnownSets>
}

/** Reads the lines of a list; undefined if there are more than `max`. */
export async function linesIn(text: string, reading: ReadOptions, within: Within): Promise<ReadList | undefined> {
  if (!isReadable(text, within.max)) return undefined
  const read = await readAsChosen(text, reading, within)
  if (read?.needsSets !== true) return read
  return readAsChosen(text, { ...reading, known: { ...reading.known, sets: await within.setsOf() } }, within)
}

/** If the chosen columns do not fit the list, because they were chosen for another list, they are ignored. */
async function readAsChosen(text: string, reading: ReadOptions, within: Within): Promise<ReadList | undefined> {
  try {
    return await readInTurns(text, reading, within)
  } catch (error) {
    if (reading.columns === undefined || !(error instanceof TypeError)) throw error
    return readInTurns(text, { ...reading, columns: undefined }, within)
  }
}

async function readInTurns(text: string, options: ReadOptions, { max, turns }: Within): Promise<ReadList | undefined> {
  const steps = readList(text, options)
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) {
    if (step.value > max) return undefined
    await turns.pause()
  }
  return step.value.lines.length > max ? undefined : step.value
}

/**
 * False if the text has too many lines, or a line that is too long. Blank lines and headings count here, so twice
 * `linesMax` lines are allowed.
 */
function isReadable(text: string, linesMax: number): boolean {
  let [feed, back] = [text.indexOf('\n'), text.indexOf('\r')]
  for (let [lines, from] = [1, 0]; ; lines++) {
    if (feed !== -1 && feed < from) feed = text.indexOf('\n', from)
    if (back !== -1 && back < from) back = text.indexOf('\r', from)
    const isLast = feed === -1 && back === -1
    const end = isLast ? text.length : Math.min(feed === -1 ? text.length : feed, back === -1 ? text.length : back)
    if (lines > 2 * linesMax || end - from > listLineCharsMax) return false
    if (isLast) return true
    from = end + (end === back && feed === back + 1 ? 2 : 1)
  }
}
