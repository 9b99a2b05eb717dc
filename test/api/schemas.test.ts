/** Every answer there is to the sample snapshot has the shape that its row names, and the shapes are closed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import * as v from 'valibot'
import { historyPeriod } from '../../src/api/parameters.ts'
import { type ResponseOf, type SchemaName, schemas } from '../../src/api/schemas.ts'
import { batchIdsMax, historyDaysMax, idCharsMax, searchLimitMax, setsLimitMax } from '../../src/limits.ts'
import { sampleIds } from '../fuzz/known.ts'
import { amount, someOf } from '../support/amount.ts'
import { projectDir } from '../support/command.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'
import { type Reply, type Sent, send } from '../support/service.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'

let here: ServersHere
before(async () => {
  here = await serveHere(join(projectDir, 'snapshots'))
})
after(() => here.close())

const asked = (path: string, { headers, ...sent }: Sent = {}, on = here): Promise<Reply> =>
  send(on.address('A'), path, { ...sent, headers: { 'x-api-key': on.keys.business, ...headers } })

const batchOf = (ids: readonly string[]): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ids }),
})

/** The answer, which is good and of that shape. */
async function shaped<Name extends SchemaName>(
  name: Name,
  path: string,
  sent?: Sent,
  on = here,
): Promise<ResponseOf<Name>> {
  const { status, json } = await asked(path, sent, on)
  assert.equal(status, 200, path)
  const result = v.safeParse<v.GenericSchema>(schemas[name], json)
  if (!result.success) assert.fail(`${path}: ${v.getDotPath(result.issues[0])}: ${result.issues[0].message}`)
  return json
}

describe('of the sample snapshot', () => {
  const ids = sampleIds()

  it('every card has its shapes: alone, found by its name, in a batch', async () => {
    const found = new Set<string>()
    const sought = new Set(someOf(ids, 40))
    for (const id of ids) {
      const { data } = await shaped('card', `/v1/cards/${id}`)
      assert.equal(data.id, id)
      if (!sought.has(id)) continue
      const page = await shaped('searchPage', `/v1/search?q=${encodeURIComponent(data.name)}&limit=${searchLimitMax}`)
      for (const summary of page.data) found.add(summary.id)
    }
    for (const id of sought) assert.ok(found.has(id), id)
    for (let start = 0; start < ids.length; start += batchIdsMax) {
      const some = ids.slice(start, start + batchIdsMax)
      const { data } = await shaped('batch', '/v1/cards/batch', batchOf(some))
      assert.deepEqual(
        data.map(({ id }) => id),
        some,
      )
    }
  })

  it('every history has its shapes, in both forms', async () => {
    let days = 0
    for (const id of someOf(ids, 30)) {
      days += (await shaped('historyByPeriod', `/v1/cards/${id}/history?period=all`)).data.history.length
      await shaped('historyByDays', `/v1/cards/${id}/prices?days=${historyDaysMax}`)
    }
    assert.ok(days > amount(10_000, 100_000), `${days} days`)
    for (const period of historyPeriod.values) {
      assert.equal(
        (await shaped('historyByPeriod', `/v1/cards/${ids[0]}/history?period=${period}`)).data.period,
        period,
      )
    }
  })

  it('sets, games and health have theirs', async () => {
    const { data, total } = await shaped('setsPage', `/v1/sets?limit=${setsLimitMax}`)
    assert.equal(data.length, total)
    const { data: games } = await shaped('games', '/v1/games')
    assert.equal(
      games.reduce((sum, { cardCount }) => sum + cardCount, 0),
      ids.length,
    )
    assert.equal((await shaped('health', '/healthz')).cards, ids.length)
  })
})

