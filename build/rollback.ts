/** npm run rollback: makes the version published before the current one, or the named one, the one in use. */
import { command } from '../src/command.ts'
import { readCurrent } from '../src/indexes/manifest.ts'
import { readSetting } from '../src/settings.ts'
import { lockBuilds } from './lock.ts'
import { publishedVersions, switchTo } from './publish.ts'

const usage = `Usage: npm run rollback -- [VERSION]

Makes the version published before the current one, or VERSION, the one in use. Running servers take it up by themselves.
The versions are in INDEX_DIR.`

process.exitCode = await command(usage, {}, 1, async ({ positionals }) => {
  console.log(`version ${await rollBack(readSetting('INDEX_DIR'), positionals[0])} is current`)
  return 0
})

/** Returns the version that is current now. */
async function rollBack(indexDir: string, wanted: string | undefined): Promise<string> {
  const current = await readCurrent(indexDir)
  if (current === undefined) throw new Error(`no version is published in ${indexDir} yet`)
  const unlock = await lockBuilds(indexDir)
  try {
    const versions = (await publishedVersions(indexDir)).map(({ version }) => version)
    const target = wanted ?? versions[versions.indexOf(current) + 1]
    if (target === undefined) throw new Error(`${current} is the oldest version that is kept`)
    if (!versions.includes(target)) throw new Error(`there is no version ${target}; kept are ${versions.join(', ')}`)
    await switchTo(indexDir, target)
    return target
  } finally {
    await unlock()
  }
}
