/**
 * Fails if a newer patch release of a pinned Node.js has been out for more than 14 days. Versions may differ by
 * platform, because each platform's package is published separately. If the registry can't be reached, it says so and
 * succeeds.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const graceMs = 14 * 86_400_000
const { optionalDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  optionalDependencies: Record<string, string>
}

/** Returns when each version was published, or undefined if the registry can't be reached. */
function publishedAt(name: string): Record<string, string> | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    return JSON.parse(
      execFileSync('npm', ['view', name, 'time', '--json'], { encoding: 'utf8', timeout: 30_000, stdio }),
    )
  } catch {
    return undefined
  }
}

for (const [name, pinned] of Object.entries(optionalDependencies)) {
  const times = publishedAt(name)
  if (times === undefined) {
    console.log(`${name}: the registry can't be asked; not checked`)
    continue
  }
  const [major, minor, patch] = pinned.split('.').map(Number)
  const due = Object.entries(times).filter(([version, time]) => {
    const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? []
    const [ownMajor, ownMinor, ownPatch] = parts.map(Number)
    const isNewer = ownMajor === major && (ownMinor! > minor! || (ownMinor === minor && ownPatch! > patch!))
    return isNewer && Date.now() - Date.parse(time) > graceMs
  })
  if (due.length === 0) continue
  const [version, time] = due.at(-1)!
  console.error(
    `${name}: ${pinned} is pinned, and ${version} has been there since ${time.slice(0, 'YYYY-MM-DD'.length)}`,
  )
  process.exitCode = 1
}
