/**
 * Reads `about.json`, one JSON object in which the operator describes the data and the pages. Also reads the logo that
 * the file names.
 */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { isReadable } from '../../src/accent.ts'
import { type About, type Logo, logoTypes } from '../../src/indexes/about-file.ts'
import { readPlain } from '../../src/indexes/plain-file.ts'
import { aboutCharsMax, imageHostsMax, lineBytesMax, logoBytesMax, priceCentsMax } from '../../src/limits.ts'
import type { PlanName } from '../../src/plans.ts'
import { described } from './described.ts'
import { cannotBeRead, snapshotFile } from './files.ts'
import { jsonObject } from './ndjson.ts'
import { type Problems, shown } from './snapshot-problems.ts'
import { isWebAddress, plainObject, wellFormed } from './snapshot-schema.ts'

export const aboutName = 'about.json'

const mustBeText = 'must be a string or null'
const highestPrice = priceCentsMax / 100
const pngStart = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** A text that is empty, or that `isRight` accepts. If it is unknown, it is null, absent or empty. */
const optional = (isRight: (text: string) => boolean, mustBe: string) =>
  v.pipe(
    v.nullish(
      v.pipe(
        v.string(mustBeText),
        v.maxLength(aboutCharsMax, `must have at most ${aboutCharsMax} characters`),
        wellFormed,
        v.check((text) => text === '' || isRight(text), mustBe),
      ),
      null,
    ),
    v.transform((text) => (text === '' ? null : text)),
  )

const text = optional((text) => text.trim() !== '', 'must not be blank')
const address = optional(isWebAddress, 'must be an http or https address')

const price = v.nullish(
  v.pipe(
    v.number('must be a number or null'),
    v.check((value) => value >= 0 && value <= highestPrice, `must be from 0 to ${highestPrice}`),
    v.check((value) => Number(value.toFixed(2)) === value, 'must have at most two decimals'),
  ),
  null,
)

const plans = v.nullish(
  v.pipe(
    plainObject,
    v.object({
      free: described(price, 'The price of Free.', 0),
      trader: described(price, 'The price of Trader.', 14.99),
      business: described(price, 'The price of Business.', 89.99),
    } satisfies Record<PlanName, unknown>),
    v.transform((prices) => known(prices)),
  ),
  null,
)

const host = described(
  v.pipe(
    v.string('must be a string'),
    v.check((text) => originOf(text) !== undefined, 'must be https:// or http:// and a host, without a path'),
    v.transform((text) => originOf(text)!),
  ),
  'A host.',
  'https://images.example',
)

const mustBeHosts = `must be an array of at most ${imageHostsMax} hosts, or null`

const accent = v.pipe(
  optional(isColour, 'must be a colour, #3149c6'),
  v.check(
    (text) => text === null || !isColour(text) || isReadable(hexOf(text)),
    'must be darker: text in this colour needs a contrast of 4.5 with the light grounds of the pages',
  ),
  v.transform((text) => text && hexOf(text)),
)

export const aboutSchema = v.object({
  currency: described(text, 'What prices are in.', 'USD'),
  title: described(text, 'A name for the service.', 'Card prices'),
  contact: described(
    text,
    'Whom to ask: a mail or web address. The page `/` has a button *Ask for an account* that leads there.',
    'prices@shop.example',
  ),
  public: described(
    v.nullish(v.boolean('must be true, false or null'), null),
    'Whether people without an account may look cards up. Default: true.',
    true,
  ),
  plans: described(plans, 'What a plan costs a month, in `currency`.', { free: 0, trader: 14.99, business: 89.99 }),
  images: described(
    v.nullish(v.pipe(v.array(host, mustBeHosts), v.maxLength(imageHostsMax, mustBeHosts)), null),
    'Hosts whose pictures of cards the pages show. A picture from any other host is a link.',
    ['https://images.example'],
  ),
  accent: described(accent, 'The colour of links and buttons. The dark theme lightens it.', '#3149c6'),
  logo: described(
    optional(
      isLogoName,
      `must be the name of an SVG or PNG file in the snapshot folder, at most ${logoBytesMax / 1024} KB`,
    ),
    'A picture beside the title: the name of a file in the snapshot folder.',
    'logo.svg',
  ),
  terms: described(
    address,
    'The address of your terms of use. The foot of each page links to it.',
    'https://shop.example/terms',
  ),
  status: described(
    address,
    'The address of your own status page. Without it the foot of each page links to `/status`.',
    'https://status.shop.example',
  ),
})

