/** The records of a file `{"totalItems":254,"success":true,"errors":[],"results":[…]}`; prices have no `totalItems`. */
import * as v from 'valibot'
import type { GameSlug } from '../../../../src/games.ts'
import { shown } from '../../../read/problems.ts'
import type { ImportErrors } from '../../errors.ts'
import { isSmall, parseJson, readValues } from '../../read/json.ts'
import { type InputFile, readWhole } from '../../read/open.ts'
import { FileRecords } from '../../read/records.ts'
import type { Report } from '../../report.ts'
import { envelopeSchema } from './shapes.ts'

/** Counts each element of `results`, and calls `onRecord` with it. False after an error. */
export async function readResults(
  file: InputFile,
  game: GameSlug | null,
  errors: ImportErrors,
  report: Report,
  onRecord: (record: unknown, place: number, records: FileRecords) => void,
): Promise<boolean> {
  const records = new FileRecords(file.path, game, errors, report)
  const errorsBefore = errors.count
  let total = 0
  const take = (record: unknown): void => {
    records.count()
    onRecord(record, total++, records)
  }
  const envelope: Record<string, unknown> = {}
  if (isSmall(file)) {
    const content = readWhole(file, errors)
    const value = content && parseJson(file.path, content, errors)
    if (errors.count > errorsBefore) return false
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      errors.add(file.path, 'line 1', 'must be an object with results', shown(value))
      return false
    }
    Object.assign(envelope, value)
    const results = envelope['results']
    if (Array.isArray(results)) for (const record of results) take(record)
  } else {
    const onResult = (place: string | number, value: unknown): void => {
      envelope['results'] = typeof place === 'number' ? [] : {}
      if (typeof place === 'number') take(value)
    }
    const onMember = (key: string | number, value: unknown): void => {
      envelope[key] = value
    }
    if (!(await readValues(file, 'results', errors, onResult, onMember))) return false
    // An empty array has no elements, so `onResult` was not called.
    envelope['results'] ??= []
  }
  const { results } = envelope
  if (!Array.isArray(results)) {
    const isMissing = results === undefined
    errors.add(
      file.path,
      'results',
      isMissing ? 'is missing' : 'must be an array',
      isMissing ? undefined : shown(results),
    )
    return false
  }
  const checked = v.safeParse(envelopeSchema, envelope)
  if (!checked.success) {
    const [issue] = checked.issues
    errors.add(file.path, v.getDotPath(issue) ?? 'line 1', issue.message, shown(issue.path?.[0]?.value))
  }
  const { totalItems } = envelope
  if (typeof totalItems === 'number' && totalItems !== total) {
    report.doubtful(game, file.path, 'totalItems', `the file has ${total} records`, `${totalItems}`)
  }
  records.end()
  return errors.count === errorsBefore
}
