/** Products that have their own number and a marker in their names, as TCGplayer writes them: a line without the marker is never exact. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { Games } from '../../src/games.ts'
import { Match } from '../../src/match/match.ts'
import { printedNumber, withoutNumber } from '../../src/names/numbers.ts'
import { Search } from '../../src/search/search.ts'
import { PlainMatching } from '../reference/matching.ts'
import type { ScanCard } from '../reference/scan.ts'
import { searchedFiles } from '../reference/searched-catalog.ts'
import { drawFrom, randomFrom } from '../support/random.ts'

const products = 524
const sets = [
  { code: 'sv3pt5', name: 'SV: Scarlet & Violet 151', game: 0, printedTotal: null },
  { code: 'me1', name: 'ME01: Mega Evolution', game: 0, printedTotal: null },
]
const names = [
  'Ditto',
  'Squirtle',
  "Janine's Secret Art",
  'Mr. Mime',
  'Porygon2',
  'Nidoran♀',
  'Pikachu & Zekrom',
  'Type: Null',
]
const numbers = ['132/165', '063/100', 'TG12/TG30', '276/XY-P', 'SV001/SV122', 'OP01-016', '25', 'H29/H32', '055a/111']
/** What follows the number. None names a printing. */
const endings = [
  ' (Poke Ball Pattern)',
  ' (Master Ball Pattern)',
  '(Cosmos Foil)',
  ' [Staff]',
  ' (Prerelease) [Staff]',
  '（Mirror）',
  '［Mirror］',
  ' （Mirror）',
  '-Mirror',
  '*Mirror',
  ' - Mirror',
  ' - Mirror (Staff)',
  ' Mirror',
]
const places = [
  (name: string, number: string, ending: string) => `${name} - ${number}${ending}`,
  (name: string, number: string, ending: string) => `${name} (${number})${ending}`,
  (name: string, number: string, ending: string) => `${name} (${number}${ending.replace(/[()[\]（）［］]/g, '')})`,
  (name: string, number: string, ending: string) => `${name}${ending} - ${number}`,
]
const printings = [null, 'Normal', 'Holofoil', 'Reverse Holofoil']

const noCatalog = { games: new Games([]), find: () => -1 }

it(`A line that lacks the marker of one of ${products} products is at most a likely match`, async () => {
  const random = randomFrom(132_165)
  let exact = 0
  let likely = 0
  for (let i = 0; i < products; i++) {
    const [name, number, ending] = [drawFrom(random, names), drawFrom(random, numbers), drawFrom(random, endings)]
    const product = drawFrom(random, places)(name, number, ending)
    const own = drawFrom(random, [number, printedNumber(number)])
    const setNumber = drawFrom(random, [0, 1])
    const rest = { game: 0, setNumber, rarity: 'Common', number: own, printing: drawFrom(random, printings) }
    // As the import names it, or as an operator's own snapshot does.
    const card: ScanCard = { ...rest, name: drawFrom(random, [product, withoutNumber(product, number)]) }
    const { search, lists, changes } = searchedFiles([card], sets)
    const match = new Match(search, lists, await Search.load(search, lists, changes, () => pause()), noCatalog)
    const set = sets[setNumber]!.name
    const whole = { name: product, set, number }
    assert.deepEqual(match.find(whole), { match: 'exact', cards: [0] }, `${card.name} by ${JSON.stringify(whole)}`)
    exact++
    const lacking = [`${name} - ${number}`, `${name} (${number})`, name].filter((one) => one !== card.name)
    for (const line of lacking.map((one) => ({ name: one, set, number }))) {
      const found = match.find(line)
      const message = `${card.name} by ${JSON.stringify(line)}`
      assert.notEqual(found.match, 'exact', message)
      assert.deepEqual(found, new PlainMatching([card], sets).find(line), message)
      if (found.match === 'likely') likely++
    }
  }
  assert.equal(exact, products)
  assert.ok(likely > products, `${likely} lines were likely`)
})
