/** Examines all parts: first over the network, within a bound, then disks, whose checksums take the processor. */
import { setTimeout as pause } from 'node:timers/promises'
import { doctorMsMax } from '../../limits.ts'
import { readSetting, readSettings, type SettingName, type Settings, settingNames } from '../../settings.ts'
import { loadSettingsFile } from '../settings-file.ts'
import { buildPart, fetchPart, importPart, indexPart } from './data.ts'
import { bad, type Finding, type Found, ok, type Part, warn } from './finding.ts'
import { certificatePart, descriptorsPart, diskPart, libraryPart, nodePart } from './machine.ts'
import { metricsPart, pagesPart, portPart, redisPart } from './network.ts'
import { backupPart, storePart } from './store.ts'

const network: readonly Part[] = [portPart, pagesPart, metricsPart, redisPart]

/** In the order of the report. */
export async function examine(): Promise<Finding[]> {
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
  const parts = [
    ...[nodePart, libraryPart, settingsPart, indexPart, fetchPart, importPart, buildPart, storePart, backupPart],
    ...[...network, certificatePart, diskPart, descriptorsPart],
  ].filter(({ isUsed }) => isUsed === undefined || isUsed(settings))

  const look = async (part: Part): Promise<Found> => {
    const invalid = part.settings.find((name) => wrong.has(name))
    if (invalid !== undefined) return warn('not checked', `correct ${invalid}`)
    const late = bad(`no result within ${doctorMsMax / 1000} s`, 'check whether its disk or mount answers')
    return Promise.race([part.look(settings), pause(doctorMsMax, late, { ref: false })]).catch((error: Error) =>
      bad(error.message, 'this is a bug: report it'),
    )
  }
  const found = new Map<Part, Found>()
  for (const isFirst of [true, false]) {
    const these = parts.filter((part) => network.includes(part) === isFirst)
    await Promise.all(these.map(async (part) => found.set(part, await look(part))))
  }
  return parts.map((part) => ({ part: part.part, ...found.get(part)! }))
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
