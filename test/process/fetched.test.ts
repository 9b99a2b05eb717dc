/** A server with INDEX_URL serves the version published there, and keeps its own through any failure of the file server. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { makePair, type Pair } from '../support/certificates.ts'
import { runHere, temporaryFolder, withLimits } from '../support/command.ts'
import { FileServer, silent, status, wrongBytes } from '../support/file-server.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { scrape } from '../support/scrape.ts'
import { type Service, send, startService } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent } from '../support/versions.ts'

const built = temporaryFolder()
const withoutOpenssl = skipWithout('openssl')
const secret = 'Bearer hidden-value'
let first: string
let second: string
/** For file servers over https. */
let pair: Pair | undefined

before(async () => {
  if (!withoutOpenssl) pair = await makePair('files')
  await fixtureIndex(built)
  first = readFileSync(join(built, 'current'), 'utf8').trim()
  second = await addVersion(built, snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }))
})

/** A folder in which the first version is current, behind a server of its own. */
async function publish(by?: Pair): Promise<{ folder: string; server: FileServer }> {
  const folder = temporaryFolder()
  cpSync(built, folder, { recursive: true })
  const tls = by && { cert: readFileSync(by.cert), key: readFileSync(by.key) }
  return { folder, server: await FileServer.start(folder, tls) }
}

const serve = (url: string, indexDir: string, env: NodeJS.ProcessEnv = {}) =>
  startService({
    INDEX_DIR: indexDir,
    STORE_DIR: temporaryFolder(),
    INDEX_URL: url.replace('//', '//me:hidden-word@'),
    INDEX_URL_HEADER: `X-Secret: ${secret}`,
    ...withLimits({ currentPollMs: 50, versionRetryMsFirst: 200, versionRetryMsMax: 300, indexUrlAskMs: 300 }),
    ...env,
  })

const versionOf = async ({ address }: Service): Promise<string | undefined> =>
  (await send(address, '/healthz')).json.version
const untilServed = (service: Service, version: string) =>
  until(`${version} is served`, async () => (await versionOf(service)) === version)
/** The lines of the log that tell of INDEX_URL. */
const reported = ({ log }: Service): string[] =>
  log()
    .split('\n')
    .filter((line) => line.includes('INDEX_URL'))
    .map((line) => JSON.parse(line).msg)

