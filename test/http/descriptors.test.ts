/** A server whose callers use up the descriptors: it rests, says so, has some left for itself, and accepts again. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { descriptorsOpen } from '../../src/platform/descriptors.ts'
import { amount } from '../support/amount.ts'
import { temporaryFolder, withLimits } from '../support/command.ts'
import { Wire } from '../support/proxy-wire.ts'
import { sampleIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const descriptors = 200
const restMs = 1000
const cpuMsMax = restMs / 5
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
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

describe('without descriptors', { skip: process.platform !== 'linux' && 'needs Linux' }, () => {
  for (const threads of [1, 2].slice(amount(1, 0))) {
    it(`${threads} thread(s) rest, keep some for pages and metrics, accept again, and stop`, {
      timeout: 60_000,
    }, async () => {
      const service = await serve(threads)
      const pid = service.child.pid!
      const wires = await openAll(service)
      assert.ok(wires.length > descriptors / 8, `${wires.length} were accepted`)
      assert.ok(descriptorsOpen(pid)! < descriptors - 20, `${descriptorsOpen(pid)} are open`)
      const before = cpuMs(pid)
      await pause(restMs)
      assert.ok(cpuMs(pid) - before < cpuMsMax, `${cpuMs(pid) - before} ms of CPU time`)
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
