/** Examines all parts: first over the network, within a bound, then disks, whose checksums take the processor. */
import { setTimeout as pause } from 'node:timers/promises'
import { doctorMsMax } from '../../limits.ts'
import { readSetting, readSettings, type Settings, settingNames } from '../../settings.ts'
import { loadSettingsFile } from '../settings-file.ts'
import { buildPart, fetchPart, importPart, indexPart } from './data.ts'
import { bad, type Finding, type Found, ok, type Part, warn } from './finding.ts'
import { certificatePart, descriptorsPart, diskPart, libraryPart, nodePart } from './machine.ts'
import { metricsPart, pagesPart, portPart, redisPart } from './network.ts'
import { backupPart, storePart } from './stored.ts'

const network: readonly Part[] = [portPart, pagesPart, metricsPart, redisPart]

/** In the order of the report. If a setting is invalid, nothing that depends on settings is examined. */
export async function examine(): Promise<Finding[]> {
  const wrong: string[] = []
  const settings: Record<string, unknown> = {}
  for (const name of settingNames) {
    try {
      settings[name] = readSetting(name)
    } catch (error) {
      wrong.push((error as Error).message)
    }
  }
  const settingsPart: Part = { part: 'settings', look: async () => foundOf(wrong) }
  const all = [
    ...[nodePart, libraryPart, settingsPart, indexPart, fetchPart, importPart, buildPart, storePart, backupPart],
    ...[...network, certificatePart, diskPart, descriptorsPart],
  ].filter(({ isUsed }) => isUsed === undefined || isUsed(settings as Settings))
  const parts = wrong.length === 0 ? all : [nodePart, libraryPart, settingsPart]
  const late = bad(`no result within ${doctorMsMax / 1000} s`, 'check whether its disk or mount answers')
  const look = (part: Part): Promise<Found> =>
    Promise.race([part.look(settings as Settings), pause(doctorMsMax, late, { ref: false })]).catch((error: Error) =>
      bad(error.message, 'this is a bug: report it'),
    )
  const found = new Map<Part, Found>()
  for (const isFirst of [true, false]) {
    const these = parts.filter((part) => network.includes(part) === isFirst)
    await Promise.all(these.map(async (part) => found.set(part, await look(part))))
  }
  return parts.map((part) => ({ part: part.part, ...found.get(part)! }))
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
