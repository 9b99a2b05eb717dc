/**
 * Ten thousand callers who ask seldom, a server that is out of descriptors, and pauses as long as the server's patience:
 * straight at the server and behind both proxies as deploy configures them. Nothing that was accepted is lost.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { requestOf } from '../programs/hostile-requests.ts'
import { Callers, within } from '../programs/proxy-callers.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { type ProxyProcess, proxyNames, startProxy } from '../support/proxies.ts'
import { Wire } from '../support/proxy-wire.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'

const idleConnections = 10_000
const accountCount = 7
/** Of this process, the server and the proxies. */
const descriptorsNeeded = 12_000
const openedAtOnce = 500
const idleMs = 15_000
/** The server closes what is idle for 8 to 12 s, the proxies after 60 and 75. */
const serverPatienceMs = 7000
const proxyPatienceMs = 50_000
/** By callers straight at the server. */
const askedEveryMs = 4000
/** On a machine that does much else. */
const answerMsMax = 5000
const spareDescriptors = 20

const indexDir = temporaryFolder()
const storeDir = temporaryFolder()
const keys: string[] = []
let service: Service
let serverPort: number
let callers: Callers

const portOf = ({ address }: Service) => Number(new URL(address).port)
/** Each on a copy of the store: that is one server's. */
function serve() {
  const copy = temporaryFolder()
  copyFileSync(join(storeDir, 'accounts.mdb'), join(copy, 'accounts.mdb'))
  return startService({ INDEX_DIR: indexDir, STORE_DIR: copy })
}

before(async () => {
  if (descriptorsMax() < descriptorsNeeded) limitDescriptors(process.pid, descriptorsNeeded)
  await fixtureIndex(indexDir)
  for (let i = 0; i < accountCount; i++) {
    keys.push((await accounts(storeDir, 'create', `caller ${i}`, '--plan', 'business')).key)
  }
  service = await serve()
  serverPort = portOf(service)
  callers = await Callers.of(service, keys)
})

after(async () => assert.equal(await service.stop(), 0))

function descriptorsMax(): number {
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!
  return Number(soft)
}

