/** npm start: what it builds, and what it serves where the build is refused. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { build } from '../../build/build.ts'
import { isOutdated } from '../../build/outdated.ts'
import { commandLine, useEnvFile } from '../../src/command/command-line.ts'
import { cardPrices, collect, projectDir, runHere, start, temporaryFolder } from '../support/command.ts'
import { send, startService } from '../support/service.ts'
import { aCard, aSnapshot, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { snapshotWith } from './compiled.ts'

const old = new Date('2020-01-01')
const ownProgram = join(projectDir, 'bin/card-prices')
/** The eight lines of a first start. */
const greeting =
  /^listening on (http\S+)\npages on (http\S+)\nthe account demo \(plan business\) has the key, shown only now:\n {2}(cpl_live_\w{38})\ntry:\n {2}curl -H 'X-API-Key: \3' '\1\/v1\/search\?q=charizard&limit=3'\nsign in as demo, once:\n {2}\2\/sign-in\/\S+\nsign in as the operator, once:\n {2}\2\/operator\/sign-in\/\S+\n$/

/** The first lines of a second one. */
const secondGreeting =
  /the account demo has a key, shown at the first start; make another one by:\n {2}(.*)\nthen put it in KEY, and try:\n {2}(.*)\n/

it('A printed command calls the program in the way that this process was started', () => {
  const before = { ...process.env }
  const lineWith = (env: NodeJS.ProcessEnv, ...words: string[]) => {
    process.env = { PATH: '/nowhere', ...env }
    return commandLine('build', ...words)
  }
  try {
    const script = { npm_lifecycle_script: 'exec bin/card-prices start' }
    assert.equal(lineWith(script, '--out', "a'b $c"), "npm run build -- --out 'a'\\''b $c'")
    assert.equal(lineWith(script), 'npm run build')
    assert.equal(lineWith({ npm_lifecycle_script: 'card-prices build' }), `${ownProgram} build`)
    assert.equal(lineWith({ PATH: `/nowhere:${join(projectDir, 'bin')}` }), 'card-prices build')
    assert.equal(lineWith({ CARD_PRICES_PROGRAM: 'card-prices-as' }, 'a:b/c.d'), 'card-prices-as build a:b/c.d')
    useEnvFile('a.env')
    assert.equal(lineWith(script, '--force'), 'npm run build -- --env-file a.env --force')
  } finally {
    process.env = before
    useEnvFile(undefined)
  }
})

describe('npm start', { timeout: 300_000 }, () => {
  async function startIn(folder: string, env: NodeJS.ProcessEnv) {
    const child = start(cardPrices, ['start'], { PORT: '0', THREADS: '1', ...env }, folder)
    const output = collect(child)
    const ended = once(child, 'close') as Promise<[number | null]>
    const isLast = () => child.exitCode !== null || output.stdout().includes('/operator/sign-in/')
    await until('it tells how to begin', isLast, 30_000).catch(() => undefined)
    const address = /^listening on (\S+)$/m.exec(output.stdout())?.[1]
    const health = address && (await send(address, '/healthz')).json
    child.kill('SIGTERM')
    const [code] = await ended
    return { code, health, stdout: output.stdout(), stderr: output.stderr() }
  }

  it('The command npm start serves the current version if the snapshot is refused, and exits with 1 if there is no version', async () => {
    // Another project's folder, so that its snapshots are no others' concern.
    const folder = temporaryFolder()
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    snapshotOf({ ...aSnapshot, 'cards/a.ndjson': [{ ...aCard, name: 7 }] }, snapshots)
    const none = await startIn(folder, dirs)
    assert.equal(none.code, 1)
    assert.equal(none.stderr, 'cards/a.ndjson:1: name: must be a string (7)\n1 problem; nothing was published\n')
    assert.equal(existsSync(dirs.STORE_DIR), false)

    const { manifest } = await build(snapshotWith(10, 0), dirs.INDEX_DIR)
    snapshotOf({ 'cards/a.ndjson': [{ ...aCard, name: 8 }] }, snapshots)
    const served = await startIn(folder, dirs)
    assert.equal(served.code, 0, served.stderr)
    assert.equal(served.health.version, manifest.version)
    assert.match(served.stdout, greeting)
    assert.match(
      served.stderr,
      /^cards\/a\.ndjson:1: name: must be a string \(8\)\n1 problem; nothing was published\nserving the current version\n\{/,
    )
    assert.doesNotMatch(served.stderr, /"library"|"level":[4-6]0|contact/)

    const again = await startIn(folder, dirs)
    const [, command, curl] = secondGreeting.exec(again.stdout)!
    const env = { ...process.env, ...dirs, CARD_PRICES_ENV: '' }
    const { stdout } = spawnSync('sh', ['-c', command!], { cwd: folder, env, encoding: 'utf8' })
    const [KEY = ''] = /cpl_live_\w{38}/.exec(stdout) ?? []
    const service = await startService({ ...dirs, PORT: '0' })
    // A machine with Node.js alone has no curl.
    const [, path] = /^curl -H "X-API-Key: \$KEY" 'http:\/\/127\.0\.0\.1:\d+([^']+)'$/.exec(curl!)!
    const reply = await send(service.address, path!, { headers: { 'x-api-key': KEY } })
    assert.deepEqual([reply.status, reply.body.slice(0, 8)], [200, '{"data":'])
    await service.stop()
  })
})

