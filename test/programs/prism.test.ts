/** Prism between a caller and a server: it holds each request and each answer against the description, and reports nothing. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { serveSample } from '../description/exchanges.ts'
import { collect, temporaryFolder } from '../support/command.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import type { ServersHere } from '../support/servers-here.ts'
import { type Sent, send } from '../support/service.ts'
import { until } from '../support/until.ts'
import { skipWithoutTools, toolPath } from './npm-tools.ts'

const skip = skipWithoutTools('prism')
let here: ServersHere
let prism: ChildProcess | undefined
let address = ''

before(async () => {
  here = await serveSample()
  if (skip !== false) return
  const description = join(temporaryFolder(), 'openapi.json')
  writeFileSync(description, (await send(here.address('A'), '/openapi.json')).body)
  prism = spawn(toolPath('prism')!, ['proxy', description, here.address('A'), '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(prism)
  await until('prism listens', () => /is listening on (http:\S+)/.test(output.stdout()))
  address = /is listening on (http:\S+)/.exec(output.stdout())![1]!
})
after(async () => {
  prism?.kill()
  await here.close()
})

const requests = 500

it('reports nothing of requests of every kind', { skip, timeout: 300_000 }, async () => {
  const random = randomFrom('prism')
  const tag = `"${here.server('A').data!.version}"`
  const statuses = new Map<number, number>()
  for (let i = 0; i < requests; i++) {
    const { path, sent } = drawRequest(random)
    const headers: Record<string, string> = { ...sent.headers, 'x-api-key': here.keys.business }
    if (sent.method === undefined && drawBelow(random, 4) === 0) headers['if-none-match'] = tag
    const reply = await send(address, path, { ...sent, headers })
    assert.equal(reply.headers['sl-violations'], undefined, `${path}: ${reply.status}`)
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
  }
  for (const status of [200, 304, 404]) assert.ok(statuses.get(status)! > 5, `${status}`)
})

const ids = ['pokemon-base1-004', 'mtg-unh-023', 'nobody']
const names = ['charizard', 'charizard 4/102', 'charizard base set', 'luffy', 'zzz', 'chraizard', 'リザードン']

function drawRequest(random: Random): { path: string; sent: Sent } {
  const from = <Value>(values: readonly Value[]) => drawFrom(random, values)
  const view = from(['', '&view=full', '&view=extended', '&view=summary'])
  const id = from(ids)
  const post = (body: object): Sent => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const lines = names.slice(0, drawBelow(random, names.length)).map((name) => ({ name, number: from(['4', '9/9']) }))
  const [path, sent = {}] = from<readonly [path: string, sent?: Sent]>([
    [`/v1/search?q=${encodeURIComponent(from(names))}${view}&limit=${from([1, 20, 100])}`],
    [
      `/v1/cards?game=${from(['pokemon', 'mtg'])}${view}&limit=3&offset=${from([0, 5, 5000])}${from(['', '&format=csv', '&changed_since=2026-11-19'])}`,
    ],
    [`/v1/cards/${id}${from(['', '?view=extended'])}`],
    [`/v1/cards/${id}/history?period=${from(['7d', 'all'])}`],
    [`/v1/cards/${id}/prices?days=${from([1, 90])}`],
    [`/v1/suggest?q=${from(['c', 'char', 'zz'])}`],
    [`/v1/sets?q=${from(['base', 'op', 'zz'])}`],
    [`/v1/sets/${from(['pokemon', 'mtg'])}/${from(['base1', 'nowhere'])}`],
    ['/v1/games'],
    [`/v1/bulk/${from(['swu', 'lorcana', 'chess'])}`],
    ['/healthz'],
    ['/v1/cards/batch', post({ ids, ...(view === '' ? {} : { view: view.slice('&view='.length) }) })],
    ['/v1/match', post({ cards: lines })],
  ])
  return { path, sent }
}
