/** Lines of stock lists against a plain matching of all cards, on generated catalogs; and the contract's own cases. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { defaultGames } from '../../build/games/default-games.ts'
import { servedGame } from '../../build/games/game-rows.ts'
import { readLines } from '../../src/api/match-request.ts'
import { Games } from '../../src/games.ts'
import { matchLinesMax, printingCharsMax, queryCharsMax } from '../../src/limits.ts'
import type { Line } from '../../src/match/line.ts'
import { LineName } from '../../src/match/line-name.ts'
import { Match } from '../../src/match/match.ts'
import { isPrintingOf, namesPrinting } from '../../src/names/printings.ts'
import { TextTable } from '../../src/search/scope/text-table.ts'
import { Search } from '../../src/search/search.ts'
import { PlainMatching } from '../reference/matching.ts'
import type { ScanCard, ScanSet } from '../reference/scan.ts'
import { searchedFiles } from '../reference/searched-catalog.ts'
import { amount } from '../support/amount.ts'
import { randomFrom } from '../support/random.ts'
import { timesYardstick } from '../support/relative-cost.ts'
import { drawnCatalog, drawnLine } from './drawn-lines.ts'

async function loadedMatch(cards: readonly ScanCard[], sets: readonly ScanSet[]) {
  const { search: file, lists, changes } = searchedFiles(cards, sets)
  const search = await Search.load(file, lists, changes, () => pause())
  const match = new Match(file, lists, search, {
    games: new Games(defaultGames.map(servedGame)),
    find: (id) => (id in cards ? Number(id) : -1),
  })
  return { match, lists, search }
}

const matchOf = async (cards: readonly ScanCard[], sets: readonly ScanSet[]): Promise<Match> =>
  (await loadedMatch(cards, sets)).match

it('A set of the 33rd game keeps no line from the words of a set of the first game', async () => {
  const sets = [
    { code: 'base1', name: 'Base Set', game: 0 },
    { code: 'digi', name: 'Base', game: 32 },
  ]
  const cards = [{ name: 'Charizard', number: '4', setNumber: 0, printing: null, game: 0, rarity: 'Rare' }]
  const match = await matchOf(cards, sets)
  assert.deepEqual(match.find({ name: 'Charizard', set: 'Base' }), { match: 'likely', cards: [0] })
})

describe('The match of a line', () => {
  const sets = [
    { code: 'base1', name: 'Base Set', game: 0 },
    { code: 'base4', name: 'Base Set 2', game: 0 },
    { code: 'OP-01', name: 'Romance Dawn', game: 5 },
    { code: 'sv3', name: 'SV03: Obsidian Flames', game: 0 },
    { code: 'isd', name: 'Innistrad', game: 2 },
    { code: 'ex8', name: 'EX Deoxys', game: 0 },
    { code: 'neo1', name: 'Neo Genesis', game: 0, printedTotal: 111 },
    { code: 'neo2', name: 'Neo Discovery', game: 0, printedTotal: 75 },
    // Without a printed total, the cards of a set are its total.
    { code: 'one', name: 'One Card', game: 0 },
    { code: 'two', name: 'Two Cards', game: 0 },
  ]
  const scryfallId = '0000579f-7b35-4ed3-b44c-db2a538066fe'
  type Card = [name: string, number: string | null, set: number, printing?: string | null, ids?: object]
  const card = (...[name, number, setNumber, printing = null, ids]: Card): ScanCard => ({
    name,
    number,
    setNumber,
    printing,
    game: sets[setNumber]!.game,
    rarity: 'Rare',
    ...ids,
  })
  const cards = [
    card('Charizard', '004', 0),
    card('Charizard', '4/130', 1),
    card('Pidgey', '16', 0, 'Normal', { tcgplayerId: 7 }),
    card('Pidgey [Reverse Holofoil]', '16', 0, 'Reverse Holofoil', { tcgplayerId: 7 }),
    card('Mew [1st Edition Holofoil]', '8', 0, '1st Edition Holofoil'),
    card('Mew [Holofoil]', '8', 0, 'Holofoil'),
    card('Nami (Alternate Art)', 'OP01-016', 2),
    card('Nami', 'OP01-016', 2),
    card('_____', '9', 2),
    card('Nidoran♂', '55', 0), // 9
    card('Nidoran♀', '29', 3),
    card('Rayquaza ☆', '107', 5),
    card('Celebi ◇', '19', 0),
    card('Charizard δ', '4', 5),
    card('Duskull', '60', 3, 'Normal'), // 14
    card('Duskull [Reverse Holofoil]', '60', 3, 'Reverse Holofoil'),
    card('Drayton', '232', 3, 'Holofoil'),
    card('Zubat (61)', '61', 3),
    card('Golbat (60)', '12', 3),
    card('Delver of Secrets // Insectile Aberration', '51', 4, 'Normal', { scryfallId }), // 19
    card('Delver of Secrets // Insectile Aberration [Foil]', '51', 4, 'Foil', { scryfallId }),
    card('Wear // Tear', '52', 4, 'Normal'),
    card('Fire // Ice', '53', 4, 'Normal'),
    card('Ice', '54', 4, 'Normal'),
    card('Monkey.D.Luffy', 'OP01-003', 2, 'Normal'), // 24
    card('Monkey.D.Luffy (Parallel)', 'OP01-003', 2, 'Foil'),
    card('Zoro (Parallel)', 'OP01-025', 2, 'Foil'),
    card('Onyx', '70', 0, 'Cold Foil'),
    card('Lugia', '71', 0, 'Holofoil'), // 28
    card('Lugia [Reverse Holofoil]', '71', 0, 'Reverse Holofoil'),
    card('Muk', '72', 0, 'Unlimited Holofoil'),
    card('Arbok [1st Edition]', '73', 0),
    card('Sword & Shield', '74', 0),
    card('Etched One', '75', 4, 'Etched'), // 33
    card('Mickey Mouse', '76', 2, 'Normal', { tcgplayerId: 76 }),
    card('Mickey Mouse', '76', 2, 'Holofoil', { tcgplayerId: 77 }),
    card('Mickey Mouse [Cold Foil]', '76', 2, 'Cold Foil', { tcgplayerId: 76 }),
    card('Goofy', '77', 2, 'Normal', { tcgplayerId: 78, mtgjsonId: scryfallId }), // 37
    card('Goofy [Etched]', '77', 2, 'Etched', { tcgplayerId: 79, mtgjsonId: scryfallId }),
    card('Goofy [Foil]', '77', 2, 'Foil'),
    card('Lugia', '78', 2, 'Holofoil'), // 40
    card('Lugia', '79', 1, 'Holofoil'),
    card('Unown', '14', 6), // 42
    card('Unown', '14', 7),
    card('Hoppip', 'SV5', 7),
    card('Horsea [Foil]', '80', 0, 'Normal'), // 45
    card('Horsea', '80', 0, 'Foil'),
    card('Seel', '81', 0, 'Normal', { rarity: 'Common' }),
    card('Seel', '81', 0, 'Foil'),
    card('Seadra', '82', 0, '1st Edition Holofoil'),
    card('Seadra', '82', 0, 'Reverse Holofoil'),
    card('(12)', '83', 0), // 51
    card('Kabuto δ // Dome', '84', 0),
    card('Bug //  // Moth', '85', 0),
    card('Porygon + ☆', '86', 0),
    card('Crow D.D. [Foil]', '87', 0, 'Foil'), // 55
    card('crow d.d.', '88', 0),
    card('Crow D.D.', '89', 0),
    card('!!!! [Foil]', '90', 0, 'Foil'), // 58
    card('! !!!', '91', 0),
    card('!!!!', '92', 0),
    card('Borrowing 100,000 Arrows', '36', 4, 'Normal'), // 61
    card('10,000 Year Reunion (Red)', '131', 2),
    card('1996 World Champion', '1', 4),
    card('Ach! 1000000 Years', '2', 4),
    card('Weedle', '3', 8), // 65
    card('Weedle', '3', 9),
    card('Kakuna', '4', 9),
  ]
  type Row = readonly [line: Line, match: string, found: readonly number[]]
  /** Written otherwise than the plain matching reads. */
  const otherwise: readonly Row[] = [
    [{ set: 'Base Set', number: '4/102' }, 'exact', [0]],
    [{ set: 'base1', number: '16' }, 'likely', [2]],
    [{ set: 'base1', number: '16', printing: 'reverse' }, 'exact', [3]],
    [{ set: 'base1', number: '16', printing: 'Etched' }, 'ambiguous', [2, 3]],
    [{ set: 'Jungle', number: '4' }, 'none', []],
    [{ set: 'OP-01', number: 'OP01-016' }, 'ambiguous', [6, 7]],
    [{ set: 'OP-01', number: 'OP01-016', game: 'mtg' }, 'none', []],
    [{ name: 'Charizard #4', set: 'base1' }, 'exact', [0]],
    [{ name: 'Charizard #4', set: 'base1', number: '004' }, 'exact', [0]],
    [{ name: 'Charizard #5', set: 'base1', number: '4' }, 'none', []],
    [{ name: 'Nami - Alternate Art' }, 'exact', [6]],
    [{ name: 'Nami - Full Art' }, 'none', []],
    [{ name: 'Ice // Fire' }, 'exact', [22]],
    [{ name: 'Pidgey', printing: 'Cosmos Holo' }, 'ambiguous', [2, 3]],
    [{ name: 'Nami', printing: 'Cosmos Holo' }, 'ambiguous', [7]],
    [{ name: 'Pidgey', printing: 'galaxy holo' }, 'ambiguous', [2, 3]],
  ]
  const table: readonly Row[] = [
    [{ name: 'borrowing 100000 arrows' }, 'exact', [61]],
    [{ name: 'borrowing 10000 arrows' }, 'none', []],
    [{ name: 'borrowing 0100000 arrows' }, 'none', []],
    [{ name: 'borrowing100000 arrows' }, 'none', []],
    [{ name: '10000 year reunion (red)' }, 'exact', [62]],
    [{ name: '10000 Year Reunion' }, 'likely', [62]],
    [{ name: '10000 Year Reunion (Blue)' }, 'none', []],
    [{ name: '1996 World Champion' }, 'exact', [63]],
    [{ name: 'Ach! 1000000 Years' }, 'exact', [64]],
    [{ name: 'Charizard', number: '4/102', set: 'Base Set' }, 'exact', [0]],
    [{ name: 'CHARIZARD', number: '004', set: 'BASE1', game: 'Pokémon', rarity: 'rare' }, 'exact', [0]],
    [{ name: 'Charizard', number: '4' }, 'ambiguous', [0, 1, 13]],
    [{ name: 'Charizard', number: '4/130' }, 'ambiguous', [1, 0, 13]],
    [{ name: 'charizard (psa 10)', number: '4/130' }, 'ambiguous', [1, 0, 13]],
    [{ name: 'Weedle', number: '3' }, 'ambiguous', [65, 66]],
    [{ name: 'Weedle', number: '3/1' }, 'ambiguous', [65, 66]],
    [{ name: 'Weedle', number: '03/02' }, 'ambiguous', [66, 65]],
    [{ name: 'Weedle', number: '3/2', printing: 'holo' }, 'ambiguous', [66, 65]],
    [{ name: 'Charizard', number: '5', printing: 'holo' }, 'none', []],
    [{ name: 'Charizard', set: 'Jungle', printing: 'holo' }, 'none', []],
    [{ name: 'Charzard', set: 'base1', printing: 'holo' }, 'ambiguous', [0]],
    ...['isd 51', 'ISD 51/999', 'isd 051 / 264'].map((name): Row => [{ name }, 'likely', [19]]),
    [{ name: 'ISD', number: '51/999' }, 'likely', [19]],
    [{ name: 'ISD', number: '51/999', printing: 'foil' }, 'likely', [20]],
    [{ name: 'isd 51', printing: 'etched' }, 'ambiguous', [19, 20]],
    [{ name: 'isd 9' }, 'none', []],
    [{ name: 'isd', number: '9' }, 'none', []],
    [{ name: 'isd' }, 'none', []],
    [{ name: 'isd 51', game: 'pokemon' }, 'none', []],
    [{ name: 'isd 51', set: 'base1' }, 'none', []],
    [{ name: 'isd 51 foil' }, 'none', []],
    ...['#4/102', '4 / 102', '４', '# 004'].map(
      (number): Row => [{ name: 'Charizard', number, set: 'base1' }, 'exact', [0]],
    ),
    [{ name: 'Charizard', number: '4/130', set: 'base4' }, 'exact', [1]],
    [{ name: 'Charizard', number: '4/131', set: 'base4' }, 'likely', [1]],
    [{ name: 'Charizard', set: 'base 2' }, 'likely', [1]],
    [{ name: 'Charizard', set: 'base' }, 'ambiguous', [0, 1]],
    // There is a Base Set, so Base Set 2 is not meant.
    [{ name: 'Lugia', number: '79', set: 'Base Set' }, 'none', []],
    [{ name: 'Lugia', number: '79', set: 'set 2' }, 'likely', [41]],
    [{ name: 'Charizard', number: '4/131', set: 'base 2' }, 'none', []],
    [{ name: 'Unown', number: '14/111' }, 'exact', [42]],
    [{ name: 'Unown', number: '014/075' }, 'exact', [43]],
    [{ name: 'Unown', number: '14/75', set: 'neo1' }, 'likely', [42]],
    [{ name: 'Unown', number: '14/80' }, 'ambiguous', [42, 43]],
    [{ name: 'Hoppip', number: 'SV5/SV94' }, 'exact', [44]],
    [{ name: 'Charzard', set: 'base1' }, 'likely', [0]],
    [{ name: 'Charzard', set: 'base 2' }, 'none', []],
    [{ name: 'Charzrd', set: 'base1' }, 'none', []],
    [{ name: 'Charizard', number: '5', set: 'base1' }, 'none', []],
    [{ name: 'Charizard', set: 'Jungle' }, 'none', []],
    [{ name: 'Charizard', set: 'base1', game: 'mtg' }, 'none', []],
    [{ name: 'Charizard', set: 'base1', game: 'chess' }, 'none', []],
    [{ name: 'Charizard', set: 'base1', printing: 'Holofoil' }, 'ambiguous', [0]],
    [{ name: 'Charizard', set: 'base1', rarity: 'Common' }, 'none', []],
    [{ name: 'Charizard (Holo)', set: 'base1' }, 'ambiguous', [0]],
    [{ name: 'Charizard (PSA 10)', set: 'base1', number: '4/102' }, 'ambiguous', [0]],
    [{ name: `Charizard (${'x'.repeat(printingCharsMax + 1)})`, set: 'base1' }, 'ambiguous', [0]],
    [{ name: 'Charizard (PSA 10)', set: 'Jungle' }, 'none', []],
    [{ name: 'Charizard (1st Edition)', set: 'base1' }, 'ambiguous', [0]],
    [{ name: 'Mew [1st Edition]' }, 'exact', [4]],
    [{ name: 'Mew (Unlimited)' }, 'ambiguous', [4, 5]],
    [{ name: 'Pidgey', set: 'base1' }, 'likely', [2]],
    ...['normal', 'nonfoil', 'Non-Foil', 'Regular', 'non-holo', 'nonholo'].map(
      (printing): Row => [{ name: 'Pidgey', printing }, 'exact', [2]],
    ),
    ...['Reverse Holofoil', 'Reverse', 'reverse holo', 'REVERSE FOIL', 'Foil'].map(
      (printing): Row => [{ name: 'Pidgey', printing }, 'exact', [3]],
    ),
    [{ name: 'Pidgey [Reverse Holofoil]' }, 'exact', [3]],
    [{ name: 'Pidgey [Reverse Holofoil]', printing: 'Normal' }, 'ambiguous', [3, 2]],
    [{ name: 'Mew' }, 'likely', [5]],
    ...['1st edition holofoil', 'First Edition', '1st ed', '1st Edition Holo'].map(
      (printing): Row => [{ name: 'Mew', printing }, 'exact', [4]],
    ),
    [{ name: 'Mew', printing: 'holo' }, 'exact', [5]],
    [{ name: 'Mew', printing: 'foil' }, 'ambiguous', [4, 5]],
    [{ name: 'Onyx', printing: 'foil' }, 'exact', [27]],
    [{ name: 'Onyx', printing: 'cold foil' }, 'exact', [27]],
    [{ name: 'Onyx', printing: 'holo' }, 'ambiguous', [27]],
    [{ name: 'Drayton', printing: 'Foil' }, 'exact', [16]],
    [{ name: 'Lugia', printing: 'foil', set: 'base1' }, 'ambiguous', [28, 29]],
    [{ name: 'Lugia', printing: 'foil', set: 'Base Set' }, 'ambiguous', [28, 29]],
    [{ name: 'Lugia', printing: 'foil', set: 'set 2' }, 'likely', [41]],
    [{ name: 'Lugia', printing: 'foil', set: 'op01' }, 'exact', [40]],
    [{ name: 'Lugia', printing: 'foil' }, 'ambiguous', [28, 40, 41, 29]],
    [{ name: 'Onyx', printing: 'Rainbow Foil' }, 'likely', [27]],
    [{ name: 'Lugia', printing: 'Rainbow Foil', set: 'base1' }, 'ambiguous', [28, 29]],
    [{ name: 'Arbok', printing: 'Rainbow Foil' }, 'ambiguous', [31]],
    [{ name: 'Pidgey', printing: 'galaxy foil' }, 'likely', [3]],
    [{ name: 'Pidgey [Normal]', printing: 'Rainbow Foil' }, 'ambiguous', [2, 3]],
    [{ ids: { tcgplayer: 7 }, printing: 'Rainbow Foil' }, 'likely', [3]],
    [{ name: 'Muk', printing: 'unlimited edition' }, 'exact', [30]],
    [{ name: 'Etched One', printing: 'foil etched' }, 'exact', [33]],
    [{ name: 'Etched One', printing: 'foil' }, 'ambiguous', [33]],
    [{ name: 'Arbok', printing: '1st ed' }, 'exact', [31]],
    [{ name: 'Arbok', printing: 'Normal' }, 'ambiguous', [31]],
    [{ name: 'Nami', number: 'OP01-016' }, 'exact', [7]],
    [{ name: 'OP01-016' }, 'ambiguous', [6, 7]],
    [{ name: 'op01-025', set: 'Romance Dawn' }, 'likely', [26]],
    [{ name: 'OP01-025', set: 'base1' }, 'none', []],
    [{ name: 'OP01-025', number: '4' }, 'none', []],
    ...['(Alternate Art) ', '［Alternate Art］', '（Alternate Art）', '(016 Alternate Art)'].map(
      (ending): Row => [{ name: `Nami ${ending}`, set: 'op01' }, 'exact', [6]],
    ),
    ...['Nami)', 'Nami (016)'].map((name): Row => [{ name, set: 'op01' }, 'exact', [7]]),
    [{ name: 'Nami (Alternate Art))', set: 'op01' }, 'none', []],
    [{ name: 'Nami (Alternate Foil)', set: 'op01' }, 'ambiguous', [7]],
    [{ name: 'Monkey.D.Luffy (003) (Parallel)', number: 'OP01-003' }, 'exact', [25]],
    [{ name: 'Monkey.D.Luffy (003)', set: 'op01' }, 'exact', [24]],
    [{ name: 'Monkey.D.Luffy', printing: 'foil' }, 'likely', [25]],
    [{ name: 'Fire // Ice (Normal)', printing: 'foil' }, 'ambiguous', [22]],
    [{ name: 'Zoro', set: 'op01' }, 'likely', [26]],
    [{ name: 'Zoro (Foil)' }, 'likely', [26]],
    [{ name: 'Zoro (Signed)' }, 'none', []],
    [{ name: 'Horsea [Foil]' }, 'ambiguous', [45, 46]],
    [{ name: 'Seel' }, 'ambiguous', [47, 48]],
    [{ name: 'Crow D.D.' }, 'ambiguous', [57, 56, 55]],
    [{ name: '!!!!' }, 'ambiguous', [60, 59, 58]],
    [{ name: 'Seadra' }, 'ambiguous', [49, 50]],
    ...['(12)', '12'].map((name): Row => [{ name }, 'exact', [51]]),
    [{ name: 'Kabuto δ' }, 'likely', [52]],
    [{ name: 'Bug' }, 'none', []],
    [{ name: 'Porygon ☆＋ ()' }, 'exact', [54]],
    [{ name: '_____' }, 'exact', [8]],
    [{ name: '____' }, 'none', []],
    [{ name: 'Nidoran♀', set: 'Base Set' }, 'none', []],
    [{ name: 'Nidoran♂', set: 'Base Set' }, 'exact', [9]],
    [{ name: 'Nidoran ♂', set: 'Base Set' }, 'exact', [9]],
    [{ name: 'Nidoran', set: 'Base Set' }, 'exact', [9]],
    [{ name: 'Nidoran' }, 'ambiguous', [9, 10]],
    [{ name: 'Rayquaza ☆', set: 'EX Deoxys' }, 'exact', [11]],
    [{ name: 'Rayquaza ★', set: 'EX Deoxys' }, 'none', []],
    [{ name: 'Celebi ☆' }, 'none', []],
    [{ name: 'Charizard δ' }, 'exact', [13]],
    [{ name: 'Charizard γ' }, 'none', []],
    [{ name: 'Duskull (60)', number: '60', printing: 'Normal' }, 'exact', [14]],
    [{ name: 'Duskull ( 60 )', printing: 'Reverse Holofoil' }, 'exact', [15]],
    [{ name: 'Duskull (60)' }, 'likely', [14]],
    [{ name: 'Duskull (61)' }, 'ambiguous', [14, 15]],
    [{ name: 'Drayton - 232/191', number: '232/191' }, 'exact', [16]],
    [{ name: 'Drayton - 232/191' }, 'exact', [16]],
    [{ name: 'Drayton - 233/191' }, 'none', []],
    [{ name: 'Zubat' }, 'exact', [17]],
    [{ name: 'Golbat' }, 'likely', [18]],
    [{ name: 'Golbat (60)' }, 'exact', [18]],
    [{ name: 'Delver of Secrets', set: 'isd', number: '51' }, 'likely', [19]],
    [{ name: 'Insectile Aberration', printing: 'foil' }, 'likely', [20]],
    [{ name: 'Delver of Secrets // Insectile Aberration', printing: 'foil' }, 'exact', [20]],
    [{ name: 'Wear' }, 'likely', [21]],
    [{ name: 'Ice' }, 'exact', [23]],
    [{ name: 'Fire' }, 'likely', [22]],
    [{ name: 'Charizard', set: 'Obsidian Flames' }, 'none', []],
    [{ name: 'Drayton', set: 'Obsidian Flames' }, 'exact', [16]],
    [{ name: 'Drayton', set: 'obsidian' }, 'likely', [16]],
    [{ name: 'Sword and Shield' }, 'exact', [32]],
    [{ name: 'Mickey Mouse' }, 'ambiguous', [34, 35, 36]],
    [{ name: 'Mickey Mouse', printing: 'holo' }, 'exact', [35]],
    [{ name: 'Mickey Mouse', printing: 'foil' }, 'ambiguous', [35, 36]],
    [{ name: 'Goofy' }, 'likely', [37]],
    [{ ids: { tcgplayer: 7 } }, 'likely', [2]],
    [{ ids: { tcgplayer: 7 }, name: 'Mew', printing: 'foil' }, 'exact', [3]],
    [{ ids: { tcgplayer: 7 }, printing: 'Holofoil' }, 'ambiguous', [2, 3]],
    [{ ids: { tcgplayer: 8 }, name: 'Mew' }, 'none', []],
    [{ ids: { scryfall: scryfallId }, printing: 'Foil' }, 'exact', [20]],
    [{ ids: { scryfall: scryfallId, tcgplayer: 7 } }, 'none', []],
  ]
  for (const [line, match, found] of table) {
    it(`The line ${JSON.stringify(line)} is matched as "${match}"`, async () => {
      assert.deepEqual((await loaded).find(line), { match, cards: found })
      assert.deepEqual(plain.find(line), { match, cards: found }, 'the reference')
    })
  }
  for (const [line, match, found] of otherwise) {
    it(`The line ${JSON.stringify(line)} is matched as "${match}"`, async () => {
      assert.deepEqual((await loaded).find(line), { match, cards: found })
    })
  }
  it('A line with the API’s own id is an exact match, and one with an unknown id matches nothing', async () => {
    const right = { ids: { card: '3', tcgplayer: 7 }, name: 'Mew' }
    assert.deepEqual((await loaded).find(right), { match: 'exact', cards: [3] })
    for (const ids of [{ card: '99' }, { card: '3', tcgplayer: 8 }, {}])
      assert.deepEqual((await loaded).find({ ids }), { match: 'none', cards: [] })
  })
  it('Words such as foil and 1st edition name a printing, and other words do not', () => {
    const words =
      'nonfoil,non-foil,regular,non-holo,foil,holo,holofoil,reverse,reverse holo,reverse foil,1st edition,first edition,' +
      '1st ed,1st Edition Holofoil,unlimited,unlimited edition,etched,foil etched'
    for (const text of words.split(',')) assert.ok(namesPrinting(text), text)
    for (const text of ['', 'gold', '1st editions', 'foil ★']) assert.ok(!namesPrinting(text), text)
    assert.ok(isPrintingOf('First Edition', '1st Edition Holofoil'))
    assert.ok(!isPrintingOf('1st Edition Holofoil', '1st Edition'))
  })
  const loaded = matchOf(cards, sets)
  const plain = new PlainMatching(cards, sets)
})

