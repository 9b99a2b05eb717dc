/** The programs of docs/api.md, run as they stand: each block of js is the file that its first line names. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Dataset } from '../../src/api/dataset.ts'
import { dayMs } from '../../src/calendar.ts'
import { sampleIds } from '../fuzz/known.ts'
import { itInAll } from '../support/amount.ts'
import { collect, projectDir, temporaryFolder } from '../support/command.ts'
import { documentText } from '../support/documents.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

const programs = new Map(
  [...documentText('docs/api.md').matchAll(/^```js\n(\/\/ ([\w-]+\.mjs): .*?)^```$/gms)].map(([, text, name]) => [
    name!,
    text!,
  ]),
)

const beforeMidnight = Math.ceil(Date.now() / dayMs) * dayMs - 1500
/** What the server takes for the present moment. */
let clock = beforeMidnight
let here: ServersHere
let folder: string
before(async () => {
  here = await serveHere(join(projectDir, 'snapshots'), () => clock)
})
after(() => here.close())
beforeEach(() => {
  folder = temporaryFolder()
  for (const [name, text] of programs) writeFileSync(join(folder, name), text)
})

function start(name: string, key: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [name, ...args], {
    cwd: folder,
    env: { ...process.env, ADDRESS: here.address('A'), KEY: key, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { stdout, stderr } = collect(child)
  const ended = once(child, 'close').then(([code]) => {
    assert.equal(code, 0, stderr())
    return stdout()
  })
  return { stdout, stderr, ended }
}

it('are two', () => {
  assert.deepEqual([...programs.keys()], ['keep-prices.mjs', 'price-list.mjs'])
})

describe('keep-prices.mjs', () => {
  const shopFile = () => join(folder, 'shop.json')
  const readShop = () => JSON.parse(readFileSync(shopFile(), 'utf8'))
  const remaining = async () => {
    const { headers } = await send(here.address('A'), '/v1/games', { headers: { 'x-api-key': here.keys.business } })
    return Number(headers['x-ratelimit-remaining'])
  }

  it('writes the price of each card, and asks one question while nothing is new', async () => {
    const ids = sampleIds()
    writeFileSync(shopFile(), JSON.stringify({ ids: [...ids, 'mtg-no-such-card'] }))
    const earlier = await remaining()
    // Of two games the sample has so many.
    const said = await start('keep-prices.mjs', here.keys.business, [], { BULK_FROM: '60' }).ended
    assert.equal(said, `${ids.length} of ${ids.length + 1} cards have prices\n`)
    const { prices, tag } = readShop()
    assert.equal(tag, `"${here.server('A').data!.version}"`)
    for (const id of ids) {
      const { json } = await send(here.address('A'), `/v1/cards/${id}`, { headers: { 'x-api-key': here.keys.trader } })
      assert.equal(prices[id], json.data.prices.market, id)
    }
    const few = Object.values(Object.groupBy(ids, (id) => id.split('-')[0]!)).filter((some) => some!.length < 60)
    const batches = few.reduce((sum, some) => sum + Math.ceil(some!.length / 20), 0)
    assert.equal(earlier - (await remaining()), 1 + 2 + batches + 1, 'the games, two downloads, the batches')

    const written = readFileSync(shopFile(), 'utf8')
    assert.equal(await start('keep-prices.mjs', here.keys.business).ended, 'nothing is new\n')
    assert.equal(readFileSync(shopFile(), 'utf8'), written)
  })

  it('looks again when the data is another', async () => {
    const old = { ids: ['pokemon-base1-004'], tag: '"2020-01-01-000000000000"', prices: { 'pokemon-base1-004': 1 } }
    writeFileSync(shopFile(), JSON.stringify(old))
    assert.equal(await start('keep-prices.mjs', here.keys.free).ended, '1 of 1 cards have prices\n')
    assert.deepEqual(readShop().prices, { 'pokemon-base1-004': 241.6 })
  })
})

describe('price-list.mjs', () => {
  itInAll('goes on when the next day has begun', async () => {
    const { stdout, stderr, ended } = start('price-list.mjs', here.keys.spent, ['pokemon-base1-004', 'nobody'])
    await until('it is told to wait', () => stderr() !== '')
    assert.equal(stderr(), '429: asking again in 2 s\n')
    assert.equal(stdout(), '')
    clock = beforeMidnight + 2000
    assert.equal(await ended, 'pokemon-base1-004 241.6\nnobody CARD_NOT_FOUND\n')
    assert.equal(stderr(), '429: asking again in 2 s\n')
  })

  itInAll('goes on when the service does', async () => {
    const server = here.server('A')
    const data: Dataset | undefined = server.data
    server.data = undefined
    const { stderr, ended } = start('price-list.mjs', here.keys.business, ['pokemon-base1-004'])
    await until('it is told to wait', () => stderr() !== '')
    server.data = data
    assert.equal(await ended, 'pokemon-base1-004 241.6\n')
    assert.match(stderr(), /^(503: asking again in 1 s\n)+$/)
  })
})
