/**
 * `about.msgpack`: what the operator states about the data and the pages. Everything is in the head; there are no
 * columns. A version without an about.json has no such file.
 */
import * as v from 'valibot'
import { aboutCharsMax } from '../limits.ts'
import { planNames } from '../plans.ts'
import { indexFile } from './format.ts'
import type { VersionFiles } from './load.ts'

export const aboutFileName = 'about.msgpack'

export const logoTypes = { svg: 'image/svg+xml', png: 'image/png' } as const

const text = v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(aboutCharsMax)))
/** A field is absent if about.json lacks it. */
const schema = v.strictObject({
  currency: text,
  title: text,
  contact: text,
  /** False if only people with a session may use the look-up pages. */
  public: v.exactOptional(v.boolean()),
  /** The monthly price of each plan. */
  plans: v.exactOptional(v.record(v.picklist(planNames), v.number())),
  /** The origins from which the pages may show pictures. */
  images: v.exactOptional(v.array(v.string())),
  /** `#rrggbb` */
  accent: v.exactOptional(v.pipe(v.string(), v.regex(/^#[0-9a-f]{6}$/))),
  /** The address of the terms of use. */
  terms: text,
  /** The address of an external page about the state of the service, which replaces our own. */
  status: text,
  logo: v.exactOptional(
    v.strictObject({
      type: v.picklist(Object.values(logoTypes)),
      bytes: v.custom<Uint8Array>((value) => value instanceof Uint8Array),
    }),
  ),
})

export type About = v.InferOutput<typeof schema>
export type Logo = NonNullable<About['logo']>

/** The name of the service. */
export const titleOf = ({ title = 'Card price lookup' }: About): string => title

/** The contact as a URL or an email address if its text is one, else as a name. */
export function contactOf(contact: string): { readonly [kind in 'url' | 'email' | 'name']?: string } {
  if (/^https?:\/\/\S+$/.test(contact) && URL.canParse(contact)) return { url: contact }
  const email = contact.replace(/^mailto:/i, '')
  return /^[^\s@]+@[^\s@]+$/.test(email) ? { email } : { name: contact }
}

/** The contact's web or mail address, for a link. Undefined if the contact is neither, or missing. */
export function contactAddress({ contact }: About): string | undefined {
  const { url, email } = contact === undefined ? {} : contactOf(contact)
  return url ?? (email && `mailto:${email}`)
}

const { write, read } = indexFile('about', {}, schema)
export const writeAboutFile = write

/** The content of a version's about.json; empty if the version has none. Throws IndexError. */
export function aboutOf({ files }: VersionFiles): About {
  const bytes = files.get(aboutFileName)
  return bytes === undefined ? {} : read(bytes)
}
