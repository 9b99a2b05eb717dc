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

/** Names of this length may have two wrong letters. In shorter ones, two make another word: DB_HOST, WEB_ROOT. */
const twoErrorsCharsMin = 8

/** The setting whose name differs by one or two letters, ignoring underscores and case. */
export function settingMeantBy(name: string): SettingName | undefined {
  if (isSettingName(name) || othersNames.has(name)) return undefined
  const given = lettersOf(name)
  return settingNames.find((setting) => {
    const letters = lettersOf(setting)
    return editDistance(given, letters) <= (letters.length < twoErrorsCharsMin ? 1 : 2)
  })
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll('_', '')

/** The number of letters to add, remove, replace or swap with the next one (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const distances = Array.from({ length: a.length + 1 }, (_, i) => [i])
  for (let j = 1; j <= b.length; j++) distances[0]![j] = j
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = distances[i - 1]![j - 1]! + Number(a[i - 1] !== b[j - 1])
      let least = Math.min(distances[i - 1]![j]! + 1, distances[i]![j - 1]! + 1, replaced)
      const areSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (areSwapped) least = Math.min(least, distances[i - 2]![j - 2]! + 1)
      distances[i]![j] = least
    }
  }
  return distances[a.length]![b.length]!
}
