/**
 * card-prices rollback: makes an earlier version current. This is a named version, or the version published before the
 * current one.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Output, ProgramCommand, UsageError } from '../src/command/command.ts'
import { table } from '../src/command/table.ts'
import { verifyVersion } from '../src/indexes/load.ts'
import { currentName, readCurrent } from '../src/indexes/manifest.ts'
import { inFolder } from '../src/indexes/publish/durable.ts'
import { lockBuilds } from '../src/indexes/publish/lock.ts'
import { makeCurrent, publishedVersions, versionAsItWas } from '../src/indexes/publish/versions.ts'
import { readSetting } from '../src/settings.ts'

export const rollbackCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('rollback', output)
    .description(
      'Makes the version published before the current one, or VERSION, current. Running servers switch to it by themselves. The ' +
        'versions are in INDEX_DIR.',
    )
    .argument('[VERSION]', 'a version that is kept there')
    .option('--list', "shows each version's date, cards and time of publication, and which is current", false)
    .examples('card-prices rollback --list', 'card-prices rollback')
    .action(async (wanted: string | undefined, { list }: { readonly list: boolean }) => {
      if (list && wanted !== undefined) throw new UsageError(`--list takes no version (${wanted})`)
      const indexDir = readSetting('INDEX_DIR')
      await inFolder(indexDir, versionAsItWas, async () => {
        if (!existsSync(join(indexDir, currentName))) throw new Error(`no version is published in ${indexDir} yet`)
        output.log(list ? await listOf(indexDir) : `version ${await rollBack(indexDir, wanted)} is current`)
      })
    })

/** Returns the version that is current now. */
async function rollBack(indexDir: string, wanted: string | undefined): Promise<string> {
  const unlock = await lockBuilds(indexDir)
  try {
    const versions = (await publishedVersions(indexDir)).map(({ version }) => version)
    const target = wanted ?? (await versionBefore(indexDir, versions))
    if (!versions.includes(target)) throw new Error(`there is no version ${target}; kept are ${versions.join(', ')}`)
    await verifyVersion(indexDir, target)
    await makeCurrent(indexDir, target)
    return target
  } finally {
    unlock()
  }
}

async function versionBefore(indexDir: string, versions: readonly string[]): Promise<string> {
  const current = await readCurrent(indexDir)
  const before = versions[versions.indexOf(current!) + 1]
  if (before === undefined) throw new Error(`${current} is the oldest version that is kept`)
  return before
}

/** The table of published versions, newest publication first. */
async function listOf(indexDir: string): Promise<string> {
  const current = await readCurrent(indexDir)
  const versions = await publishedVersions(indexDir)
  const rows = versions.map(({ version, asOf, counts, builtAt }) => [
    version,
    asOf ?? 'unknown',
    counts.cards.toLocaleString('en'),
    `${builtAt.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ')} UTC`,
    version === current ? 'current' : '',
  ])
  const lines = [table([['version', 'as of', 'cards', 'published', ''], ...rows], [2])]
  if (!versions.some(({ version }) => version === current)) lines.push(`${current} is current, and can't be read`)
  return lines.join('\n')
}
