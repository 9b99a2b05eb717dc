/**
 * card-prices start: builds the snapshots if their index is missing or was built from other files, then serves. The
 * first start makes a demo key.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { demoName } from '../src/accounts/registry.ts'
import { operatorSignInAddress, signInAddress } from '../src/addresses.ts'
import { type Output, ProgramCommand } from '../src/command/command.ts'
import { commandLine } from '../src/command/command-line.ts'
import { loadLibrary } from '../src/http/connections/uws.ts'
import { currentName } from '../src/indexes/manifest.ts'
import { readUpdatesOfServer } from '../src/last-updates.ts'
import { terminal } from '../src/log/printable.ts'
import type { Service } from '../src/process/supervisor.ts'
import { serveUntilSignal } from '../src/process/until-signal.ts'
import { readSettings, type Settings } from '../src/settings.ts'
import { filesIn } from './import/write/folder.ts'
import { isOutdated } from './outdated.ts'

/** The folder that is built: `snapshots` in the working directory, or else the sample that lies beside this program. */
const snapshots = existsSync('snapshots') ? 'snapshots' : fileURLToPath(new URL('../snapshots', import.meta.url))
/** The values of settings that the environment does not set. */
const usualSettings = { WEB_PORT: '8081', OPERATOR_PAGES: 'on' }
const example = '/v1/search?q=charizard&limit=3'

export const startCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('start', output)
    .description(
      'Builds the folder snapshots if its index is missing or was built from other files, makes an account demo with a key on the first start, and serves. ' +
        'If the build fails, it serves the current version. The settings are those of card-prices serve. The pages for people are on ' +
        'WEB_PORT 8081, or any free port if that is taken. It prints a link to sign in as demo, and one for the operator.',
    )
    .examples('card-prices start')
    .action(async () => {
      // This comes first. On a machine where the library can't run, the command prints one line and ends.
      loadLibrary()
      return buildAndServe()
    })

async function buildAndServe(): Promise<number> {
  const settings = readSettings()
  const filledFrom = await filledByUpdates(settings.INDEX_DIR)
  if (filledFrom !== undefined)
    terminal.error(`${settings.INDEX_DIR} is filled from ${filledFrom}, so ${snapshots} is not built`)
  else if (await isOutdated(settings.INDEX_DIR, snapshots)) {
    const code = await build()
    if (code !== 0) {
      if (!existsSync(join(settings.INDEX_DIR, currentName))) return code
      terminal.error('serving the current version')
    }
  }
  const onServing = async ({ api, accounts, pages }: Service, { OPERATOR_PAGES }: Settings) => {
    // The key is made only now. It is shown only once, so no step that can fail may come between.
    const demo = await accounts.createDemo().catch((error) => void terminal.error((error as Error).message))
    const key = demo?.key
    if (key === undefined) terminal.log(keyHint(accounts.hasAccount(demoName), api))
    else {
      terminal.log(`the account demo (plan business) has the key, shown only now:\n  ${key}`)
      terminal.log(`try:\n  curl -H 'X-API-Key: ${key}' '${api}${example}'`)
    }
    const link = pages && (await accounts.signInLink(demoName))
    if (link !== undefined) terminal.log(`sign in as ${demoName}, once:\n  ${signInAddress(pages!.url, link.token)}`)
    const desk = pages && OPERATOR_PAGES === 'on' ? await accounts.operatorLink() : undefined
    if (desk !== undefined) {
      terminal.log(`sign in as the operator, once:\n  ${operatorSignInAddress(pages!.url, desk.token)}`)
    }
  }
  return serveUntilSignal(onServing, usualSettings)
}

/**
 * The other snapshot folder from which `card-prices update` fills INDEX_DIR. Undefined if there is none, or if that
 * folder has no cards.
 */
async function filledByUpdates(indexDir: string): Promise<string | undefined> {
  if (!existsSync(join(indexDir, currentName))) return undefined
  const updates = Object.values(await readUpdatesOfServer(indexDir))
  const folders = updates.flatMap((update) => update.snapshots ?? [])
  return folders.find((folder) => resolve(folder) !== resolve(snapshots) && filesIn(folder, 'cards').length > 0)
}

/** The hint that a start prints if it shows no key. */
function keyHint(hasDemo: boolean, api: string): string {
  const [what, command] = hasDemo
    ? ['the account demo has a key, shown at the first start; make another one by', ['create-key', demoName]]
    : ['make an account and its key by', ['create', 'shop', '--plan', 'business']]
  const line = commandLine('accounts', ...command)
  return `${what}:\n  ${line}\nthen put it in KEY, and try:\n  curl -H "X-API-Key: $KEY" '${api}${example}'`
}

/**
 * Builds in a process of its own, so that the build's memory is free again before serving starts. A signal ends both
 * processes.
 */
async function build(): Promise<number> {
  const program = fileURLToPath(new URL(`../src/cli/main${extname(import.meta.url)}`, import.meta.url))
  const words = ['build', '--snapshots', snapshots]
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], { stdio: 'inherit' })
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGTERM', forward).on('SIGINT', forward)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('SIGTERM', forward).off('SIGINT', forward)
  if (signal !== null) process.kill(process.pid, signal)
  return code ?? 1
}
