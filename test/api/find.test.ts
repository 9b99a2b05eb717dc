/** Printings over HTTP in both forms: the extended view, filters and look-ups by it, sets by name, matches. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { matchLinesMax } from '../../src/limits.ts'
import { forms } from '../support/servers-here.ts'
import type { Reply, Sent } from '../support/service.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { idsIn, serveForms } from './served-forms.ts'

const uuid = (end: number) => `0000579f-7b35-4ed3-b44c-${String(end).padStart(12, '0')}`
const set = (game: string, code: string, name: string, releaseDate: string, printedTotal?: number) => ({
  game,
  code,
  name,
  releaseDate,
  printedTotal,
})
const card = (id: string, name: string, setCode: string, number: string | null, more: object = {}) => ({
  id,
  game: id.slice(0, id.indexOf('-')),
  name,
  setCode,
  number,
  ...more,
})
const markets = [
  { market: 'cardmarket', currency: 'EUR', price: 1.54, low: 0.4, buylist: null, updatedAt: '2026-11-20' },
  { market: 'cardmarket', currency: 'USD', price: null, low: null, buylist: 0, updatedAt: null },
  { market: 'ck-2', currency: 'USD', price: 2, low: null, buylist: 1.1, updatedAt: '2026-11-20T06:00:00Z' },
]
const foil = { printing: 'Foil', scryfallId: uuid(1), mtgjsonId: uuid(11), tcgplayerId: 7, cardmarketId: 9 }
const snapshot = {
  'about.json': '{"currency":"USD"}',
  'sets/a.ndjson': [
    set('pokemon', 'base1', 'Base Set', '1999-01-09', 102),
    set('pokemon', 'base4', 'Base Set 2', '2000-02-24'),
    set('pokemon', 'BASE1', 'Another', '2001-01-01'),
    set('pokemon', 'sv3', 'SV03: Obsidian Flames', '1998-01-01'),
    set('mtg', 'lea', 'Limited Edition Alpha', '1993-08-05'),
    set('onepiece', 'OP-01', 'Romance Dawn', '2022-12-02'),
  ],
  'cards/a.ndjson': [
    card('pokemon-base1-4', 'Charizard', 'base1', '4', { printing: 'Holofoil', rarity: 'Rare', tcgplayerId: 42382 }),
    card('pokemon-base4-4', 'Charizard', 'base4', '4', { rarity: 'Rare' }),
    card('pokemon-base1-16', 'Pidgey', 'base1', '16', { printing: 'Normal', rarity: 'Common' }),
    card('pokemon-base1-16-r', 'Pidgey [Reverse Holofoil]', 'base1', '16', {
      printing: 'reverse holofoil',
      rarity: 'Common',
    }),
    card('pokemon-sv3-1', 'Charizard ex', 'sv3', '1', { printing: '1st Edition Holofoil' }),
    card('mtg-lea-1', 'Forest', 'lea', '1', { ...foil, printing: 'Normal' }),
    card('mtg-lea-1-foil', 'Forest [Foil]', 'lea', '1', { ...foil, markets: markets.toReversed() }),
    card('onepiece-op-01-003', 'Monkey.D.Luffy', 'OP-01', 'OP01-003'),
  ],
}

const served = serveForms(() => snapshotOf(snapshot))

for (const form of forms) {
  const checked = (path: string, reply: Reply): Reply => {
    const isJson = reply.json !== undefined || reply.status === 304 || reply.headers['content-encoding'] === 'gzip'
    assert.ok(isJson, `${path}: ${reply.status} without JSON: ${reply.body.slice(0, 200)}`)
    return reply
  }
  const ask = async (path: string, sent?: Sent) => checked(path, await served.ask(`/v1/${path}`, sent, { form }))
  const post = async (path: string, body: unknown) => checked(path, await served.post(`/v1/${path}`, body, { form }))
  const idsOf = async (path: string): Promise<string[]> => {
    const reply = await ask(path)
    assert.equal(reply.status, 200, `${path}: ${reply.body}`)
    assert.equal(reply.json.total, reply.json.data.length, path)
    return idsIn(reply)
  }

  describe(`The finding of cards in form ${form}`, () => {
    it(`A card’s extended view in form ${form} is the full view followed by seven more fields`, async () => {
      const full = (await ask('cards/mtg-lea-1-foil')).body
      const { tcgplayerId, scryfallId, mtgjsonId, cardmarketId } = foil
      const more = { printing: 'Foil', currency: 'USD', tcgplayerId, scryfallId, mtgjsonId, cardmarketId, markets }
      const extended = `${full.slice(0, -2)},${JSON.stringify(more).slice(1)}}`
      assert.equal((await ask('cards/mtg-lea-1-foil?view=extended')).body, extended)
      assert.equal((await ask('cards/mtg-lea-1-foil?view=full')).body, full)
      assert.equal((await ask('cards/mtg-lea-1-foil?view=summary')).status, 400)
      const item = extended.slice('{"data":'.length, -1)
      const bulk = gunzipSync((await ask('bulk/mtg')).bytes).toString()
      assert.equal(bulk.split('\n')[1], item)
      assert.ok((await ask('search?q=forest&view=extended')).body.includes(item))
      assert.ok((await ask('cards?game=mtg&view=extended')).body.includes(item))
      const { body } = await ask('cards/pokemon-base4-4?view=extended')
      const none = '"printing":null,"currency":"USD","tcgplayerId":null,"scryfallId":null,"mtgjsonId":null'
      assert.ok(body.endsWith(`,${none},"cardmarketId":null,"markets":[]}}`), body)
    })

    it(`A filter by printing or by other sites’ ids finds its cards in form ${form}`, async () => {
      assert.deepEqual(await idsOf('search?q=forest&printing=FOIL'), ['mtg-lea-1-foil'])
      assert.deepEqual(await idsOf('search?q=pidgey&printing=Reverse+Holofoil'), ['pokemon-base1-16-r'])
      assert.deepEqual(await idsOf('cards?game=pokemon&printing=normal'), ['pokemon-base1-16'])
      assert.deepEqual(await idsOf('cards?game=pokemon&printing=none'), [])
      for (const [printing, ids] of [
        ['nonfoil', ['pokemon-base1-16', 'mtg-lea-1']],
        ['regular', ['pokemon-base1-16', 'mtg-lea-1']],
        ['reverse holo', ['pokemon-base1-16-r']],
        ['holo', ['pokemon-base1-4']],
        ['first edition', ['pokemon-sv3-1']],
        ['foil', ['mtg-lea-1-foil']],
      ] as const) {
        const pokemon = await idsOf(`cards?game=pokemon&printing=${encodeURIComponent(printing)}`)
        const mtg = await idsOf(`cards?game=mtg&printing=${encodeURIComponent(printing)}`)
        assert.deepEqual([...pokemon, ...mtg], ids, printing)
      }
      assert.deepEqual(await idsOf('cards?set=obsidian+flames'), ['pokemon-sv3-1'])
      assert.deepEqual(await idsOf('search?q=charizard&set=Obsidian+Flames'), ['pokemon-sv3-1'])
      const both = ['mtg-lea-1', 'mtg-lea-1-foil']
      assert.deepEqual(await idsOf(`cards?scryfall_id=${uuid(1)}`), both)
      assert.deepEqual(await idsOf(`cards?mtgjson_id=${uuid(11).toUpperCase()}`), both)
      assert.deepEqual(await idsOf(`cards?scryfall_id=${uuid(1)}&printing=foil&tcgplayer_id=7`), ['mtg-lea-1-foil'])
      assert.deepEqual(await idsOf('cards?cardmarket_id=9'), both)
      assert.deepEqual(await idsOf('cards?cardmarket_id=9&tcgplayer_id=8'), [])
      assert.deepEqual(await idsOf(`cards?scryfall_id=${uuid(2)}`), [])
      assert.deepEqual(await idsOf(`cards?scryfall_id=${uuid(1)}&game=pokemon`), [])
      assert.deepEqual(await idsOf('cards?set=base+set'), ['pokemon-base1-4', 'pokemon-base1-16', 'pokemon-base1-16-r'])
    })

    it(`A set is found by words of its name and by its code in form ${form}`, async () => {
      const codes = async (query: string) => {
        const { json } = await ask(`sets?${query}`)
        return [json.total, ...json.data.map(({ code }: { code: string }) => code)]
      }
      assert.deepEqual(await codes('q=base+set'), [2, 'base1', 'base4'])
      assert.deepEqual(await codes('q=set+base+2'), [1, 'base4'])
      assert.deepEqual(await codes('q=base1'), [2, 'BASE1', 'base1'])
      assert.deepEqual(await codes('q=op01'), [1, 'OP-01'])
      assert.deepEqual(await codes('q=OP-01&game=mtg'), [0])
      assert.deepEqual(await codes('q=alp+lim'), [1, 'lea'])
      assert.deepEqual(await codes('q=alhpa'), [0])
      assert.deepEqual(await codes('q=%E2%98%85'), [0])
      assert.deepEqual(await codes('q=a&limit=1&offset=1'), [2, 'lea'])
    })

    it(`The endpoint of one set in form ${form} counts its cards by printing and by rarity`, async () => {
      const { body } = await ask('sets/pokemon/base1')
      const [listed] = (await ask('sets?q=Base+Set')).json.data
      const counted = (counts: object) => Object.entries(counts).map(([name, cards]) => ({ name, cards }))
      const printings = counted({ Holofoil: 1, Normal: 1, 'reverse holofoil': 1 })
      const rarities = counted({ Common: 2, Rare: 1 })
      assert.equal(body, JSON.stringify({ data: { ...listed, printings, rarities, printedTotal: 102 } }))
      assert.equal((await ask('sets/pokemon/BASE1')).json.data.name, 'Another')
      assert.ok((await ask('sets/pokemon/BASE1')).body.endsWith('"printings":[],"rarities":[],"printedTotal":null}}'))
      assert.equal((await ask('sets/onepiece/op%2D01')).json.data.code, 'OP-01')
      for (const path of ['sets/pokemon/lea', 'sets/chess/base1', 'sets/pokemon/%C3%A9']) {
        const { status, json } = await ask(path)
        assert.deepEqual([status, json.error.code], [404, 'NOT_FOUND'], path)
      }
      const etag = (await ask('sets/mtg/lea')).headers.etag!
      assert.equal((await ask('sets/mtg/lea', { headers: { 'if-none-match': etag } })).status, 304)
      // As a proxy that compresses sends it.
      for (const suffix of ['-gzip"', '--gzip"']) {
        const tag = `W/${etag!.replace(/"$/, suffix)}`
        assert.equal((await ask('sets/mtg/lea', { headers: { 'if-none-match': tag } })).status, 304, tag)
      }
      const other = { headers: { 'if-none-match': '"another-gzip"' } }
      assert.equal((await ask('sets/mtg/lea', other)).status, 200)
    })

    it(`A batch in the extended view in form ${form} lists unknown ids as they were sent`, async () => {
      const ids = ['nobody', 'mtg-lea-1', 'é"\ud83d\ude00', 'x'.repeat(200), 'mtg-lea-1', 'nobody']
      const { json } = await post('cards/batch', { ids, view: 'extended' })
      const card = (await ask('cards/mtg-lea-1?view=extended')).json.data
      assert.deepEqual(json.data, [card, card])
      assert.deepEqual(json.missing, ['nobody', ids[2], ids[3], 'nobody'])
      assert.deepEqual((await post('cards/batch', { ids: [], view: 'extended' })).json, { data: [], missing: [] })
      assert.ok(!('missing' in (await post('cards/batch', { ids, view: 'full' })).json))
    })

    it(`A search in form ${form} looks for collector numbers and sets if no name matches as typed`, async () => {
      for (const [q, ids] of [
        ['charizard 4/102', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charizard base set', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['luffy op01', ['onepiece-op-01-003']],
        ['op-01 luffy', ['onepiece-op-01-003']],
        ['luffy OP01-003', ['onepiece-op-01-003']],
        ['char 004 base4', ['pokemon-base4-4']],
        ['4/102', ['pokemon-base1-4']],
        ['4 / 101', []],
        ['OP01-003', ['onepiece-op-01-003']],
        ['op01-EN003', ['onepiece-op-01-003']],
        ['OP-01', ['onepiece-op-01-003']],
        ['base set', ['pokemon-base1-4', 'pokemon-base1-16', 'pokemon-base1-16-r']],
        ['obsidian flames', ['pokemon-sv3-1']],
        ['obsidian', []],
        ['base1 016', ['pokemon-base1-16', 'pokemon-base1-16-r']],
        ['16 base1', ['pokemon-base1-16', 'pokemon-base1-16-r']],
        ['base1 16/999', ['pokemon-base1-16', 'pokemon-base1-16-r']],
        ['16 / 999 base1', ['pokemon-base1-16', 'pokemon-base1-16-r']],
        ['base1 17/999', []],
        ['16', []],
        ['base set 16', []],
        ['base1 16 zubat', []],
        ['charizard 5', []],
        ['charizard 4 / 102', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charizard 4/1', ['pokemon-base4-4', 'pokemon-base1-4']],
        ['charizard 4/3', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charizard base set 2 4/102', ['pokemon-base4-4']],
        ['charizard base 4/102', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charizard #4', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charizard ４／102', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charzard base set', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['charzard 4/102', ['pokemon-base1-4', 'pokemon-base4-4']],
        ['chrzard base set', []],
        ['charizard bsae set', []],
        ['forrest alpha', ['mtg-lea-1', 'mtg-lea-1-foil']],
        ['obsidian charizrd', ['pokemon-sv3-1']],
      ] as const) {
        assert.deepEqual(await idsOf(`search?q=${encodeURIComponent(q)}`), ids, q)
      }
      assert.deepEqual(await idsOf('search?q=charizard+base&set=base4'), ['pokemon-base4-4'])
    })

    it(`The lines of a match in form ${form} are answered in order, with cards in the extended view`, async () => {
      const cards = [
        { name: 'Charizard', number: '4/102', set: 'Base Set', condition: 'NM', printing: ' ' },
        { name: 'Charizard', number: null },
        { name: 'Pidgey', set: 'base1' },
        { name: 'Nobody' },
        { tcgplayerId: 7, printing: 'normal', name: 'another' },
        { tcgplayerId: '7' },
        { scryfallId: uuid(1).toUpperCase(), mtgjsonId: uuid(11), printing: 'foil' },
        { id: 'pokemon-base4-4', set: 'nowhere' },
        { id: 'POKEMON-BASE4-4' },
        { cardmarketId: 1 },
        { cardmarketId: 1, name: 'Charizard', set: 'base4' },
        { cardmarketId: '9', name: 'Charizard', printing: 'foil' },
      ]
      const reply = await post('match', { cards, more: 1 })
      assert.equal(reply.status, 200, reply.body)
      const extended = async (id: string) => (await ask(`cards/${id}?view=extended`)).json.data
      const [first, second, third, normal, foiled] = await Promise.all(
        ['pokemon-base1-4', 'pokemon-base4-4', 'pokemon-base1-16', 'mtg-lea-1', 'mtg-lea-1-foil'].map(extended),
      )
      assert.deepEqual(reply.json, {
        data: [
          { match: 'exact', card: first, candidates: [] },
          { match: 'ambiguous', card: null, candidates: [second, first] },
          { match: 'likely', card: third, candidates: [] },
          { match: 'none', card: null, candidates: [] },
          { match: 'exact', card: normal, candidates: [] },
          { match: 'likely', card: normal, candidates: [] },
          { match: 'exact', card: foiled, candidates: [] },
          { match: 'exact', card: second, candidates: [] },
          { match: 'none', card: null, candidates: [] },
          { match: 'none', card: null, candidates: [] },
          { match: 'none', card: null, candidates: [] },
          { match: 'exact', card: foiled, candidates: [] },
        ],
      })
      assert.deepEqual((await post('match', { cards: [] })).json, { data: [] })
    })

    it(`A match with an invalid body in form ${form} gets 400, and the error names the line`, async () => {
      const lines = (count: number) => Array.from({ length: count }, () => ({ name: 'x' }))
      const noIds = /^Line 2, cards\[1\], must have a name of 1 to 200 characters, a set and a number, or an id\.$/
      const wrong = [0, 1.5, '4a', '1'.padEnd(17, '0')]
      const notWhole = /^Line 1, cards\[0\], must have a whole number as tcgplayerId\.$/
      for (const [body, message] of [
        ['{', /must be a JSON object with cards/],
        [{ ids: [] }, /must be a JSON object with cards/],
        [{ cards: {} }, /must be a JSON object with cards/],
        [{ cards: [{ name: 'x' }, {}] }, noIds],
        [{ cards: [{ name: '  ' }] }, /^Line 1, /],
        [{ cards: [{ name: 'x'.repeat(201) }] }, /^Line 1, /],
        [{ cards: [null] }, /^Line 1, cards\[0\], must be an object\.$/],
        ...['number', 'set', 'game', 'printing', 'rarity'].flatMap((field) => {
          const message = new RegExp(
            `^Line 2, cards\\[1\\], must have a string of at most 200 characters as ${field}\\.$`,
          )
          return [4, 'ﷺ'.repeat(201)].map(
            (value) => [{ cards: [{ name: 'x' }, { name: 'x', [field]: value }] }, message] as const,
          )
        }),
        ...wrong.map((tcgplayerId) => [{ cards: [{ tcgplayerId, name: 'x' }] }, notWhole] as const),
        [{ cards: [{ scryfallId: 'x', name: 'x' }] }, /^Line 1, .* a UUID as scryfallId\.$/],
        [{ cards: [{ mtgjsonId: 4 }] }, /^Line 1, .* 200 characters as mtgjsonId\.$/],
        [{ cards: [{ id: 'x'.repeat(201) }] }, /^Line 1, .* 200 characters as id\.$/],
        [{ cards: [{ tcgplayerId: ' ', scryfallId: null }] }, /, or an id\.$/],
      ] as const) {
        const { status, json } = await post('match', body)
        assert.deepEqual([status, json.error.code], [400, 'INVALID_BODY'], JSON.stringify(body))
        assert.match(json.error.message, message)
      }
      const { error } = (await post('match', { cards: lines(matchLinesMax + 1) })).json
      assert.deepEqual([error.code, error.message], ['BATCH_TOO_LARGE', 'A match has at most 20 lines.'])
      assert.equal((await post('match', { cards: lines(matchLinesMax) })).json.data.length, matchLinesMax)
    })
  })
}
