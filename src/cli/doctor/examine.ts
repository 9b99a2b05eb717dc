/** Examines all parts, in the doctor's thread: first over the network, within a bound, then on disks, which may hang. */
import { type SettingName, settingNames } from '../../setting-names.ts'
import { readSetting, readSettings, type Settings } from '../../settings.ts'
import { loadSettingsFile } from '../settings-file.ts'
import { buildPart, fetchPart, importPart, indexPart } from './data.ts'
import { bad, type Found, ok, type Part, warn } from './finding.ts'
import { certificatePart, descriptorsPart, diskPart, libraryPart, nodePart } from './machine.ts'
import type { FromDoctor } from './main.ts'
import { metricsPart, pagesPart, portPart, redisPart } from './network.ts'
import { backupPart, storePart } from './store.ts'

const network: readonly Part[] = [portPart, pagesPart, metricsPart, redisPart]

/** @param send gets first the names of all parts, then each finding */
export async function examine(send: (message: FromDoctor) => void): Promise<void> {
  /** Invalid settings, each with its error. */
  const wrong = new Map<SettingName, string>()
  const settingOrDefault = (name: SettingName): unknown => {
    try {
      return readSetting(name)
    } catch (error) {
      wrong.set(name, (error as Error).message)
      return readSetting(name, {})
    }
  }
  const settings = Object.fromEntries(settingNames.map((name) => [name, settingOrDefault(name)])) as Settings

  const settingsPart: Part = { part: 'settings', settings: [], look: async () => foundOf([...wrong.values()]) }
  /** In the order of the report. */
  const parts = [
    ...[nodePart, libraryPart, settingsPart, indexPart, fetchPart, importPart, buildPart, storePart, backupPart],
    ...[...network, certificatePart, diskPart, descriptorsPart],
  ].filter(({ isUsed }) => isUsed === undefined || isUsed(settings))

  const look = async (part: Part): Promise<void> => {
    const invalid = part.settings.find((name) => wrong.has(name))
    const found =
      invalid === undefined
        ? await part.look(settings).catch((error: Error) => bad(error.message, 'this is a bug: report it'))
        : warn('not checked', `correct ${invalid}`)
    send({ at: parts.indexOf(part), finding: { part: part.part, ...found } })
  }

  send({ parts: parts.map(({ part }) => part) })
  await Promise.all(parts.filter((part) => network.includes(part)).map(look))
  await Promise.all(parts.filter((part) => !network.includes(part)).map(look))
}

function foundOf(lines: readonly string[]): Found {
  if (lines.length > 0) return bad(lines.join('; '), 'correct what is wrong')
  try {
    readSettings()
  } catch (error) {
    return bad((error as Error).message, 'correct it')
  }
  const { path, warnings } = loadSettingsFile(undefined, { ...process.env })
  const from = path === undefined ? 'those of the environment' : `those of the environment and of ${path}`
  return warnings.length === 0 ? ok(from) : warn(warnings.join('; '), 'correct the names')
}
