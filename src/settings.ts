/**
 * Reads the settings from the environment, and checks them once. If a value is bad, the start ends with one line that
 * names the setting.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { createSecureContext } from 'node:tls'
import * as v from 'valibot'
import { databaseAddress } from './database-address.ts'

const portMax = 65_535
const threadsMax = 256
/** An hour is more than enough, because load balancers check a server's health far more often. */
const drainSecondsMax = 3600
const accessLogShareMin = 0.001

/** A setting is wrong. The message is one line that names the setting. */
export class SettingError extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const wholeNumber = (from: number, to: number, orElse = '') => {
  const wrong = `must be ${orElse}a whole number from ${from} to ${to}`
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, wrong),
    v.transform(Number),
    v.check((value) => value >= from && value <= to, wrong),
  )
}

const host = v.pipe(
  v.string(),
  v.check(
    (text) => isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text),
    'must be an address or a host name',
  ),
)

const threads = v.pipe(
  v.string(),
  v.transform((text) => (text === 'auto' ? String(Math.min(availableParallelism(), threadsMax)) : text)),
  wholeNumber(1, threadsMax, 'auto or '),
)

const folder = v.pipe(
  v.string(),
  v.check((path) => !existsSync(path) || statSync(path).isDirectory(), 'must be a folder'),
)

const wrongShare = `must be off, errors or a share of requests from ${accessLogShareMin} to 1`
const accessLog = v.union(
  [
    v.picklist(['off', 'errors']),
    v.pipe(
      v.string(),
      v.regex(/^[01]?(\.\d{1,9})?$/),
      v.transform(Number),
      v.check((share) => share >= accessLogShareMin && share <= 1, wrongShare),
    ),
  ],
  wrongShare,
)

/** Paths are appended to such an address. */
const webAddress = v.pipe(
  v.string(),
  v.check(isBareWebAddress, 'must be an address http://… or https://… without a path'),
  v.transform((text) => new URL(text).origin),
)

const readableFile = v.optional(v.pipe(v.string(), v.check(isReadable, 'must be a file that can be read')))

const databaseUrl = v.pipe(
  v.string(),
  v.check((text) => databaseAddress(text) !== undefined, 'must be an address postgres://… or postgresql://…'),
)

/** File paths are appended to this address. It may contain a user name and a password. */
const indexUrl = v.pipe(
  v.string(),
  v.check(
    (text) => /^https?:\/\/[^?#]*$/i.test(text) && URL.canParse(text),
    'must be an address http://… or https://… without a query',
  ),
)

const header = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9a-z-]+:[ ]?[\x21-\x7e][\x20-\x7e]*$/i, 'must be one header, Name: value'),
)

const schemas = {
  HOST: v.optional(host, '127.0.0.1'),
  PORT: v.optional(wholeNumber(0, portMax), '8080'),
  THREADS: v.optional(threads, '1'),
  // The folder is not checked here. If its disk hung, the check would block the main thread, which must react to
  // signals.
  INDEX_DIR: v.optional(v.string(), 'indexes'),
  INDEX_URL: v.optional(indexUrl),
  INDEX_URL_HEADER: v.optional(header),
  STORE_DIR: v.optional(folder, 'store'),
  WEB_PORT: v.optional(wholeNumber(0, portMax)),
  WEB_HOST: v.optional(host),
  WEB_URL: v.optional(webAddress),
  WEB_TRUST_PROXY: v.optional(v.picklist(['0', '1'], 'must be 0 or 1'), '0'),
  OPERATOR_PAGES: v.optional(v.picklist(['off', 'on'], 'must be off or on'), 'off'),
  API_URL: v.optional(webAddress),
  API_FORM: v.optional(v.picklist(['A', 'B'], 'must be A or B'), 'A'),
  METRICS_PORT: v.optional(wholeNumber(0, portMax)),
  METRICS_HOST: v.optional(host, '127.0.0.1'),
  LOG_LEVEL: v.optional(v.picklist(logLevels, `must be one of ${logLevels.join(', ')}`), 'info'),
  LOG_FORMAT: v.optional(v.picklist(['json', 'text'], 'must be json or text')),
  ACCESS_LOG: v.optional(accessLog, 'off'),
  TLS_CERT: readableFile,
  TLS_KEY: readableFile,
  DATABASE_URL: v.optional(databaseUrl),
  DRAIN_SECONDS: v.optional(wholeNumber(0, drainSecondsMax), '0'),
  QUOTA_FAIL: v.optional(v.picklist(['open', 'closed'], 'must be open or closed'), 'closed'),
  PRICECHARTING_TOKEN: v.optional(
    v.pipe(v.string(), v.regex(/^[0-9a-z]{8,200}$/i, 'must have only letters and digits')),
  ),
} satisfies Record<string, v.GenericSchema>