describe('An index beside its snapshots', () => {
  /** Files that change after it have a later time: their clock ticks every few milliseconds. */
  const buildFrom = (snapshots: string, indexDir: string) => build(snapshots, indexDir).then(() => setTimeout(20))

  async function published() {
    const [snapshots, indexDir] = [temporaryFolder(), temporaryFolder()]
    cpSync(snapshotWith(10, 0), snapshots, { recursive: true })
    await buildFrom(snapshots, indexDir)
    return { snapshots, indexDir }
  }

  it('An index is outdated before the first build of its snapshots, and not after it', async () => {
    const { snapshots, indexDir } = await published()
    assert.equal(await isOutdated(temporaryFolder(), snapshots), true)
    assert.equal(await isOutdated(join(indexDir, 'none'), snapshots), true)
    assert.equal(await isOutdated(indexDir, snapshots), false)
    assert.equal(await isOutdated(indexDir, join(snapshots, 'none')), false)
  })

  it('An index is outdated once a file of its snapshots is added, changed or removed', async () => {
    const { snapshots, indexDir } = await published()
    mkdirSync(join(snapshots, 'history'))
    await buildFrom(snapshots, indexDir)
    const files = {
      'sets/b.ndjson': '',
      'cards/b.ndjson': '',
      'history/b.csv': 'date,id,market,low,high\n',
      'about.json': '{"currency":"EUR"}',
      'logo.svg': '<svg/>',
    }
    snapshotOf(files, snapshots)
    assert.equal(await isOutdated(indexDir, snapshots), true)
    await buildFrom(snapshots, indexDir)
    for (const [name, content] of Object.entries(files)) {
      const path = join(snapshots, name)
      for (const change of [() => writeFileSync(path, `${content}\n`), () => rmSync(path)]) {
        change()
        assert.equal(await isOutdated(indexDir, snapshots), true, name)
        await buildFrom(snapshots, indexDir)
        assert.equal(await isOutdated(indexDir, snapshots), false, name)
      }
    }
  })

  it('An index is outdated once a file is added, even if its modification time is old', async () => {
    const { snapshots, indexDir } = await published()
    const source = snapshotWith(20, 0)
    for (const name of ['sets', 'cards']) {
      cpSync(join(source, name), join(snapshots, name), { recursive: true })
      const paths = readdirSync(join(snapshots, name)).map((file) => join(snapshots, name, file))
      for (const path of [...paths, join(snapshots, name)]) utimesSync(path, old, old)
    }
    utimesSync(snapshots, old, old)
    assert.equal(await isOutdated(indexDir, snapshots), true)
  })

  it('An index is outdated while files of a killed import wait to be put in place', async () => {
    const { snapshots, indexDir } = await published()
    const stage = 'import/.staging-1'
    cpSync(join(snapshotWith(20, 0), 'cards'), join(snapshots, stage, 'cards'), { recursive: true })
    const files = readdirSync(join(snapshots, stage, 'cards')).map((name) => `cards/${name}`)
    writeFileSync(join(snapshots, 'import/.journal'), JSON.stringify({ stage, files, removed: [] }))
    assert.equal(await isOutdated(indexDir, snapshots), true)
    await assert.rejects(
      build(snapshots, indexDir),
      /: changed while it was read, and nothing was published: build it again$/,
    )
    const { stdout } = await runHere(['build', '--snapshots', snapshots, '--out', indexDir])
    assert.match(stdout, /^cards +20\b/m)
    assert.equal(await isOutdated(indexDir, snapshots), false)
  })
})
