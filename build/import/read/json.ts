/** Reads JSON files: small ones are parsed whole, which is fastest, large ones are split as they stream. */
import { isUtf8 } from 'node:buffer'
import { unpackedBytesFree, unpackedTimesMax } from '../../../src/limits.ts'
import { shown } from '../../read/problems.ts'
import type { ImportErrors } from '../errors.ts'
import { jsonError } from './json-error.ts'
import { JsonSplitter, type OnBytes, SplitError } from './json-splitter.ts'
import { type InputFile, readChunks } from './open.ts'

const wholeBytesMax = 32 * 1024 * 1024
/** A smaller one unpacks to `unpackedBytesFree` at most. */
const wholePackedBytesMax = unpackedBytesFree / unpackedTimesMax

export const isSmall = (file: InputFile): boolean =>
  file.bytes <= (file.path.endsWith('.gz') ? wholePackedBytesMax : wholeBytesMax)

/** The value, or undefined after an error. */
export function parseJson(file: string, bytes: Buffer, errors: ImportErrors): unknown {
  if (!isUtf8(bytes)) {
    errors.add(file, `byte ${utf8End(bytes)}`, 'must be UTF-8')
    return undefined
  }
  const text = bytes.toString('utf8')
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (json.trim() === '') {
    errors.add(file, 'line 1', 'must be JSON', 'the file is empty')
    return undefined
  }
  try {
    return JSON.parse(json)
  } catch {
    const { place, cut } = jsonError(json)
    errors.add(file, place, cut ? 'the file is cut short' : 'must be JSON')
    return undefined
  }
}

type OnValue = (key: string | number, value: unknown) => void

/**
 * Streams the values of a file (json-splitter.ts), each parsed. False after an error.
 *
 * @param isEnough true if the rest need not be read; called after each chunk
 */
export async function readValues(
  file: InputFile,
  container: string,
  errors: ImportErrors,
  onValue: OnValue,
  onRootMember: OnValue,
  isEnough: () => boolean = () => false,
): Promise<boolean> {
  const errorsBefore = errors.count
  const parsed =
    (on: OnValue, within: string): OnBytes =>
    (key, bytes) => {
      const value = parseValue(bytes)
      if (value !== undefined) return on(key, value)
      errors.add(
        file.path,
        typeof key === 'number' ? `${within}[${key}]` : [within, key].filter(Boolean).join('.'),
        'must be JSON',
        shown(bytes.toString('utf8', 0, 200)),
      )
    }
  const splitter = new JsonSplitter(container, parsed(onValue, container), parsed(onRootMember, ''))
  try {
    const complete = await readChunks(file, errors, (chunk) => {
      splitter.take(chunk)
      return errors.count === errorsBefore && !isEnough()
    })
    if (complete) splitter.end()
  } catch (error) {
    if (!(error instanceof SplitError)) throw error
    const [place, ...wrong] = error.message.split(': ')
    errors.add(file.path, place!, wrong.join(': '))
  }
  return errors.count === errorsBefore
}

function parseValue(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The number of leading bytes that are UTF-8. */
export function utf8End(bytes: Buffer): number {
  let low = 0
  let high = bytes.length
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (
      isUtf8(bytes.subarray(0, middle)) ||
      isUtf8(bytes.subarray(0, middle - 1)) ||
      isUtf8(bytes.subarray(0, middle - 2)) ||
      isUtf8(bytes.subarray(0, middle - 3))
    )
      low = middle
    else high = middle - 1
  }
  return low
}