export type SettingName = keyof typeof schemas
export const settingNames = Object.keys(schemas) as readonly SettingName[]
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(schemas, name)

/** Settings whose values are passwords, or may contain passwords. Errors never show these values. */
const secret: readonly string[] = ['DATABASE_URL', 'INDEX_URL', 'INDEX_URL_HEADER', 'PRICECHARTING_TOKEN']

/** Settings of releases before 3.0, which shared accounts and quotas by Redis. */
const goneSettings = ['ACCOUNTS_STORE', 'QUOTA_STORE'] as const

export type Settings = { readonly [Name in SettingName]: v.InferOutput<(typeof schemas)[Name]> }
export type ApiForm = Settings['API_FORM']

const goneAdvice =
  'is gone: servers share accounts by DATABASE_URL; docs/cluster.md says in "Move a cluster of 2.x" how to move them'

/** The value of one setting. An empty value counts as a missing one. Throws SettingError. */
export function readSetting<Name extends SettingName>(
  name: Name,
  env: NodeJS.ProcessEnv = process.env,
): Settings[Name] {
  for (const gone of goneSettings) if (env[gone]) throw new SettingError(`${gone}: ${goneAdvice}`)
  const given = env[name] === '' ? undefined : env[name]
  const result = v.safeParse(schemas[name], given)
  if (result.success) return result.output as Settings[Name]
  throw new SettingError(
    `${name}: ${result.issues[0].message}${secret.includes(name) ? '' : ` (${JSON.stringify(given)})`}`,
  )
}

/** True if the server must count requests: for metrics, for the operator's pages, or for the access log. */
export const isMetered = ({ METRICS_PORT, OPERATOR_PAGES, ACCESS_LOG }: Settings): boolean =>
  METRICS_PORT !== undefined || OPERATOR_PAGES === 'on' || ACCESS_LOG !== 'off'

/** The values of all settings. Throws SettingError. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const settings = Object.fromEntries(settingNames.map((name) => [name, readSetting(name, env)])) as Settings
  checkTls(settings)
  if (settings.OPERATOR_PAGES === 'on' && settings.WEB_PORT === undefined) {
    throw new SettingError('OPERATOR_PAGES: needs WEB_PORT')
  }
  return settings
}

/**
 * Checks that the certificate and its key can be used. The HTTP library would reject them without a reason. Throws
 * SettingError.
 */
function checkTls({ TLS_CERT, TLS_KEY }: Settings): void {
  if (TLS_CERT === undefined && TLS_KEY === undefined) return
  if (TLS_KEY === undefined) throw new SettingError('TLS_CERT: needs TLS_KEY')
  if (TLS_CERT === undefined) throw new SettingError('TLS_KEY: needs TLS_CERT')
  try {
    createSecureContext({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) })
  } catch (error) {
    throw new SettingError(`TLS_CERT: is not a certificate for TLS_KEY (${(error as Error).message})`)
  }
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}

function isBareWebAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && search + hash + username + password === ''
}
