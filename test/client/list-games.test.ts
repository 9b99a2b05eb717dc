/** Lists of games that a version has besides the first eight: the client learns of them only if a list says something of them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { CardPrices, type ValuedList } from '../../clients/typescript/src/value.ts'
import { KnownGames, type NamedGame } from '../../src/lists/known-games.ts'
import { readAll } from '../../src/lists/read-list.ts'
import { serveHere } from '../support/servers-here.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { answer, fail, startScripted } from './scripted-server.ts'

const games = [
  { id: 'cornes', name: 'Bêtes-à-cornes', words: ['Horned Ones'], tcgplayer: { category: 901, names: ['Horns TCG'] } },
  { id: 'ryu', name: 'ドラゴン', language: 'Japanese' },
]
const set = { code: 's1', name: 'First' }
const cardOf = (game: string, name: string, market: number) => {
  return { id: `${game}-s1-${name.toLowerCase()}`, game, name, setCode: 's1', number: '1', prices: { market } }
}
// The cards of the eight and of the others have the same names, so that only the game tells them apart.
const cards = [
  { ...aCard, prices: { market: 100 } },
  cardOf('cornes', 'Charizard', 1),
  cardOf('ryu', 'Charizard', 2),
  cardOf('ryu', 'Blue-Eyes', 4),
]
const here = await serveHere(
  snapshotOf({
    'games.ndjson': games,
    'sets/a.ndjson': [aSet, ...games.map(({ id }) => ({ ...set, game: id }))],
    'cards/a.ndjson': cards,
  }),
)
after(() => here.close())

/** Values with a client of its own. Also says how many requests that cost. */
async function valued(text: string): Promise<{ readonly list: ValuedList; readonly cost: number }> {
  const prices = new CardPrices({ baseUrl: here.address('A'), apiKey: here.keys.business, maxWaitMs: 0 })
  await prices.games()
  const before = prices.rateLimit!.remaining
  const list = await prices.value(text)
  return { list, cost: before - prices.rateLimit!.remaining }
}
const idsIn = ({ lines }: ValuedList) => lines.map(({ card }) => card?.id)

describe('A list of added games', () => {
  const cases: Readonly<Record<string, readonly [text: string, ids: readonly (string | undefined)[], cost: number]>> = {
    'The client finds the ids of added games without asking which games there are': [
      'cornes-s1-charizard\n2 ryu-s1-blue-eyes',
      ['cornes-s1-charizard', 'ryu-s1-blue-eyes'],
      1,
    ],
    'The client finds a card whose name has the form of an id': ['2 blue-eyes', ['ryu-s1-blue-eyes'], 2],
    'A column of games may name an added game by its id, its name, its TCGplayer name or another word': [
      'Game,Name\ncornes,Charizard\nBetes a Cornes,Charizard\nhorns tcg,Charizard\nHorned Ones,Charizard\nドラゴン,Charizard',
      [...Array<string>(4).fill('cornes-s1-charizard'), 'ryu-s1-charizard'],
      1,
    ],
    'The client knows a column of added games by its values': [
      'Category,Name\nHorns TCG,Charizard\nドラゴン,Charizard',
      ['cornes-s1-charizard', 'ryu-s1-charizard'],
      3,
    ],
    'The client knows a column of ids of added games by its values': [
      'ID,Quantity\ncornes-s1-charizard,1\nryu-s1-charizard,1',
      ['cornes-s1-charizard', 'ryu-s1-charizard'],
      2,
    ],
    'A line finds no card if it names another language than that of the added game': [
      'Game,Name,Language\nryu,Charizard,Japanese\nryu,Charizard,English\ncornes,Charizard,en\ncornes,Charizard,ja',
      ['ryu-s1-charizard', undefined, 'cornes-s1-charizard', undefined],
      2,
    ],
    'The client does not request the games if lines name a language for cards of the first eight games': [
      'Game,Name,Language\npokemon,Charizard,English\npokemon,Charizard,Japanese',
      ['pokemon-base1-004', undefined],
      1,
    ],
  }
  for (const [title, [text, ids, cost]] of Object.entries(cases)) {
    it(title, async () => {
      const { list, cost: spent } = await valued(text)
      assert.deepEqual(idsIn(list), ids)
      assert.equal(spent, cost)
    })
  }

  it('A client requests the games only once', async () => {
    const prices = new CardPrices({ baseUrl: here.address('A'), apiKey: here.keys.business, maxWaitMs: 0 })
    const text = 'Category,Name\nHorns TCG,Charizard'
    await prices.value(text)
    const before = prices.rateLimit!.remaining
    assert.deepEqual(idsIn(await prices.value(text)), ['cornes-s1-charizard'])
    assert.equal(before - prices.rateLimit!.remaining, 1)
  })
})

it('A client values lists even if an older server rejects its request for the games', async (t) => {
  const server = await startScripted()
  const sets = { data: [{ game: 'ryu', code: 's1', name: 'First' }], total: 1, limit: 200, offset: 0 }
  const nothing = { data: [{ match: 'none', card: null, candidates: [] }] }
  server.play((asked, response) => {
    if (asked.path.startsWith('/v1/games')) return fail(400, 'INVALID_PARAMETER')(asked, response)
    return answer(200, asked.path.startsWith('/v1/sets') ? sets : nothing)(asked, response)
  })
  t.after(() => server.close())
  const prices = new CardPrices({ baseUrl: server.address, apiKey: 'k', maxWaitMs: 0 })
  const { unmatched } = await prices.value('Category,Name\nHorns TCG,Charizard')
  assert.equal(unmatched, 1)
  assert.ok(server.asked.some(({ path }) => path.startsWith('/v1/games')))
})

describe('The games that lists know', () => {
  const rows: NamedGame[] = [
    { id: 'cornes', name: 'Bêtes-à-cornes', language: 'English', words: ['Horned Ones', 'Horns TCG'] },
    { id: 'ryu', name: 'ドラゴン', language: 'Japanese', words: [] },
  ]
  const known = new KnownGames(rows)

  it('A word that two games share means the first of them', () => {
    const other = { id: 'other', name: 'Magic', language: 'English', words: ['Horns TCG'] } as const
    const both = new KnownGames([...rows, other])
    assert.deepEqual(
      ['MAGIC', 'Horns-TCG', 'other'].map((word) => both.find(word)),
      ['mtg', 'cornes', 'other'],
    )
  })

  it('A reader that knows the games recognizes a column of games without requesting them', () => {
    const { columns, needsGames } = readAll('Category,Name\nHorns TCG,a', { known: { games: known } })
    assert.deepEqual([columns[0]!.field, needsGames], ['game', false])
    assert.equal(readAll('Category,Name\nHorns TCG,a').needsGames, true)
    assert.equal(readAll('Category,Name\nPokemon,a').needsGames, false)
  })
})
