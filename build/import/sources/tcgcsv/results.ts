/** The records of a file `{"totalItems":254,"success":true,"errors":[],"results":[…]}`; prices have no `totalItems`. */
import * as v from 'valibot'
import type { GameSlug } from '../../../../src/games.ts'
import type { ImportErrors } from '../../import-errors.ts'
import type { Report } from '../../import-report.ts'
import { FileRecords, issueIn } from '../../read/file-records.ts'
import { readValues } from '../../read/json.ts'
import type { InputFile } from '../../read/open.ts'
import { envelopeSchema } from './tcgcsv-schemas.ts'

/** Counts each element of `results`, and calls `onRecord` with it. */
export async function readResults(
  file: InputFile,
  game: GameSlug | null,
  { errors, report }: { readonly errors: ImportErrors; readonly report: Report },
  onRecord: (record: unknown, place: string, records: FileRecords) => void,
): Promise<void> {
  const records = new FileRecords(file.path, game, errors, report)
  const envelope: Record<string, unknown> = {}
  let total = 0
  const onValue = (place: string | number, record: unknown): void => {
    if (typeof place === 'string') return
    total++
    records.count()
    onRecord(record, `results[${place}]`, records)
  }
  const onRootMember = (key: string | number, value: unknown): void => {
    envelope[key] = value
  }
  if (!(await readValues(file, 'results', errors, { onValue, onRootMember }))) return
  const checked = v.safeParse(envelopeSchema, envelope)
  if (!checked.success) {
    const [path, wrong, found] = issueIn(checked.issues)
    errors.add(file.path, path!, wrong, found)
  }
  const { totalItems } = envelope
  if (typeof totalItems === 'number' && totalItems !== total)
    report.doubtful(game, file.path, 'totalItems', `the file has ${total} records`, `${totalItems}`)
  records.end()
}