it('what a snapshot may hold at its most and least has the shapes, too', async () => {
  const bare = { id: 'pokemon-a', game: 'pokemon', name: '1', setCode: 'base1' }
  const prices = { market: 10_000_000, low: 0, mid: 0.005, high: null, graded: { psa_9_5: 0, x_1: 10_000_000 } }
  const cards = [
    bare,
    { ...bare, id: `pokemon-${'~'.repeat(idCharsMax - 'pokemon-'.length)}`, updatedAt: '2026-11-20T06:00Z', prices },
    {
      ...bare,
      id: 'pokemon-b',
      updatedAt: '0001-01-01T00:00:00.123456789Z',
      image: 'HTTPS://é.example/ü ü',
      sources: ['a'],
    },
    {
      ...bare,
      id: 'pokemon-c',
      number: ' ',
      rarity: '★',
      prices: { conditions: { damaged: 0, lightly_played: 1e-9 } },
    },
  ]
  const history = `date,id,market,low,high\n1990-01-01,pokemon-a,,,0\n2099-12-31,pokemon-a,10000000,0.001,\n`
  const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': cards, 'history/a.csv': history })
  const odd = await serveHere(snapshot)
  try {
    for (const { id } of cards) await shaped('card', `/v1/cards/${id}`, {}, odd)
    assert.equal((await shaped('searchPage', '/v1/search?q=1', {}, odd)).total, cards.length)
    await shaped('batch', '/v1/cards/batch', batchOf(cards.map(({ id }) => id)), odd)
    const { data } = await shaped('historyByPeriod', '/v1/cards/pokemon-a/history?period=all', {}, odd)
    assert.equal(data.history.length, 2)
    assert.deepEqual((await shaped('setsPage', '/v1/sets?offset=9007199254740991', {}, odd)).data, [])
    assert.equal((await shaped('health', '/healthz', {}, odd)).asOf, '2099-12-31')
  } finally {
    await odd.close()
  }
})

/** Each object in a value, with the name under which it stands. */
function* objectsIn(value: unknown, name = ''): Generator<readonly [name: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [name, value as Record<string, unknown>]
  for (const [key, part] of Object.entries(value)) yield* objectsIn(part, key)
}

describe('a shape', () => {
  const card = '/v1/cards/pokemon-base1-004'
  const answers: readonly (readonly [shape: SchemaName, path: string, sent?: Sent])[] = [
    ['card', card],
    ['searchPage', '/v1/search?q=charizard&limit=1'],
    ['setsPage', '/v1/sets?limit=1'],
    ['setDetails', '/v1/sets/pokemon/base1'],
    ['games', '/v1/games'],
    ['historyByPeriod', `${card}/history?period=7d`],
    ['historyByDays', `${card}/prices?days=2`],
    ['batch', '/v1/cards/batch', batchOf(['pokemon-base1-004'])],
    ['health', '/healthz'],
    ['errorInFormA', '/v1/nope'],
    ['errorInFormB', `${card}/prices?days=0`],
  ]
  /** Lists have one shape for all views, so what a view does not have may be missing. */
  const lists: readonly SchemaName[] = ['searchPage', 'batch']
  const ofViews = new Set(['set', 'rarity', 'conditions'])
  /** They hold only what is known, so one entry less is right. */
  const ofKnown = new Set(['conditions', 'graded'])

  for (const [name, path, sent] of answers) {
    it(`refuses ${name} with a field more, a field less, or one of another type`, async () => {
      const { body } = await asked(path, sent)
      const shape: v.GenericSchema = schemas[name]
      assert.ok(v.is(shape, JSON.parse(body)))
      const places = [...objectsIn(JSON.parse(body))]
      for (const [i, [holder, object]] of places.entries()) {
        const refuses = (change: (one: Record<string, unknown>) => void) => {
          const answer = JSON.parse(body)
          change([...objectsIn(answer)][i]![1])
          assert.equal(v.is(shape, answer), false, JSON.stringify(answer).slice(0, 500))
        }
        refuses((one) => {
          one['more'] = 1
        })
        for (const key of Object.keys(object)) {
          const isOptional = ofKnown.has(holder) || (lists.includes(name) && ofViews.has(key))
          if (!isOptional) refuses((one) => delete one[key])
          refuses((one) => {
            one[key] = typeof one[key] === 'object' && one[key] !== null ? 1 : {}
          })
        }
      }
    })
  }

  it('says what may be null, and what may not', async () => {
    const { data } = (await asked(card)).json
    const unknown = { ...data, number: null, rarity: null, image: null, updatedAt: null }
    unknown.prices = { ...data.prices, market: null, low: null, mid: null, high: null }
    assert.ok(v.is(schemas.card, { data: unknown }))
    for (const key of ['id', 'name', 'game', 'set', 'setCode', 'prices', 'sources']) {
      assert.equal(v.is(schemas.card, { data: { ...data, [key]: null } }), false, key)
    }
    for (const market of [-0.01, 10_000_000.01, Number.NaN, '1']) {
      assert.equal(v.is(schemas.card, { data: { ...data, prices: { ...data.prices, market } } }), false, `${market}`)
    }
  })
})