it('A random line gets the same match as by a plain look at all cards', async () => {
  const matches = new Map<string, number>()
  for (let seed = 1; seed <= Number(process.env['SEEDS'] ?? amount(10, 500)); seed++) {
    const random = randomFrom(seed)
    const { cards, sets } = drawnCatalog(random)
    const match = await matchOf(cards, sets)
    const plain = new PlainMatching(cards, sets)
    for (let i = 0; i < 40; i++) {
      const line = drawnLine(random, cards, sets)
      const expected = plain.find(line)
      const named = cards.map(({ name, number, printing }) => `${name}|${number}|${printing}`)
      const message = `seed ${seed}: ${JSON.stringify(line)} ${JSON.stringify(named)}`
      assert.deepEqual(match.find(line), expected, message)
      matches.set(expected.match, (matches.get(expected.match) ?? 0) + 1)
    }
  }
  for (const one of ['exact', 'likely', 'ambiguous', 'none']) assert.ok(matches.get(one)! > amount(3, 40), one)
})

it('A line with the longest allowed texts costs at most 100 times as much as its name alone, and has at most 6 readings', async () => {
  const sets = [{ code: 'base1', name: 'Base Set', game: 0 }]
  const printings = ['Normal', 'Holofoil', 'Reverse Holofoil', '1st Edition Holofoil']
  const cards = Array.from({ length: 1000 }, (_, i) => ({
    name: 'Charizard',
    number: `${i % 250}`,
    rarity: 'Rare',
    game: 0,
    setNumber: 0,
    printing: printings[i % printings.length]!,
  }))
  const { match, lists } = await loadedMatch(cards, sets)
  const numbers = new TextTable(lists.numberText, lists.numberTextAt)
  // NFKD makes 18 letters of each.
  const long = 'ﷺ'.repeat(queryCharsMax)
  const endings = [
    '(12)'.repeat(40),
    '(a b c d 7)'.repeat(15),
    ' - 12'.repeat(30),
    ' - 1 - 2 - 3 - 4 - 5 - 6'.repeat(9),
    '(1 2 4 3)(1 3 5 4)'.repeat(11),
    '(Foil)'.repeat(30),
    '('.repeat(180),
  ]
  const named = [...endings, '(1st Edition) (99)'].map((ending) => `Charizard ${ending}`)
  const names = [...named, 'abcd '.repeat(40), 'Charizart', long].map((name) => name.slice(0, queryCharsMax))
  const others = ['printing', 'set', 'rarity', 'number'].map((field) => ({ [field]: long }))
  const matched = (more: object) => () => {
    const body = JSON.stringify({ cards: Array(matchLinesMax).fill({ name: 'Charizard', ...more }) })
    const lines = readLines(Buffer.from(body))
    assert.ok(Array.isArray(lines))
    for (const line of lines) match.find(line)
  }
  const timesMax = 100
  for (const more of [...others, ...names.map((name) => ({ name }))]) {
    const times = timesYardstick(matched(more), matched({}), timesMax)
    assert.ok(times < timesMax, `${times.toFixed(1)} times: ${JSON.stringify(more)}`)
  }
  const readings = names.map((name) => new LineName(name, lists, numbers).keys.flatMap((key) => key.readings).length)
  assert.equal(Math.max(...readings), 6)
})

it('The candidates of a line are put in order without decoding their names', async (test) => {
  const cards = Array.from({ length: 1000 }, (_, i) => ({
    name: `Pikachu (${i + 1000})`,
    number: `${i % 200}`,
    rarity: 'Rare',
    game: 0,
    setNumber: 0,
    printing: null,
  }))
  const { match, search } = await loadedMatch(cards, [{ code: 'base1', name: 'Base Set', game: 0 }])
  const nameOf = test.mock.method(search, 'nameOf')
  for (const { match: kind } of match.findAll(Array(matchLinesMax).fill({ name: '[Pikachu]((((((((((' })))
    assert.equal(kind, 'ambiguous')
  assert.equal(nameOf.mock.callCount(), 0)
})
