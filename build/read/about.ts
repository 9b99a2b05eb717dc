/** `about.json`: one JSON object that describes the data, beside the snapshot's folders. */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import type { About } from '../../src/indexes/about-file.ts'
import { readPlain } from '../../src/indexes/plain-file.ts'
import { aboutCharsMax, lineBytesMax } from '../../src/limits.ts'
import { cannotBeRead, snapshotFile } from './files.ts'
import { type Problems, shown } from './problems.ts'
import { wellFormed } from './schema.ts'

export const aboutName = 'about.json'

const mustBeText = 'must be a string or null'

/** Unknown is null, absent or empty. */
const optionalText = v.pipe(
  v.nullish(
    v.pipe(
      v.string(mustBeText),
      v.check((text) => text === '' || text.trim() !== '', 'must not be blank'),
      v.maxLength(aboutCharsMax, `must have at most ${aboutCharsMax} characters`),
      wellFormed,
    ),
    null,
  ),
  v.transform((text) => (text === '' ? null : text)),
)

export const aboutSchema = v.object({ currency: optionalText, title: optionalText, contact: optionalText })

/** The known fields; none if the file is missing. Adds what is wrong to `problems`. */
export async function readAbout(snapshots: string, problems: Problems): Promise<About> {
  const wrong = (field: string, what: string, found?: string): About => {
    problems.add(aboutName, undefined, field, what, found)
    return {}
  }
  const file = await snapshotFile(snapshots, aboutName, problems)
  if (file === undefined) return {}
  if (file.bytes > lineBytesMax) return wrong('file', `must be at most ${lineBytesMax} bytes`)
  let bytes: Buffer
  try {
    bytes = await readPlain(file.path)
  } catch (error) {
    return wrong('file', cannotBeRead(error))
  }
  if (!isUtf8(bytes)) return wrong('file', 'must be UTF-8')
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return wrong('file', 'must be JSON', shown(text))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong('file', 'must be a JSON object', shown(value))
  }
  const result = v.safeParse(aboutSchema, value)
  if (!result.success) {
    for (const issue of result.issues) wrong(v.getDotPath(issue)!, issue.message, shown(issue.input))
    return {}
  }
  return Object.fromEntries(Object.entries(result.output).filter(([, text]) => text !== null)) as About
}
