/** Catalogs of few names in many printings, and lines that name their cards well, badly or not at all: drawn from a seed. */
import { gameSlugs } from '../../build/games/default-games.ts'
import type { Line } from '../../src/match/line.ts'
import type { ScanCard, ScanSet } from '../reference/scan.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

const words = "Pikachu Pikachi Dragon Dragons Dark of ex リザードン Éevee Urza's Fire 2 & and δ //".split(' ')
const joints = [' ', ' ', ' ', '-', '♀ ', ' ☆ ', ' // ']
const brackets = [
  '(Red)',
  '(Blue)',
  '[Foil]',
  '[Reverse Holofoil]',
  '(Alternate Art)',
  '（デルタ種）',
  '[Holofoil]',
  '()',
  '(4)',
  '(001 Full Art)',
  '(1st Edition)',
  '(PSA 10)',
  '[holo]',
  '(★)',
]
const ends = ['', '', '', '', ' - 4/102', ' - 12', '♀', ' ☆', ' δ', ' - OP01-001 (Red)']
const printings = [
  ...'Normal,Holofoil,Foil,Reverse Holofoil,foil,1st Edition Holofoil,1st Edition,Cold Foil,Unlimited,Etched'.split(
    ',',
  ),
  null,
]
const printingWords =
  'Holo,Reverse,Reverse Holo,NORMAL,foil,nonfoil,1st ed,first edition,regular,cold foil,unlimited edition,foil etched,★,Rainbow Foil,galaxy foil'
const printingsAsTyped = printingWords.split(',')
const numbers = ['4', '004', '4/102', '4/99', 'SV1', 'OP01-001', '12', 'A', null]
const setNames = ['Base Set', 'Base Set 2', 'Fossil', 'The Base', 'Base1', 'SV03: Fossil', 'XY - Base Set', 'BW2: ']

function drawnName(random: Random): string {
  const count = 1 + drawBelow(random, 3)
  const name =
    Array.from({ length: count }, () => drawFrom(random, words)).join(drawFrom(random, joints)) + drawFrom(random, ends)
  const behind = Array.from({ length: drawFrom(random, [0, 0, 0, 1, 1, 2]) }, () => drawFrom(random, brackets))
  return [name, ...behind].join(drawFrom(random, [' ', ' ', '']))
}

export function drawnCatalog(random: Random): { cards: ScanCard[]; sets: ScanSet[] } {
  const sets = Array.from({ length: 5 }, () => ({
    code: drawFrom(random, ['base1', 'OP-01', 'op01', 'b2', 'B2']),
    name: drawFrom(random, setNames),
    game: drawBelow(random, 3),
    printedTotal: drawFrom(random, [102, 99, null]),
  }))
  const names = Array.from({ length: 12 }, () => drawnName(random))
  const cards: ScanCard[] = []
  for (let i = 1 + drawBelow(random, 40); i > 0; i--) {
    const setNumber = drawBelow(random, sets.length)
    const [number, rarity] = [drawFrom(random, numbers), drawFrom(random, ['Rare', 'common', null])]
    const name = drawFrom(random, names)
    const ids = { tcgplayerId: drawFrom(random, [1, 2, 3, null]) }
    // Often, a card has several printings.
    for (let more = drawFrom(random, [1, 1, 2, 3]); more > 0; more--) {
      const printing = drawFrom(random, printings)
      const ending = printing === null || drawBelow(random, 2) === 0 ? '' : ` [${printing}]`
      cards.push({ name: name + ending, game: sets[setNumber]!.game, setNumber, printing, number, rarity, ...ids })
    }
  }
  return { cards, sets }
}

/** A card's own, mostly; then with slips, or of others. */
export function drawnLine(random: Random, cards: readonly ScanCard[], sets: readonly ScanSet[]): Line {
  const card = drawFrom(random, cards)
  const other = drawBelow(random, 5) === 0 ? drawFrom(random, cards) : card
  const set = sets[other.setNumber]!
  const maybe = <Value>(...values: Value[]) => (drawBelow(random, 2) === 0 ? drawFrom(random, values) : undefined)
  const printing = maybe(other.printing, other.printing, ...printingsAsTyped) ?? undefined
  if (drawBelow(random, 12) === 0) return { ids: { tcgplayer: drawFrom(random, [1, 2, 3, 4]) }, printing }
  const at = drawBelow(random, card.name.length)
  const bare = card.name.replace(/\s*[([（].*$/, '') || card.name
  const name = drawFrom(random, [
    card.name,
    card.name,
    card.name.toUpperCase(),
    bare,
    bare,
    `${bare} - ${other.number}`,
    `${bare} (${other.number})`,
    `${other.number}`,
    set.code,
    `${set.code} ${other.number}`,
    `${set.code} ${drawFrom(random, ['4/102', '004 / 99', '12'])}`,
    bare.replace(/[♀☆]/gu, ''),
    bare.replace(/[♀☆]/gu, '♂'),
    card.name.split('//')[0]!,
    `${card.name} ${drawFrom(random, brackets)}`,
    card.name.slice(0, at) + card.name.slice(at + 1),
    `${card.name.slice(0, at)}q${card.name.slice(at)}`,
    drawnName(random),
  ])
  const setTexts = [set.name, set.code, set.code.toUpperCase(), set.name.split(' ')[0]!]
  return {
    name: name.trim() || 'x',
    number: maybe(other.number, other.number, '4/102', '9', '#4', '4 / 102', '４') ?? undefined,
    set: maybe(...setTexts, set.name.split(/: | - /).at(-1)!, 'Nowhere', '-'),
    game: maybe(gameSlugs[other.game]!, 'POKEMON', 'chess', 'Magic: the Gathering'),
    printing,
    rarity: maybe(other.rarity, 'RARE') ?? undefined,
  }
}
