/** The certificate while it is served: replaced in every way, spoilt, and asked for again. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { itInAll } from '../support/amount.ts'
import {
  makeExpiredPair,
  makeForeignPair,
  makePair,
  nameServed,
  type Pair,
  spoilings,
  TlsCaller,
  ways,
} from '../support/certificates.ts'
import { temporaryFolder, withLimits } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

// A retry must not begin while a test puts files back: it would take them for the files of the state before.
const waits = { currentPollMs: 40, certificateSettleMs: 60, versionRetryMsFirst: 2000 }
/** The longest wait, and a part of it in which a server that does not wait has read the files. */
const [settleMs, secondFileMs] = [950, 150]
/** Longer than both waits. */
const apartMs = 300

const linesWith = ({ log }: Service, text: string) =>
  log()
    .split('\n')
    .filter((line) => line.includes(text))

describe('The certificate of a server', { skip: skipWithout('openssl') }, () => {
  let first: Pair
  let second: Pair
  let expired: Pair

  before(async () => {
    ;[first, second, expired] = await Promise.all([makePair('first'), makePair('second'), makeExpiredPair('expired')])
  })

  const folder = temporaryFolder()
  const mortalDir = temporaryFolder()
  const probeDir = temporaryFolder()
  let service: Service
  let port: number

  before(async () => {
    ways['by renaming']!(folder, expired)
    const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
    const limits = withLimits(waits, 'test/process/mortal.cjs', 'test/web/pages-probe.cjs')
    const env = { MORTAL_DIR: mortalDir, PROBE_DIR: probeDir, ...limits }
    service = await startService({ ...dirs, ...env, TLS_CERT, TLS_KEY, WEB_PORT: '0', LOG_LEVEL: 'info' })
    port = Number(new URL(service.address).port)
  })

  const refusals = () => linesWith(service, 'the new certificate is rejected')

  after(async () => assert.equal(await service.stop(), 0))

  /** Replaces both files while the server stands still, so that it never sees one without the other, however busy the machine is. */
  function replace(pair: Pick<Pair, 'cert' | 'key'>): void {
    service.child.kill('SIGSTOP')
    for (const name of ['cert.pem', 'key.pem']) rmSync(join(folder, name), { recursive: true, force: true })
    ways['by renaming']!(folder, pair)
    service.child.kill('SIGCONT')
  }

  /** After any content of the files. */
  async function putBack(pair: Pair): Promise<void> {
    replace(pair)
    const said = ['the certificate has not changed', 'new connections get a new certificate']
    const times = () => said.flatMap((text) => linesWith(service, text)).length
    const before = times()
    service.child.kill('SIGHUP')
    // The line that tells of an earlier change may come only now.
    await until('it is well again', async () => times() > before && (await nameServed(port)) === pair.name)
  }

  itInAll('A certificate replaced in any way is soon served, and no connection or response is lost', async (t) => {
    const changing = temporaryFolder()
    ways['by renaming']!(changing, first)
    const files = { TLS_CERT: join(changing, 'cert.pem'), TLS_KEY: join(changing, 'key.pem') }
    const own = await startService({
      INDEX_DIR: temporaryFolder(),
      STORE_DIR: temporaryFolder(),
      THREADS: '2',
      ...files,
    })
    t.after(async () => assert.equal(await own.stop(), 0))
    const to = Number(new URL(own.address).port)
    let done = false
    /** Asks over one connection, or over a new one for each request. */
    const call = async (lasts: boolean) => {
      let caller = await TlsCaller.open(to)
      for (; !done; await pause(5)) {
        assert.equal(await caller.ask('/healthz', ''), 503)
        if (lasts) continue
        caller.close()
        caller = await TlsCaller.open(to)
      }
      if (lasts) assert.equal(caller.name, 'first')
      caller.close()
    }
    const calling = Promise.all([true, true, false, false].map(call))
    const changes = async () => {
      for (const [i, [what, replaceIn]] of Object.entries(ways).entries()) {
        const next = i % 2 === 0 ? second : first
        await replaceIn(changing, next, apartMs)
        await until(`one replaced ${what} is served`, async () => (await nameServed(to)) === next.name)
      }
    }
    await Promise.race([calling, changes()])
    done = true
    await calling
  })

  it('A certificate and a key that are replaced one after the other are served, and neither is rejected', async (t) => {
    const slow = temporaryFolder()
    ways['by renaming']!(slow, first)
    const [TLS_CERT, TLS_KEY] = [join(slow, 'cert.pem'), join(slow, 'key.pem')]
    const dirs = { INDEX_DIR: temporaryFolder(), STORE_DIR: temporaryFolder() }
    const limits = withLimits({ currentPollMs: 20, certificateSettleMs: settleMs })
    const own = await startService({ ...dirs, ...limits, TLS_CERT, TLS_KEY })
    t.after(async () => assert.equal(await own.stop(), 0))
    // Between both the server has noticed the first, and still waits.
    const start = performance.now()
    await ways['one after the other']!(slow, second, secondFileMs)
    const isInTime = performance.now() - start < settleMs - 100
    await until('it is served', async () => (await nameServed(Number(new URL(own.address).port))) === 'second')
    if (isInTime) assert.deepEqual(linesWith(own, 'is rejected'), [])
  })

  it('An expired certificate is served with a log line from a start on, and refused as a replacement', async () => {
    await service.logs(/the certificate expired on .*; it is served because there is no other/)
    assert.equal(await nameServed(port), 'expired')
    await putBack(first)
    const before = refusals().length
    replace(expired)
    await until('it is refused', () => refusals().length > before)
    assert.match(refusals().at(-1)!, /the certificate expired on /)
    assert.equal(await nameServed(port), 'first')
    await putBack(first)
  })

  it('A bad certificate is logged in one line, and the previous one stays', async () => {
    for (const [what, { spoil, says }] of Object.entries(spoilings)) {
      const before = refusals().length
      await spoil(folder, second)
      await until(`${what} is refused`, () => refusals().length > before)
      assert.match(refusals().at(-1)!, says)
      assert.equal(await nameServed(port), 'first', what)
      await putBack(first)
      assert.equal(refusals().length, before + 1, what)
    }
  })

  it('A certificate that only the HTTP library refuses is logged in one line, and the previous one stays', async () => {
    const before = refusals().length
    replace(await makeForeignPair('foreign'))
    await until('it is refused', () => refusals().length > before)
    assert.match(refusals().at(-1)!, /the previous one stays: the HTTP library can't use it \(/)
    assert.equal(await nameServed(port), 'first')
    await putBack(first)
  })

  it('A certificate renewed with the same key is served', async () => {
    await putBack(await makePair('renewed', first))
    await putBack(first)
  })

  it('A certificate that is unchanged or refused is logged at each SIGHUP, and open connections go on', async () => {
    const unchanged = () => linesWith(service, 'the certificate has not changed').length
    const unchangedBefore = unchanged()
    service.child.kill('SIGHUP')
    await until('it is logged that it has not changed', () => unchanged() > unchangedBefore)
    const caller = await TlsCaller.open(port)
    const before = refusals().length
    writeFileSync(join(folder, 'cert.pem'), 'nothing')
    for (let reported = 1; reported <= 3; reported++) {
      await until('it is logged', () => refusals().length === before + reported)
      assert.equal(await caller.ask('/healthz', ''), 503)
      if (reported < 3) service.child.kill('SIGHUP')
    }
    caller.close()
    await putBack(first)
  })

  it('A change of the certificate, even a failed one, leaves no open descriptor and no file behind', async () => {
    const { pid } = service.child
    const descriptors = () => readdirSync(`/proc/${pid}/fd`).length
    const used = descriptors()
    for (const pair of [second, first]) {
      replace(pair)
      await until('it is served', async () => (await nameServed(port)) === pair.name)
    }
    // A pair of which the certificate can be copied, and the longer key can't: files may grow up to a bound.
    const long = { ...second, key: join(temporaryFolder(), 'key.pem') }
    writeFileSync(long.key, readFileSync(second.key, 'latin1') + '\n'.repeat(2_000_000))
    const limit = (bytes: string) => execFileSync('prlimit', [`--fsize=${bytes}:`, '--pid', `${pid}`])
    const before = refusals().length
    limit('1000000')
    replace(long)
    for (let times = 1; times <= 3; times++) {
      await until('it is refused', () => refusals().length === before + times)
      service.child.kill('SIGHUP')
    }
    assert.match(refusals()[before]!, /the HTTP library can't get a certificate \(EFBIG/)
    assert.equal(await nameServed(port), 'first')
    limit('unlimited')
    await until('there is room', async () => (await nameServed(port)) === 'second')
    await until('each descriptor is closed', () => descriptors() <= used)
    const files = ['/dev/shm', tmpdir()].flatMap((dir) => readdirSync(dir))
    const left = files.filter((name) => name.startsWith(`card-prices-${pid}-`))
    assert.deepEqual(left, [], 'no key stays in a file')
    await putBack(first)
  })

  it('A replaced thread and the pages get the previous certificate while the files are bad', async () => {
    const alive = () => readdirSync(mortalDir).find((name) => name.startsWith('alive-'))
    await until('the thread can be killed', () => alive() !== undefined)
    const pages = Number(new URL(service.pages).port)
    assert.match(service.pages, /^https:/)
    const caller = await TlsCaller.open(pages)
    assert.equal(caller.name, 'first')
    replace(second)
    await until('the second is served', async () => (await nameServed(port)) === 'second')
    await until('the second is the pages’', async () => (await nameServed(pages)) === 'second')
    assert.equal(await caller.ask('/nowhere', ''), 404, 'an open connection goes on')
    caller.close()
    const before = refusals().length
    writeFileSync(join(folder, 'key.pem'), '')
    await until('the files are refused', () => refusals().length > before)
    const killed = alive()!
    writeFileSync(join(mortalDir, killed.replace('alive', 'kill')), '')
    writeFileSync(join(probeDir, 'throw'), '')
    await until('the thread is gone', () => !existsSync(join(mortalDir, killed)))
    const name = (of: number) => nameServed(of).catch(() => '')
    await until(
      'the pages’ thread is gone',
      () => linesWith(service, 'the thread of the pages ended and is replaced').length > 0,
    )
    await until('its replacement serves', async () => (await name(port)) === 'second')
    await until('the pages’ replacement serves', async () => (await name(pages)) === 'second')
  })
})