/** Of those that are opened from now on. To raise it may need root. */
function limitDescriptors(pid: number, count: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${count}:${count}`])
}

/** Room for connections that end with the test. */
function wiresOf(t: TestContext): Wire[] {
  const wires: Wire[] = []
  t.after(() => {
    for (const wire of wires) wire.close()
  })
  return wires
}

/** Adds connections that have asked once. */
async function openMany(wires: Wire[], port: number): Promise<void> {
  while (wires.length < idleConnections) {
    const opened = await Promise.all(Array.from({ length: openedAtOnce }, () => Wire.open(port)))
    await Promise.all(opened.map((wire) => callers.ask(wire, 'opening')))
    wires.push(...opened)
  }
}

/** Asks one by one while the others keep still, a few requests a connection; returns the longest wait, in ms. */
async function askFor(ms: number, port: number): Promise<number> {
  let longest = 0
  for (const until = Date.now() + ms; Date.now() < until; ) {
    const wire = await Wire.open(port)
    for (let request = 0; request < 100; request++) {
      longest = Math.max(longest, await callers.ask(wire, 'among idle ones'))
      await pause(5)
    }
    wire.close()
  }
  return longest
}

/**
 * All of them, some at once. As a caller does, it opens a connection anew that has ended or has been idle for longer than
 * `patienceMs`: that it ends just then is nobody's fault. Returns how many were.
 */
async function askEach(wires: Wire[], port: number, patienceMs: number, when: string): Promise<number> {
  let reopened = 0
  const askOne = async (i: number) => {
    const wire = wires[i]!
    if (wire.ended || Date.now() - wire.usedAt > patienceMs) {
      wire.close()
      wires[i] = await Wire.open(port)
      reopened++
    }
    await callers.ask(wires[i]!, when)
  }
  for (let at = 0; at < wires.length; at += openedAtOnce) {
    const count = Math.min(openedAtOnce, wires.length - at)
    await Promise.all(Array.from({ length: count }, (_, i) => askOne(at + i)))
  }
  return reopened
}

const isOpen = ({ ended }: Wire) => !ended
const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** Seconds of processor time so far: the 14th and 15th field, in hundredths, of which the name is the second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

describe(`with ${idleConnections} idle connections`, () => {
  it('the server answers on, and each of them', async (t: TestContext) => {
    const wires = wiresOf(t)
    let rounds = 0
    let reopened = 0
    let done = false
    const keepAsking = async () => {
      for (; !done; rounds++) {
        const round = askEach(wires, serverPort, serverPatienceMs, `round ${rounds}`)
        reopened += (await Promise.all([round, pause(askedEveryMs)]))[0]
      }
    }
    const asking = keepAsking()
    const asked = openMany(wires, serverPort).then(() => askFor(idleMs, serverPort))
    const longest = await Promise.race([asked, asking.then(() => Number.NaN)])
    const held = descriptorsOf(service.child.pid!)
    done = true
    await asking
    t.diagnostic(`longest answer ${longest.toFixed(0)} ms; ${held} descriptors, ${reopened} reopened, ${rounds} rounds`)
    assert.ok(held > idleConnections / 2, `${held} descriptors`)
    assert.ok(longest < answerMsMax, `an answer took ${longest} ms`)
  })

  for (const name of proxyNames) {
    it(`${name} answers on, and each of them, over few connections to the server`, {
      skip: skipWithout(name),
    }, async (t: TestContext) => {
      const proxy = await startProxy(name, serverPort, { connectionsMax: descriptorsNeeded })
      const unopened = descriptorsOf(service.child.pid!)
      const wires = wiresOf(t)
      await openMany(wires, proxy.port)
      const longest = await askFor(idleMs, proxy.port)
      t.diagnostic(`longest answer ${longest.toFixed(0)} ms`)
      assert.ok(longest < answerMsMax, `an answer took ${longest} ms`)
      const held = descriptorsOf(service.child.pid!) - unopened
      assert.ok(held < 100, `${held} connections to the server`)
      const open = wires.filter(isOpen).length
      const reopened = await askEach(wires, proxy.port, proxyPatienceMs, 'after idling')
      t.diagnostic(`${open} were open, ${reopened} reopened`)
      assert.ok(open > idleConnections / 2, `${open} were open`)
      await proxy.stop()
    })
  }
})

describe('out of descriptors', () => {
  /** Connections of which the server can take only the first few; each has asked. */
  async function useUp(limited: Service): Promise<{ answered: Wire[]; waiting: Promise<unknown>[]; all: Wire[] }> {
    const pid = limited.child.pid!
    limitDescriptors(pid, descriptorsOf(pid) + spareDescriptors)
    const all = await Promise.all(Array.from({ length: 3 * spareDescriptors }, () => Wire.open(portOf(limited))))
    const answered: Wire[] = []
    const waiting = all.map((wire) => callers.ask(wire, 'out of descriptors').then(() => answered.push(wire)))
    // A file that the server reads now and then needs a descriptor too.
    for (const until = Date.now() + 5000; answered.length < spareDescriptors / 2; await pause(50)) {
      assert.ok(Date.now() < until, `${answered.length} were answered`)
    }
    await pause(500)
    assert.ok(answered.length < all.length, 'all were taken')
    return { answered, waiting, all }
  }

  it('a server goes on for those it has, and takes the others when some leave', async (t: TestContext) => {
    const limited = await serve()
    const pid = limited.child.pid!
    const { answered, waiting, all } = await useUp(limited)
    const had = [...answered]
    const before = processorSeconds(pid)
    await pause(1000)
    t.diagnostic(
      `${had.length} of ${all.length} taken; ${(processorSeconds(pid) - before).toFixed(2)} s of processor time a second`,
    )
    for (let round = 0; round < 20; round++)
      await askEach(had, portOf(limited), serverPatienceMs, 'on an accepted connection')
    while (answered.length < all.length) {
      const next = answered.find(isOpen)
      next?.close()
      await pause(20)
    }
    await Promise.all(waiting)
    const last = answered.filter(isOpen)
    await askEach(last, portOf(limited), serverPatienceMs, 'after the shortage')
    for (const wire of all) wire.close()
    const fresh = await Wire.open(portOf(limited))
    await callers.ask(fresh, 'after the shortage')
    fresh.close()
    assert.equal(await limited.stop(), 0)
  })

  for (const name of proxyNames) {
    it(`${name} waits for the server, and all is answered when it goes on`, { skip: skipWithout(name) }, async () => {
      const limited = await serve()
      const proxy = await startProxy(name, portOf(limited))
      const { waiting, all } = await useUp(limited)
      const wires = await Promise.all(Array.from({ length: spareDescriptors / 2 }, () => Wire.open(proxy.port)))
      const asked = wires.map((wire) => callers.ask(wire, 'through the proxy'))
      await pause(1000)
      for (const wire of all) wire.close()
      await Promise.allSettled(waiting)
      await Promise.all(asked)
      await askEach(wires, proxy.port, proxyPatienceMs, 'after the shortage')
      for (const wire of wires) wire.close()
      await proxy.stop()
      assert.equal(await limited.stop(), 0)
    })
  }
})

for (const name of proxyNames) {
  describe(`at ${name}’s leisure`, { skip: skipWithout(name) }, () => {
    let proxy: ProxyProcess

    before(async () => {
      proxy = await startProxy(name, serverPort)
    })

    after(() => proxy.stop())

    it('callers may pause for as long as the server waits', async () => {
      const batch = '{"ids":["mtg-lea-21"]}'
      const post = requestOf(
        'POST /v1/cards/batch',
        keys[0]!,
        `Content-Type: application/json\r\nContent-Length: 22\r\n`,
      )
      await Promise.all(
        Array.from({ length: 160 }, async (_, i) => {
          const wire = await Wire.open(proxy.port)
          await callers.ask(wire, 'before the pause')
          await pause(4000 + i * 60)
          const when = `after ${4000 + i * 60} ms`
          if (i % 2 === 0) await callers.ask(wire, when)
          else assert.equal((await within(wire.ask(post + batch), when))?.status, 200, when)
          wire.close()
        }),
      )
    })

    it('a body that comes slowly is waited for', async () => {
      const body = '{"ids":["mtg-lea-21"]}'
      const wire = await Wire.open(proxy.port)
      wire.write(
        requestOf('POST /v1/cards/batch', keys[0]!, `Content-Type: application/json\r\nContent-Length: 22\r\n`),
      )
      for (let at = 0; at < body.length; at += 4) {
        await pause(1000)
        wire.write(body.slice(at, at + 4))
      }
      const answer = await within(wire.answer(), 'a slow body')
      assert.equal(answer?.status, 200)
      assert.equal(JSON.parse(answer!.body).data[0].id, 'mtg-lea-21')
      wire.close()
    })

    it('what the server never answers is given up', async () => {
      const wire = await Wire.open(proxy.port)
      const answer = await within(wire.ask(requestOf('GET /v1/games', keys[0]!, 'X-Nul: a\0b\r\n')), 'a NUL')
      assert.ok([400, 502, 504].includes(answer!.status), `${answer!.status}`)
      wire.close()
      const other = await Wire.open(proxy.port)
      await callers.ask(other, 'after a NUL')
      other.close()
    })
  })
}
