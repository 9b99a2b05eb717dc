/** Reads the lines of a list in turns with other work of the thread, within the bounds of lines. */
import { listLineCharsMax } from '../../limits.ts'
import { type ReadList, type ReadOptions, readList } from '../../lists/read-list.ts'
import type { Turns } from '../shared/turns.ts'

/**
 * Reads the lines of a list; undefined if there are more than `max`. If the chosen columns do not fit the list, because
 * they were chosen for another list, they are ignored.
 */
export async function linesIn(
  text: string,
  reading: ReadOptions,
  max: number,
  turns: Turns,
): Promise<ReadList | undefined> {
  if (!isReadable(text, max)) return undefined
  try {
    return await readInTurns(text, reading, max, turns)
  } catch (error) {
    if (reading.columns === undefined || !(error instanceof TypeError)) throw error
    return readInTurns(text, { ...reading, columns: undefined }, max, turns)
  }
}

async function readInTurns(
  text: string,
  options: ReadOptions,
  max: number,
  turns: Turns,
): Promise<ReadList | undefined> {
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
