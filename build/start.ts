/** card-prices start: builds the snapshots if their index is missing or older, then serves; the first start makes a key to try. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command } from '../src/cli/command.ts'
import { currentName } from '../src/indexes/manifest.ts'
import { unsupportedPlatform } from '../src/process/library.ts'
import type { Service } from '../src/process/supervisor.ts'
import { isOlder } from './older.ts'

const usage = `Usage: card-prices start

Builds the folder snapshots if its index is missing or older, makes an account demo with a key on the first start, and
serves. If the build fails, the version that is there is served. The settings are those of card-prices serve; the pages for people
are on WEB_PORT 8081, or any free port if that is taken, and a link to sign in as demo is printed.`

/** Where there is none, the sample. */
const snapshots = existsSync('snapshots') ? 'snapshots' : fileURLToPath(new URL('../snapshots', import.meta.url))
/** Of the pages, unless a setting tells another or somebody else has it. */
const usualWebPort = 8081
const example = '/v1/search?q=charizard&limit=3'

process.exitCode = await command(usage, {}, 0, async () => {
  const unsupported = unsupportedPlatform()
  if (unsupported !== undefined) throw new Error(unsupported)
  return buildAndServe()
})

async function buildAndServe(): Promise<number> {
  const [{ readSettings }, { signInAddress }, { demoName }, { serveUntilSignal }] = await Promise.all([
    import('../src/settings.ts'),
    import('../src/addresses.ts'),
    import('../src/accounts/registry.ts'),
    import('../src/process/until-signal.ts'),
  ])
  const settings = readSettings()
  if (await isOlder(settings.INDEX_DIR, snapshots)) {
    const code = await build()
    if (code !== 0) {
      if (!existsSync(join(settings.INDEX_DIR, currentName))) return code
      console.error('the version that is there is served')
    }
  }
  const onServing = async ({ api, accounts, pages }: Service) => {
    // Not before somebody can be shown the key: a start may have failed until now.
    const demo = await accounts.createDemo().catch((error) => void console.error((error as Error).message))
    const key = demo?.key
    if (key !== undefined) console.log(`the account demo (plan business) has the key, shown only now:\n  ${key}`)
    console.log(`try:\n  curl -H 'X-API-Key: ${key ?? 'YOUR_KEY'}' '${api}${example}'`)
    const link = pages && (await accounts.signInLink(demoName))
    if (link !== undefined) console.log(`sign in as ${demoName}, once:\n  ${signInAddress(pages!.url, link.token)}`)
  }
  return serveUntilSignal(onServing, usualWebPort)
}

/** In a process of its own, whose memory is gone when serving starts. A signal ends both. */
async function build(): Promise<number> {
  const main = fileURLToPath(new URL(`./main${extname(import.meta.url)}`, import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, main, '--snapshots', snapshots], { stdio: 'inherit' })
  const handOn = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGTERM', handOn).on('SIGINT', handOn)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('SIGTERM', handOn).off('SIGINT', handOn)
  if (signal !== null) process.kill(process.pid, signal)
  return code ?? 1
}
