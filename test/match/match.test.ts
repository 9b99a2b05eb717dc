/** Lines of stock lists against a plain matching of all cards, on generated catalogs; and the contract's own cases. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { readLines } from '../../src/api/match-request.ts'
import { gameSlugs } from '../../src/games.ts'
import { matchLinesMax, queryCharsMax } from '../../src/limits.ts'
import { type Line, Match } from '../../src/match/match.ts'
import { Search } from '../../src/search/search.ts'
import { plainMatch } from '../reference/matching.ts'
import type { ScanCard, ScanSet } from '../reference/scan.ts'
import { searchedFiles } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'

async function matchOf(cards: readonly ScanCard[], sets: readonly ScanSet[]): Promise<Match> {
  const { search, lists, changes } = searchedFiles(cards, sets)
  const loaded = await Search.load(search, lists, changes, () => pause())
  return new Match(search, lists, loaded, (card) => cards[card]!.number ?? null)
}

const nothing = { number: undefined, set: undefined, game: undefined, printing: undefined, rarity: undefined }
const lineOf = (line: Partial<Line> & { readonly name: string }): Line => ({ ...nothing, ...line })

describe('a line', () => {
  const sets = [
    { code: 'base1', name: 'Base Set', game: 0 },
    { code: 'base4', name: 'Base Set 2', game: 0 },
    { code: 'OP-01', name: 'Romance Dawn', game: 5 },
  ]
  const card = (name: string, number: string | null, setNumber: number, printing: string | null = null): ScanCard => ({
    ...{ name, number, setNumber, printing, game: sets[setNumber]!.game, rarity: 'Rare' },
  })
  const cards = [
    card('Charizard', '004', 0),
    card('Charizard', '4/130', 1),
    card('Pidgey', '16', 0, 'Normal'),
    card('Pidgey [Reverse Holofoil]', '16', 0, 'Reverse Holofoil'),
    card('Mew [1st Edition Holofoil]', '8', 0, '1st Edition Holofoil'),
    card('Mew [Holofoil]', '8', 0, 'Holofoil'),
    card('Nami (Alternate Art)', 'OP01-016', 2),
    card('Nami', 'OP01-016', 2),
    card('_____', '9', 2),
  ]
  const table: readonly (readonly [line: Partial<Line> & { name: string }, match: string, found: readonly number[]])[] =
    [
      [{ name: 'Charizard', number: '4/102', set: 'Base Set' }, 'exact', [0]],
      [{ name: 'CHARIZARD', number: '004', set: 'BASE1', game: 'Pokémon', rarity: 'rare' }, 'exact', [0]],
      [{ name: 'Charizard', number: '4' }, 'ambiguous', [0, 1]],
      [{ name: 'Charizard', number: '#4/102', set: 'base1' }, 'exact', [0]],
      [{ name: 'Charizard', number: '4/130', set: 'base4' }, 'exact', [1]],
      [{ name: 'Charizard', number: '4/131', set: 'base4' }, 'likely', [1]],
      [{ name: 'Charizard', set: 'base 2' }, 'likely', [1]],
      [{ name: 'Charizard', set: 'base' }, 'ambiguous', [0, 1]],
      [{ name: 'Charzard', set: 'base1' }, 'likely', [0]],
      [{ name: 'Charzrd', set: 'base1' }, 'none', []],
      [{ name: 'Charizard', number: '5', set: 'base1' }, 'none', []],
      [{ name: 'Charizard', set: 'Jungle' }, 'none', []],
      [{ name: 'Charizard', set: 'base1', game: 'mtg' }, 'none', []],
      [{ name: 'Charizard', set: 'base1', game: 'chess' }, 'none', []],
      [{ name: 'Charizard', set: 'base1', printing: 'Holofoil' }, 'none', []],
      [{ name: 'Charizard', set: 'base1', rarity: 'Common' }, 'none', []],
      [{ name: 'Charizard (Holo)', set: 'base1' }, 'exact', [0]],
      [{ name: 'Pidgey', set: 'base1' }, 'likely', [2]],
      [{ name: 'Pidgey', printing: 'normal' }, 'exact', [2]],
      [{ name: 'Pidgey', printing: 'Reverse Holofoil' }, 'exact', [3]],
      [{ name: 'Pidgey', printing: 'Reverse Holo' }, 'likely', [3]],
      [{ name: 'Pidgey [Reverse Holofoil]' }, 'exact', [3]],
      [{ name: 'Mew' }, 'likely', [5]],
      [{ name: 'Mew', printing: '1st edition holofoil' }, 'exact', [4]],
      [{ name: 'Nami', number: 'OP01-016' }, 'exact', [7]],
      [{ name: 'Nami (Alternate Art)', set: 'op01' }, 'exact', [6]],
      [{ name: 'Nami (Alternate Foil)', set: 'op01' }, 'exact', [7]],
      [{ name: '_____' }, 'exact', [8]],
      [{ name: '____' }, 'none', []],
    ]
  for (const [line, match, found] of table) {
    it(`${JSON.stringify(line)} is ${match}`, async () => {
      assert.deepEqual((await matchOf(cards, sets)).find(lineOf(line)), { match, cards: found })
      assert.deepEqual(plainMatch(lineOf(line), cards, sets), { match, cards: found })
    })
  }
})

const words = [
  'Pikachu',
  'Pikachi',
  'Dragon',
  'Dragons',
  'Dark',
  'of',
  'ex',
  'リザードン',
  'Éevee',
  "Urza's",
  'Fire',
  '2',
]
const brackets = [
  '(Red)',
  '(Blue)',
  '[Foil]',
  '[Reverse Holofoil]',
  '(Alternate Art)',
  '（デルタ種）',
  '[Holofoil]',
  '()',
]
const printings = ['Normal', 'Holofoil', 'Foil', 'Reverse Holofoil', 'foil', null]
const numbers = ['4', '004', '4/102', '4/99', 'SV1', 'OP01-001', '12', null]

function drawnName(random: Random): string {
  const count = 1 + drawBelow(random, 3)
  const name = Array.from({ length: count }, () => drawFrom(random, words)).join(drawFrom(random, [' ', ' ', '-']))
  const ends = Array.from({ length: drawFrom(random, [0, 0, 0, 1, 1, 2]) }, () => drawFrom(random, brackets))
  return [name, ...ends].join(drawFrom(random, [' ', ' ', '']))
}

function drawnCatalog(random: Random): { cards: ScanCard[]; sets: ScanSet[] } {
  const sets = Array.from({ length: 5 }, () => ({
    code: drawFrom(random, ['base1', 'OP-01', 'op01', 'b2', 'B2']),
    name: drawFrom(random, ['Base Set', 'Base Set 2', 'Fossil', 'The Base', 'Base1']),
    game: drawBelow(random, 3),
  }))
  const names = Array.from({ length: 12 }, () => drawnName(random))
  const cards = Array.from({ length: 1 + drawBelow(random, 60) }, () => {
    const setNumber = drawBelow(random, sets.length)
    const printing = drawFrom(random, printings)
    const ending = printing === null || drawBelow(random, 2) === 0 ? '' : ` [${printing}]`
    const [number, rarity] = [drawFrom(random, numbers), drawFrom(random, ['Rare', 'common', null])]
    return { name: drawFrom(random, names) + ending, game: sets[setNumber]!.game, setNumber, printing, number, rarity }
  })
  return { cards, sets }
}

/** A card's own, mostly; then with slips, or of others. */
function drawnLine(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[]): Line {
  const card = drawFrom(random, cards)
  const other = drawBelow(random, 5) === 0 ? drawFrom(random, cards) : card
  const set = sets[other.setNumber]!
  const maybe = <Value>(...values: Value[]) => (drawBelow(random, 2) === 0 ? drawFrom(random, values) : undefined)
  const at = drawBelow(random, card.name.length)
  const name = drawFrom(random, [
    card.name,
    card.name,
    card.name.toUpperCase(),
    card.name.replace(/\s*[([（].*$/, '') || card.name,
    `${card.name} ${drawFrom(random, brackets)}`,
    card.name.slice(0, at) + card.name.slice(at + 1) || 'x',
    `${card.name.slice(0, at)}q${card.name.slice(at)}`,
    drawnName(random),
  ])
  return {
    name,
    number: maybe(other.number, other.number, '4/102', '9') ?? undefined,
    set: maybe(set.name, set.code, set.code.toUpperCase(), set.name.split(' ')[0]!, 'Nowhere', '-'),
    game: maybe(gameSlugs[other.game]!, 'POKEMON', 'chess', 'Magic: the Gathering'),
    printing: maybe(other.printing, 'Holo', 'Reverse', 'Reverse Holo', 'NORMAL') ?? undefined,
    rarity: maybe(other.rarity, 'RARE') ?? undefined,
  }
}

it('any line is matched as by a plain look at all cards', async () => {
  const matches = new Map<string, number>()
  for (let seed = 1; seed <= amount(8, 100); seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = drawnCatalog(random)
    const match = await matchOf(cards, sets)
    for (let i = 0; i < 40; i++) {
      const line = drawnLine(random, cards, sets)
      const expected = plainMatch(line, cards, sets)
      assert.deepEqual(match.find(line), expected, `seed ${seed}: ${JSON.stringify(line)}`)
      matches.set(expected.match, (matches.get(expected.match) ?? 0) + 1)
    }
  }
  for (const one of ['exact', 'likely', 'ambiguous', 'none']) assert.ok(matches.get(one)! > amount(3, 40), one)
})

it('lines of the longest texts cost little, however many cards have the name', async () => {
  const sets = [{ code: 'base1', name: 'Base Set', game: 0 }]
  const printings = ['Normal', 'Holofoil', 'Reverse Holofoil', '1st Edition Holofoil']
  const cards = Array.from({ length: 1000 }, (_, i) => ({
    ...{ name: 'Charizard', number: `${i % 250}`, rarity: 'Rare', game: 0, setNumber: 0 },
    printing: printings[i % printings.length]!,
  }))
  const match = await matchOf(cards, sets)
  // NFKD makes 18 letters of each.
  const long = 'ﷺ'.repeat(queryCharsMax)
  for (const more of [{ printing: long }, { set: long }, { rarity: long }, { number: long }, { name: long }, {}]) {
    const body = JSON.stringify({ cards: Array(matchLinesMax).fill({ name: 'Charizard', ...more }) })
    const begun = process.cpuUsage()
    const lines = readLines(Buffer.from(body))
    assert.ok(Array.isArray(lines))
    for (const line of lines) match.find(line)
    const { user, system } = process.cpuUsage(begun)
    assert.ok(user + system < 100_000, `${Object.keys(more)}: ${user + system} µs`)
  }
})
