/** The peers that are installed here answer as the service does, to who has a key: or their figures would mean nothing. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { ask } from '../../bench/harness/answers.ts'
import { service } from '../../bench/harness/contestants.ts'
import { type Candidate, startReady } from '../../bench/harness/harness.ts'
import { thisMachine } from '../../bench/harness/machine.ts'
import { Report } from '../../bench/harness/report.ts'
import { prepare } from '../../bench/harness/subject.ts'
import { type Bench, prepareScenario } from '../../bench/harness/workload.ts'
import { scenarioOf } from '../../bench/http/scenarios.ts'
import { generatorFor } from '../../bench/load/load.ts'
import { type Peer, peersFor, sameAnswering } from '../../bench/servers/peers.ts'
import { projectDir } from '../support/command.ts'

const requestsCompared = 60
let bench: Bench

before(async () => {
  const machine = { ...thisMachine(), pins: false }
  bench = {
    machine,
    generator: generatorFor(machine),
    subject: await prepare(join(projectDir, 'snapshots'), 5),
    report: new Report(),
    rounds: 1,
    seconds: 1,
    connections: 4,
    requestsListed: 200,
    answersSampled: 20,
  }
})

/** Status of an answer, and of one with a key that nobody has. */
async function statuses(contestant: Candidate, request: string): Promise<string[]> {
  const server = await startReady(contestant)
  try {
    const heads: string[] = []
    const unknown = request.replace(/X-API-Key: \S+/, 'X-API-Key: nobody')
    for await (const { head } of ask(server.port, [request, unknown])) heads.push(head.split(' ')[1]!)
    return heads
  } finally {
    await server.stop()
  }
}

/** The service, its peers, and those of them that are installed and have answered alike. */
async function compared(name: string) {
  const prepared = await prepareScenario(bench, scenarioOf(name))
  const own = service(bench.machine, bench.subject, prepared.workload)
  const requests = prepared.requests.slice(0, requestsCompared)
  const peers = await peersFor(bench, prepared)
  return { own, requests, peers, same: await sameAnswering(own, peers, requests) }
}

describe('peers', () => {
  it('answer card details with the same bytes, to who has a key', async () => {
    const { own, requests, peers, same } = await compared('details')
    assert(same.length >= 2, 'node:http is everywhere, with a Map and with SQLite')
    for (const contestant of same.filter(({ generator }) => generator === undefined)) {
      assert.deepEqual(await statuses(contestant, requests[0]!), ['200', '401'], contestant.name)
    }
    const other = peers.find(({ lack }) => lack === undefined)!
    await assert.rejects(sameAnswering(own, [oneOff(other)], requests.slice(0, 3)), /does not answer as/)
  })

  it('answer batches with the same bytes', async () => {
    assert((await compared('batch')).same.length >= 2)
  })

  it('search for the same names, and show cards alike', async () => {
    const { own, requests, same } = await compared('search-new')
    assert(same.length >= 1, 'SQLite is everywhere')
    const expected = await pages(own, requests)
    for (const contestant of same) {
      const found = await pages(contestant, requests)
      let sharing = 0
      for (const [i, cards] of expected.entries()) {
        const theirs = new Map(found[i]!.map((card) => [card.id, card]))
        const shared = cards.filter(({ id }) => theirs.has(id))
        for (const card of shared) assert.deepEqual(theirs.get(card.id), card, contestant.name)
        if (shared.length > 0) sharing++
      }
      assert(sharing > requests.length / 2, contestant.name)
    }
  })
})

async function pages(contestant: Candidate, requests: readonly string[]): Promise<{ id: string }[][]> {
  const server = await startReady(contestant)
  try {
    const found: { id: string }[][] = []
    for await (const { body } of ask(server.port, requests)) found.push(JSON.parse(body.toString()).data)
    return found
  } finally {
    await server.stop()
  }
}

/** Its first answer is another one. */
const oneOff = (peer: Peer): Peer => ({
  ...peer,
  bodies: async (port, requests) => ['', ...(await peer.bodies!(port, requests)).slice(1)],
})
