/** The certificate while it is served: replaced in every way, spoilt, and asked for again. test/long has more changes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import {
  makeExpiredPair,
  makePair,
  nameServed,
  type Pair,
  spoilings,
  TlsCaller,
  ways,
} from '../support/certificates.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { rollCertificates } from '../support/rolling-certificates.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const linesWith = ({ log }: Service, text: string) =>
  log()
    .split('\n')
    .filter((line) => line.includes(text))

describe('a certificate', { skip: skipWithout('openssl'), concurrency: 2 }, () => {
  let first: Pair
  let second: Pair

  before(async () => {
    ;[first, second] = await Promise.all([makePair('first'), makePair('second')])
  })

  async function serve(env: NodeJS.ProcessEnv = {}) {
    const folder = temporaryFolder()
    ways['by renaming']!(folder, first)
    const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
    const service = await startService({ ...dirs, TLS_CERT, TLS_KEY, LOG_LEVEL: 'info', ...env })
    return { service, folder, port: Number(new URL(service.address).port) }
  }

  it('changes under load without a connection or an answer lost, and a bad one is refused', async (context) => {
    const seen = await rollCertificates(3, 2)
    context.diagnostic(JSON.stringify(seen))
    assert.ok(seen.refusals === 1 && seen.answers > 100 && seen.connections > 20)
  })

  it('that is bad is told in one line, whatever is wrong, and the one of before goes on', async () => {
    const { service, folder, port } = await serve()
    for (const [what, { spoil, says }] of Object.entries(spoilings)) {
      const before = linesWith(service, 'the certificate is refused').length
      await spoil(folder, second)
      await until(`${what} is refused`, () => linesWith(service, 'the certificate is refused').length > before)
      assert.match(linesWith(service, 'the certificate is refused').at(-1)!, says)
      assert.equal(await nameServed(port), 'first', what)
      for (const name of ['cert.pem', 'key.pem']) rmSync(join(folder, name), { recursive: true, force: true })
      ways['by renaming']!(folder, first)
      const again = 'the certificate is the one that is served'
      const told = linesWith(service, again).length
      service.child.kill('SIGHUP')
      await until('it is well again', () => linesWith(service, again).length > told)
    }
    assert.equal(await service.stop(), 0)
  })

  it('that has expired is refused; at a start it is served, with a line', async () => {
    const { service, folder, port } = await serve()
    const expired = await makeExpiredPair('expired')
    ways['by renaming']!(folder, expired)
    await until('it is refused', () => linesWith(service, 'refused').length > 0)
    assert.match(linesWith(service, 'refused')[0]!, /the certificate expired on /)
    assert.equal(await nameServed(port), 'first')
    assert.equal(await service.stop(), 0)
    const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
    const other = await startService({ ...dirs, TLS_CERT: expired.cert, TLS_KEY: expired.key })
    assert.match(other.log(), /the certificate expired on .*; it is served, since there is no other/)
    assert.equal(await nameServed(Number(new URL(other.address).port)), 'expired')
    assert.equal(await other.stop(), 0)
  })

  it('of before is given to a thread that takes another’s place while the files are bad', async () => {
    const mortalDir = temporaryFolder()
    const NODE_OPTIONS = `--require ${join(projectDir, 'test/support/mortal.cjs')}`
    const { service, folder, port } = await serve({ MORTAL_DIR: mortalDir, NODE_OPTIONS })
    const alive = () => readdirSync(mortalDir).find((name) => name.startsWith('alive-'))
    await until('the thread can be killed', () => alive() !== undefined)
    ways['by renaming']!(folder, second)
    await until('the second is served', async () => (await nameServed(port)) === 'second')
    writeFileSync(join(folder, 'key.pem'), '')
    await until('the files are refused', () => linesWith(service, 'refused').length > 0)
    const killed = alive()!
    writeFileSync(join(mortalDir, killed.replace('alive', 'kill')), '')
    await until('the thread is gone', () => !existsSync(join(mortalDir, killed)))
    const name = () => nameServed(port).catch(() => '')
    await until('its heir serves', async () => (await name()) === 'second')
    assert.equal(await service.stop(), 0)
  })

  it('is the pages’ too when it changes, and of the thread that takes the place of theirs', async () => {
    const probeDir = temporaryFolder()
    const NODE_OPTIONS = `--require ${join(projectDir, 'test/support/pages-probe.cjs')}`
    const { service, folder, port } = await serve({ WEB_PORT: '0', PROBE_DIR: probeDir, NODE_OPTIONS })
    const pages = Number(new URL(service.pages).port)
    assert.match(service.pages, /^https:/)
    const caller = await TlsCaller.open(pages)
    assert.equal(caller.name, 'first')
    ways['by renaming']!(folder, second)
    await until('the second is the callers’', async () => (await nameServed(port)) === 'second')
    await until('the second is the pages’', async () => (await nameServed(pages)) === 'second')
    assert.equal(await caller.ask('/nowhere', ''), 404, 'an open connection goes on')
    caller.close()
    writeFileSync(join(folder, 'key.pem'), '')
    await until('the files are refused', () => linesWith(service, 'refused').length > 0)
    writeFileSync(join(probeDir, 'throw'), '')
    const name = () => nameServed(pages).catch(() => '')
    await until('the pages are gone', async () => !existsSync(join(probeDir, 'throw')) && (await name()) === '')
    await until('their heir serves', async () => (await name()) === 'second')
    assert.equal(await service.stop(), 0)
  })

  it('keeps no descriptor, whether it changes or can’t be handed to a thread', async () => {
    const { service, folder, port } = await serve()
    const { pid } = service.child
    const descriptors = () => readdirSync(`/proc/${pid}/fd`).length
    const used = descriptors()
    for (const pair of [second, first]) {
      ways['by renaming']!(folder, pair)
      await until('it is served', async () => (await nameServed(port)) === pair.name)
    }
    // A pair of which the certificate can be copied, and the longer key can't: files may grow up to a bound.
    const long = { ...second, key: join(temporaryFolder(), 'key.pem') }
    writeFileSync(long.key, readFileSync(second.key, 'latin1') + '\n'.repeat(2_000_000))
    const limit = (bytes: string) => execFileSync('prlimit', [`--fsize=${bytes}:`, '--pid', `${pid}`])
    limit('1000000')
    ways['by renaming']!(folder, long)
    const told = () => linesWith(service, 'the certificate is refused')
    for (let times = 1; times <= 3; times++) {
      await until('it is refused', () => told().length === times)
      service.child.kill('SIGHUP')
    }
    assert.match(told()[0]!, /a certificate can't be handed to the HTTP library \(EFBIG/)
    assert.equal(await nameServed(port), 'first')
    limit('unlimited')
    await until('there is room', async () => (await nameServed(port)) === 'second')
    await until('each descriptor is closed', () => descriptors() <= used)
    assert.equal(await service.stop(), 0)
  })

  it('that is refused is told again at each SIGHUP, and open connections go on', async () => {
    const { service, folder, port } = await serve()
    const caller = await TlsCaller.open(port)
    writeFileSync(join(folder, 'cert.pem'), 'nothing')
    for (let told = 1; told <= 3; told++) {
      await until('it is told', () => linesWith(service, 'the certificate is refused').length === told)
      assert.equal(await caller.ask('/healthz', ''), 503)
      if (told < 3) service.child.kill('SIGHUP')
    }
    caller.close()
    assert.equal(await service.stop(), 0)
  })
})

it('SIGHUP is harmless without a certificate', async () => {
  const service = await startService({ INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() })
  for (let i = 0; i < 5; i++) {
    service.child.kill('SIGHUP')
    assert.equal((await send(service.address, '/healthz')).status, 503)
  }
  assert.equal(await service.stop(), 0)
})
