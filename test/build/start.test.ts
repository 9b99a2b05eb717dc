/** npm start: what it builds, and what it serves where the build is refused. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { collect, projectDir, start, temporaryFolder } from '../support/command.ts'
import { compile, snapshotWith } from '../support/compiled.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

describe('npm start', { timeout: 120_000 }, () => {
  /** Another project's folder, so that its snapshots are no others' concern. */
  function projectFolder(): string {
    const folder = temporaryFolder()
    symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
    return folder
  }

  async function startIn(folder: string, env: NodeJS.ProcessEnv) {
    const child = start(join(projectDir, 'build/start.ts'), [], { PORT: '0', ...env }, folder)
    const output = collect(child)
    const ended = once(child, 'close') as Promise<[number | null]>
    const listening = new Promise<string>((resolve) => {
      child.stdout!.on('data', () => {
        const match = /^listening on (\S+)$/m.exec(output.stdout())
        if (match !== null) resolve(match[1]!)
      })
    })
    const address = await Promise.race([listening, ended.then(() => undefined)])
    const health = address && (await send(address, '/healthz')).json
    child.kill('SIGTERM')
    const [code] = await ended
    return { code, health, ...{ stdout: output.stdout(), stderr: output.stderr() } }
  }

  it('serves the version that is there when the snapshot is refused, and exits 1 when there is none', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    cpSync(snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [{ ...aCard, name: 7 }] }), snapshots, {
      recursive: true,
    })
    const none = await startIn(folder, dirs)
    assert.equal(none.code, 1)
    assert.match(none.stderr, /^cards\/a\.ndjson:1: name: must be a string \(7\)\n1 problem; nothing was published$/m)
    assert.equal(existsSync(dirs.STORE_DIR), false)

    const { manifest } = await compile(snapshotWith(100, 0), dirs.INDEX_DIR)
    snapshotOf({ 'cards/a.ndjson': [{ ...aCard, name: 8 }] }, snapshots)
    const served = await startIn(folder, dirs)
    assert.equal(served.code, 0, served.stderr)
    assert.equal(served.health.version, manifest.version)
    assert.match(
      served.stderr,
      /name: must be a string \(8\)\n1 problem; nothing was published\nthe version that is there/,
    )
  })

  it('builds what came with an old time of change', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const first = (await compile(snapshotWith(10, 0), dirs.INDEX_DIR)).manifest.version
    const [source, snapshots] = [snapshotWith(20, 0), join(folder, 'snapshots')]
    cpSync(source, snapshots, { recursive: true })
    const old = new Date('2020-01-01')
    for (const name of ['sets', 'cards']) {
      for (const file of readdirSync(join(snapshots, name))) utimesSync(join(snapshots, name, file), old, old)
      utimesSync(join(snapshots, name), old, old)
    }
    const { health, stderr } = await startIn(folder, dirs)
    assert.ok(health, stderr)
    assert.notEqual(health.version, first)
    assert.equal(health.cards, 20)
  })

  it('builds what an import was putting in place when it was killed', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    cpSync(snapshotWith(10, 0), snapshots, { recursive: true })
    await compile(snapshots, dirs.INDEX_DIR)
    const stage = 'import/.staging-1'
    cpSync(join(snapshotWith(20, 0), 'cards'), join(snapshots, stage, 'cards'), { recursive: true })
    const files = readdirSync(join(snapshots, stage, 'cards')).map((name) => `cards/${name}`)
    writeFileSync(join(snapshots, 'import/.journal'), JSON.stringify({ stage, files, removed: [] }))
    const { health, stderr } = await startIn(folder, dirs)
    assert.ok(health, stderr)
    assert.equal(health.cards, 20)
  })

  it('builds when about.json came, or went', async () => {
    const folder = projectFolder()
    const dirs = { INDEX_DIR: join(folder, 'indexes'), STORE_DIR: join(folder, 'store') }
    const snapshots = join(folder, 'snapshots')
    cpSync(snapshotWith(10, 0), snapshots, { recursive: true })
    const first = (await compile(snapshots, dirs.INDEX_DIR)).manifest.version
    writeFileSync(join(snapshots, 'about.json'), '{"currency":"EUR"}')
    const came = await startIn(folder, dirs)
    assert.equal(came.health.currency, 'EUR', came.stderr)
    rmSync(join(snapshots, 'about.json'))
    const went = await startIn(folder, dirs)
    assert.deepEqual([went.health.version, went.health.currency], [first, undefined], went.stderr)
  })
})
