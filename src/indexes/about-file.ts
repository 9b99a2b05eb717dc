/**
 * `about.msgpack`: the operator's texts about the data, all in the head; there are no columns. A version without such texts
 * has no such file.
 */
import * as v from 'valibot'
import { aboutCharsMax } from '../limits.ts'
import { decodeIndexFile, encodeIndexFile, IndexError } from './format.ts'
import type { VersionFiles } from './version.ts'

const kind = 'about'
export const aboutFileName = 'about.msgpack'

const text = v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(aboutCharsMax)))
const schema = v.strictObject({ currency: text, title: text, contact: text })

/** Optional texts for people. */
export type About = v.InferOutput<typeof schema>

/** The name of the service. */
export const titleOf = ({ title = 'Card price lookup' }: About): string => title

/** The contact as a URL or an email address if its text is one, else as a name. */
export function contactOf(contact: string): { readonly [kind in 'url' | 'email' | 'name']?: string } {
  if (/^https?:\/\/\S+$/.test(contact) && URL.canParse(contact)) return { url: contact }
  const email = contact.replace(/^mailto:/i, '')
  return /^[^\s@]+@[^\s@]+$/.test(email) ? { email } : { name: contact }
}

export const writeAboutFile = (about: About): Uint8Array[] => encodeIndexFile(kind, about, {})

/** Throws IndexError. */
export function readAboutFile(bytes: Uint8Array): About {
  const { meta } = decodeIndexFile(kind, bytes, [])
  const result = v.safeParse(schema, meta)
  if (!result.success) throw new IndexError(`the about file is damaged (${v.getDotPath(result.issues[0])})`)
  return result.output
}

/** The texts of a version. Throws IndexError. */
export function aboutOf({ files }: VersionFiles): About {
  const bytes = files.get(aboutFileName)
  return bytes === undefined ? {} : readAboutFile(bytes)
}