export function isLogoName(name: string): boolean {
  return /^[^/\\]+\.(svg|png)$/i.test(name) && !name.startsWith('.')
}

function isColour(text: string): boolean {
  return /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
}

/** `#ABC` → `#aabbcc` */
function hexOf(colour: string): string {
  const digits = colour.slice(1).toLowerCase()
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`
}

/**
 * The origin of a host, for the pages' content security policy. Undefined if the text is not a host. A host with `;` or
 * `*` is rejected, because these signs have a meaning in a policy.
 */
export function originOf(text: string): string | undefined {
  if (!isWebAddress(text)) return undefined
  const { origin, host, pathname, search, hash, username } = new URL(text)
  const isOrigin = pathname === '/' && search === '' && hash === '' && username === ''
  return isOrigin && /^[a-z0-9.-]+(:\d+)?$/.test(host) ? origin : undefined
}

/** The known fields; none if the file is missing. Adds each problem to `problems`. */
export async function readAbout(snapshots: string, problems: Problems): Promise<About> {
  const wrong = (field: string, what: string, found?: string): About => {
    problems.add(aboutName, field, what, found)
    return {}
  }
  const file = await snapshotFile(snapshots, aboutName, problems)
  if (file === undefined) return {}
  if (file.bytes > lineBytesMax) return wrong('file', `must be at most ${lineBytesMax} bytes`)
  const bytes = await readPlain(file.path).catch(cannotBeRead)
  if (typeof bytes === 'string') return wrong('file', bytes)
  if (!isUtf8(bytes)) return wrong('file', 'must be UTF-8')
  const value = jsonObject(bytes.toString('utf8').replace(/^\ufeff/, ''), (what, found) => wrong('file', what, found))
  if (value === undefined) return {}
  const result = v.safeParse(aboutSchema, value)
  if (!result.success) {
    for (const issue of result.issues) wrong(v.getDotPath(issue)!, issue.message, shown(issue.input))
    return {}
  }
  const { logo: logoName, ...others } = result.output
  const logo = logoName === null ? undefined : await readLogo(snapshots, logoName, problems)
  return { ...known(others), ...(logo && { logo }) } as About
}

/** Reads the logo. Undefined if the file can't be a logo; `problems` has the reason. */
async function readLogo(snapshots: string, name: string, problems: Problems): Promise<Logo | undefined> {
  const wrong = (what: string, found?: string) => {
    problems.add(aboutName, 'logo', what, found)
    return undefined
  }
  const before = problems.count
  const file = await snapshotFile(snapshots, name, problems)
  if (file === undefined)
    return problems.count > before ? undefined : wrong('must be in the snapshot folder', shown(name))
  if (file.bytes > logoBytesMax) return wrong(`must be at most ${logoBytesMax / 1024} KB`, `${file.bytes} bytes`)
  const bytes = await readPlain(file.path).catch(cannotBeRead)
  if (typeof bytes === 'string') return wrong(bytes, shown(name))
  const kind = name.slice(-'svg'.length).toLowerCase() as keyof typeof logoTypes
  const isRight = kind === 'png' ? bytes.subarray(0, pngStart.length).equals(pngStart) : isSvg(bytes)
  return isRight ? { type: logoTypes[kind], bytes } : wrong(`must be a file of type ${kind.toUpperCase()}`, shown(name))
}

const isSvg = (bytes: Buffer): boolean => isUtf8(bytes) && /<svg[\s>]/.test(bytes.toString('utf8'))

/** Drops members that are null or empty. */
function known<Members extends object>(members: Members): Members | null {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  )
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Members)
}
