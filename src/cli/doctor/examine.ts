/** Examines all parts of the service at once, within a bounded time. */
import { setTimeout as pause } from 'node:timers/promises'
import { readSetting, readSettings, type Settings, settingNames } from '../../settings.ts'
import { loadSettingsFile } from '../settings-file.ts'
import { lookAtBuild, lookAtFetch, lookAtImport, lookAtIndex } from './data.ts'
import { lookAtDatabase } from './database.ts'
import { bad, type Finding, type Found, type Look, ok, warn } from './finding.ts'
import { lookAtCertificate, lookAtDescriptors, lookAtDisks, lookAtLibrary, lookAtNode } from './machine.ts'
import { lookAtMetrics, lookAtPages, lookAtPort } from './network.ts'
import { lookAtBackup, lookAtStore } from './stored.ts'

/** The doctor ends after this time, even if something does not answer. */
const doctorMsMax = 12_000

/**
 * The parts, in the order of the report. `isUsed` is set for a part that only some settings use: it returns whether
 * these settings do. Checking the store blocks this thread, so the store comes before the parts that wait for the
 * network.
 */
const parts: readonly (readonly [part: string, look: Look, isUsed?: (settings: Settings) => unknown])[] = [
  ['INDEX_DIR', lookAtIndex],
  ['fetch', lookAtFetch],
  ['import', lookAtImport],
  ['build', lookAtBuild],
  ['STORE_DIR', lookAtStore],
  ['backup', lookAtBackup],
  ['port', lookAtPort],
  ['pages', lookAtPages, ({ WEB_PORT }) => WEB_PORT !== undefined],
  ['metrics', lookAtMetrics, ({ METRICS_PORT }) => METRICS_PORT !== undefined],
  ['database', lookAtDatabase, ({ DATABASE_URL }) => DATABASE_URL],
  ['certificate', lookAtCertificate, ({ TLS_CERT, TLS_KEY }) => TLS_CERT && TLS_KEY],
  ['disk space', lookAtDisks],
  ['descriptors', lookAtDescriptors],
]

/**
 * Returns the findings in the order of the report. If a setting is invalid, parts that depend on settings are not
 * examined.
 */
export async function examine(): Promise<Finding[]> {
  const wrong: string[] = []
  const values: Record<string, unknown> = {}
  for (const name of settingNames) {
    try {
      values[name] = readSetting(name)
    } catch (error) {
      const { message } = error as Error
      // A removed setting that is set causes the same error for every setting, which is listed once.
      if (!wrong.includes(message)) wrong.push(message)
    }
  }
  const settings = values as Settings
  const used = wrong.length > 0 ? [] : parts.filter(([, , isUsed = () => true]) => isUsed(settings))
  const late = bad(`no result within ${doctorMsMax / 1000} s`, 'check whether its disk or mount answers')
  const first: typeof parts = [
    ['Node.js', lookAtNode],
    ['HTTP library', lookAtLibrary],
    ['settings', async () => foundOf(wrong)],
  ]
  return Promise.all(
    [...first, ...used].map(async ([part, look]) => {
      const timeout = pause(doctorMsMax, late, { ref: false })
      const found = await Promise.race([look(settings), timeout]).catch((error: Error) =>
        bad(error.message, 'this is a bug: report it'),
      )
      return { part, ...found }
    }),
  )
}

function foundOf(lines: readonly string[]): Found {
  if (lines.length > 0) return bad(lines.join('; '), 'correct what is wrong, and run this again for all else')
  try {
    readSettings()
  } catch (error) {
    return bad((error as Error).message, 'correct it')
  }
  const { path, warnings } = loadSettingsFile(undefined, { ...process.env })
  const from = path === undefined ? 'those of the environment' : `those of the environment and of ${path}`
  return warnings.length === 0 ? ok(from) : warn(warnings.join('; '), 'correct the names')
}
