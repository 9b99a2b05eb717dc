/** A server whose callers use up the descriptors: it rests, says so, has some left for itself, and accepts again. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { Apps } from '../../src/http/connections/apps.ts'
import { Connections, closedLogMs } from '../../src/http/connections/connections.ts'
import { descriptorsLookMs } from '../../src/http/connections/listening-port.ts'
import { descriptorsForCallers, descriptorsMax, descriptorsOpen } from '../../src/platform/descriptors.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder, withLimits } from '../support/command.ts'
import { Wire } from '../support/proxy-wire.ts'
import { sampleIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const descriptors = 200
const restMs = 500
const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const line = /"msg":"no new connections are accepted: callers have all descriptors/g

async function serve(threads: number): Promise<Service> {
  const limits = withLimits({ descriptorsLookMs: 20 }, 'test/http/few-descriptors.cjs')
  const ports = { WEB_PORT: '0', METRICS_PORT: '0', THREADS: String(threads), TEST_DESCRIPTORS: String(descriptors) }
  return startService({ INDEX_DIR: await sampleIndex(), STORE_DIR: temporaryFolder(), ...ports, ...limits })
}

const portOf = ({ address }: Service) => Number(new URL(address).port)

/** A connection that was answered; undefined if it was refused. */
async function opened(service: Service): Promise<Wire | undefined> {
  const wire = await Wire.open(portOf(service)).catch(() => undefined)
  const answer = await Promise.race([wire?.ask(health), pause(2000, 'no answer', { ref: false })])
  assert.notEqual(answer, 'no answer', 'the connection neither is answered nor refused')
  return answer === undefined ? undefined : wire
}

/** Opens connections until none is accepted any more. */
async function openAll(service: Service, wires: Wire[] = []): Promise<Wire[]> {
  // A thread may have been chosen that left the port just then.
  for (let refused = 0; refused < 20; ) {
    const wire = await opened(service)
    if (wire === undefined) refused++
    else wires.push(wire)
  }
  return wires
}

/** Waits until so many are open, and no further one is accepted. */
const untilOpen = (service: Service, wires: Wire[], count: number, what: string) =>
  until(what, async () => (await openAll(service, wires)).length >= count)

/** Of all threads, with its system calls: the 14th and 15th field, in hundredths of a second. */
function cpuMs(pid: number | 'self'): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const [isLinux, needsLinux] = [process.platform === 'linux', 'needs Linux']

it('A thread stops listening when its share of descriptors is used up, and listens again once the port is free', {
  skip: !isLinux && needsLinux,
}, async (test) => {
  const now = performance.now.bind(performance)
  let aheadMs = 0
  test.mock.method(performance, 'now', () => now() + aheadMs)
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (text) => lines.push(text) })
  const listening = async (threads: number, hasLeft = false) => {
    const connections = new Connections(log)
    const apps = new Apps(connections, log, () => {})
    apps.answerPlainly()
    if (hasLeft) apps.leavePort()
    const port = await apps.listen({ host: '127.0.0.1', port: 0, exclusive: true, opened: 10, threads })
    return { max: connections.max, apps, port }
  }
  assert.equal((await listening(1, true)).port, undefined)
  const third = await listening(3)
  assert.equal(third.max, Math.floor(descriptorsForCallers(descriptorsMax('self') - 10) / 3))
  third.apps.close()
  const { max, apps, port } = await listening(1e9)
  assert.equal(max, 1)
  const open = () => Wire.open(port!).catch(() => undefined)
  const canOpen = async () => {
    const wire = await open()
    wire?.close()
    return wire !== undefined
  }
  const program = createServer()
  await until('another program takes the port', async () => {
    const wire = await open()
    await until('it refuses others', async () => !(await canOpen()))
    wire?.close()
    program.listen(port, '127.0.0.1')
    return once(program, 'listening').then(
      () => true,
      () => false,
    )
  })
  aheadMs = closedLogMs
  await until('it reports who has the port', () => lines.length > 1)
  program.close()
  await until('it accepts again', canOpen)
  apps.close()
  await pause(2 * descriptorsLookMs)
  assert.ok(!(await canOpen()), 'it is closed')
  const said = 'no new connections are accepted: '
  const remedy = 'Raise their limit: LimitNOFILE= in the unit, or ulimit -n'
  const found = lines.map((text) => JSON.parse(text))
  assert.deepEqual(found, [
    { level: 40, connections: 1, msg: `${said}callers have all descriptors. ${remedy}` },
    { level: 40, connections: 0, msg: `${said}another program has taken the port` },
  ])
})

describe('A server without free descriptors', { skip: !isLinux && needsLinux }, () => {
  for (const threads of [1, 2].slice(amount(1, 0))) {
    it(`A server of ${threads} thread(s) out of descriptors idles, still serves pages and metrics, and accepts again later`, {
      timeout: 300_000,
    }, async () => {
      const service = await serve(threads)
      const pid = service.child.pid!
      const wires = await openAll(service)
      assert.ok(wires.length > descriptors / 8, `${wires.length} were accepted`)
      assert.ok(descriptorsOpen(pid)! < descriptors - 20, `${descriptorsOpen(pid)} are open`)
      const before = [cpuMs(pid), cpuMs('self')] as const
      // On a busy machine, this takes longer by the clock.
      while (cpuMs('self') - before[1] < restMs);
      const [its, ours] = [cpuMs(pid) - before[0], cpuMs('self') - before[1]]
      assert.ok(its < ours / 3, `it took ${its} ms of CPU time beside a loop that took ${ours}`)
      assert.equal((await send(service.pages, '/status')).status, 200)
      assert.match((await send(service.metrics, '/metrics')).body, new RegExp(`^cpl_connections ${wires.length}$`, 'm'))
      for (const wire of wires) assert.equal((await wire.ask(health))?.status, 200)
      assert.equal(service.log().match(line)?.length, threads, service.log())
      const all = wires.length
      for (const wire of wires.splice(0, all / 2)) wire.close()
      await untilOpen(service, wires, wires.length + 1, 'it accepts again')
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${2 * descriptors}:`])
      await untilOpen(service, wires, all + descriptors / 4, 'a higher limit counts')
      assert.equal(service.log().match(line)?.length, threads, 'it is logged once a minute')
      assert.equal(await service.stop(), 0, 'a server stops that accepts nothing')
      for (const wire of wires) wire.close()
    })
  }
})