describe('The versions of INDEX_URL', { concurrency: true }, () => {
  describe('A server with INDEX_URL', () => {
    it('A server with INDEX_URL starts without a version, and serves each version that is published there', async () => {
      const { folder, server } = await publish()
      server.failures[''] = status(503)
      const indexDir = join(temporaryFolder(), 'not', 'there')
      const service = await serve(server.url, indexDir, { METRICS_PORT: '0' })
      assert.equal((await send(service.address, '/healthz')).status, 503)
      await service.logs(new RegExp(`there is no folder ${indexDir}: it is fetched from ${server.url}/; until then`))
      await until('it is asked three times', () => server.timesAsked('current') >= 3)
      assert.deepEqual(reported(service), [
        `the version at INDEX_URL could not be downloaded; retrying: ${server.url}/current answered 503`,
      ])
      const away = await scrape(service.metrics)
      assert.equal(away.value('cpl_index_url_up'), 0)
      assert.equal(away.value('cpl_index_version_behind_seconds'), 0)
      server.beginAnew()
      await untilServed(service, first)
      assert.equal(server.asked.at(-1)!.headers['x-secret'], secret)
      assert.equal(
        server.asked.at(-1)!.headers.authorization,
        `Basic ${Buffer.from('me:hidden-word').toString('base64')}`,
      )

      server.beginAnew()
      server.failures[`${second}/cards-000.msgpack`] = wrongBytes
      const published = performance.now()
      makeCurrent(folder, second)
      await until('it is refused', () => reported(service).length === 2)
      assert.match(reported(service)[1]!, new RegExp(`${server.url}/${second}/cards-000.msgpack has a wrong checksum$`))
      assert.equal(await versionOf(service), first)
      await until('the metrics tell', async () => {
        const now = await scrape(service.metrics)
        const behind = now.value('cpl_index_version_behind_seconds')!
        assert.ok(behind < (performance.now() - published) / 1000, `${behind} s`)
        return now.value('cpl_index_url_up') === 1 && behind > 1
      })
      const tries = server.timesAsked(`${second}/cards-000.msgpack`)
      await until('it is tried again', () => server.timesAsked(`${second}/cards-000.msgpack`) > tries)
      assert.equal(reported(service).length, 2, 'and said once')
      server.beginAnew()
      await untilServed(service, second)
      assert.equal((await scrape(service.metrics)).value('cpl_index_version_behind_seconds'), 0)

      makeCurrent(folder, first)
      server.beginAnew()
      await untilServed(service, first)
      assert.equal(server.timesAsked(`${first}/manifest.json`), 0, 'nothing is fetched that is here')
      // The second version would be replaced before anybody has seen it.
      server.failures['current'] = status(503)
      await until('it is away', () => reported(service).length === 3)
      makeCurrent(indexDir, second)
      await untilServed(service, second)
      server.beginAnew()
      await untilServed(service, first)
      assert.doesNotMatch(service.log(), /hidden/)
      assert.equal(await service.stop(), 0)
      const found = readdirSync(indexDir).filter((name) => name.startsWith('.'))
      assert.deepEqual(found, ['.lock.db'])
    })

    it('A server with INDEX_URL downloads a missing file over https, and stops promptly if INDEX_URL does not answer', async () => {
      const { folder, server } = await publish(pair)
      const indexDir = temporaryFolder()
      cpSync(folder, indexDir, { recursive: true })
      const longAgo = new Date(Date.now() - 60_000)
      utimesSync(join(folder, 'current'), longAgo, longAgo)
      const path = join(indexDir, first, 'ids.msgpack')
      rmSync(path)
      const service = await serve(server.url, indexDir, { NODE_EXTRA_CA_CERTS: pair?.cert, LOG_LEVEL: 'info' })
      await untilServed(service, first)
      assert.ok(existsSync(path))
      await service.logs(/is rejected; retrying: \S+ids\.msgpack is not there/)
      server.beginAnew()
      await until('it asks again and again', () => server.asked.length >= 4)
      assert.equal(service.log().split('"msg":"fetched"').length - 1, 1)
      for (const { path: asked, headers } of server.asked) {
        assert.equal(asked, 'current')
        assert.notEqual(headers['if-none-match'], undefined, 'a repeated fetch asks anew')
      }
      server.beginAnew()
      server.failures[''] = silent
      await until('it asks', () => server.timesAsked('current') > 0)
      const from = performance.now()
      assert.equal(await service.stop(), 0)
      assert.ok(performance.now() - from < 20_000)
    })
  })

  describe('card-prices pull', { concurrency: false }, () => {
    let server: FileServer
    let indexDir: string
    before(async () => {
      server = (await publish()).server
    })
    after(() => server.stop())
    beforeEach(() => {
      indexDir = temporaryFolder()
    })

    const pull = (url: string, env: NodeJS.ProcessEnv = {}) =>
      runHere(url === '' ? ['pull'] : ['pull', url], { INDEX_DIR: indexDir, ...env })

    it('The command pull downloads once, and says what it did', async () => {
      const { code, stdout, stderr } = await pull(server.url, { INDEX_URL_HEADER: 'X-Secret: word' })
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(
        stdout,
        new RegExp(`^version ${first} is current in ${indexDir}; downloaded \\d+ files, 0\\.\\d MB\n$`),
      )
      assert.equal(server.asked.at(-1)!.headers['x-secret'], 'word')
      assert.equal(readFileSync(join(indexDir, 'current'), 'utf8'), `${first}\n`)
    })

    it('The command pull says in one line what is wrong', async () => {
      server.failures['current'] = status(403)
      const refused = await pull(`${server.url.replace('//', '//me:hidden@')}/x/`)
      assert.deepEqual(refused, { code: 1, stdout: '', stderr: `${server.url}/x/current answered 404\n` })
      const none = await pull('')
      assert.equal(none.code, 2)
      assert.match(none.stderr, /^missing required argument 'URL'\nTry: card-prices pull --help\n$/)
    })
  })

  it('A pull sends no request to a server whose certificate is of an unknown authority', {
    skip: withoutOpenssl,
  }, async () => {
    const { server } = await publish(pair)
    const pulled = await runHere(['pull', server.url], { INDEX_DIR: temporaryFolder() })
    const stderr = `${server.url}/current can't be fetched (DEPTH_ZERO_SELF_SIGNED_CERT)\n`
    assert.deepEqual([pulled, server.asked], [{ code: 1, stdout: '', stderr }, []])
    await server.stop()
  })
})
