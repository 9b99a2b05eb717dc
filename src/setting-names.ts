/** The names of the settings, and suggestions for mistyped ones. Their schemas, in settings.ts, take longer to load. */

export const settingNames = [
  'HOST',
  'PORT',
  'THREADS',
  'INDEX_DIR',
  'INDEX_URL',
  'INDEX_URL_HEADER',
  'STORE_DIR',
  'WEB_PORT',
  'WEB_HOST',
  'WEB_URL',
  'WEB_TRUST_PROXY',
  'API_URL',
  'API_FORM',
  'METRICS_PORT',
  'METRICS_HOST',
  'LOG_LEVEL',
  'ACCESS_LOG',
  'TLS_CERT',
  'TLS_KEY',
  'ACCOUNTS_STORE',
  'QUOTA_STORE',
  'DRAIN_SECONDS',
  'QUOTA_FAIL',
  'PRICECHARTING_TOKEN',
] as const

export type SettingName = (typeof settingNames)[number]

export const isSettingName = (name: string): name is SettingName => (settingNames as readonly string[]).includes(name)

/** Variables of other programs that differ from ours by one letter. */
const othersNames: ReadonlySet<string> = new Set(['APP_URL', 'POST'])

/** The setting whose name differs by a letter added, removed, replaced or swapped with the next, ignoring underscores and case. */
export function settingMeantBy(name: string): SettingName | undefined {
  if (isSettingName(name) || othersNames.has(name)) return undefined
  return settingNames.find((setting) => isNear(lettersOf(name), lettersOf(setting)))
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll('_', '')

function isNear(given: string, setting: string): boolean {
  let at = 0
  while (at < given.length && given[at] === setting[at]) at++
  const [a, b] = [given.slice(at), setting.slice(at)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return isSwapped || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)
}
