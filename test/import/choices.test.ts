/** What a folder was imported with stays with it: later imports and updates use it, and another value needs --force. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gameSlugs } from '../../build/games/default-games.ts'
import { sources } from '../../build/import/import-command.ts'
import { chooseFor, type GivenChoices, readChoices } from '../../build/import/write/choices.ts'
import { update } from '../../build/update/update.ts'
import type { GameSlug } from '../../src/games.ts'
import { chosenOf } from '../fetch/fetching.ts'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { fewGroups, PublicSource, tcgcsvFiles } from '../fetch/public-source.ts'
import { temporaryFolder } from '../support/command.ts'
import { cardsById, errorsOf, file, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { scryfallCards } from './magic.ts'

const games = (...slugs: GameSlug[]) => new Set(slugs)

describe('The choices of a folder', () => {
  const imageBase = 'https://images.example/'
  const cases: readonly (readonly [given: GivenChoices, other: GivenChoices, line: string])[] = [
    [
      { prefer: ['scryfall'] },
      { prefer: ['mtgjson'] },
      'was imported with --prefer scryfall,tcgcsv,mtgjson, and --prefer says mtgjson,tcgcsv,scryfall',
    ],
    [
      { imageBase },
      { imageBase: 'http://other' },
      `was imported with --base ${imageBase}, and --base says http://other`,
    ],
    [
      { games: games('mtg', 'pokemon') },
      { games: games('mtg') },
      'was imported with --games pokemon,mtg, and --games says mtg',
    ],
    [{ sealed: true }, { sealed: false }, 'was imported with --sealed, and --no-sealed says otherwise'],
  ]
  for (const [given, other, line] of cases) {
    const [name] = Object.keys(given) as [keyof GivenChoices]
    it(`A changed choice needs --force: the folder ${line}`, async () => {
      const [out, mirror] = [temporaryFolder(), writeMirror()]
      await importInto(out, 'tcgcsv', [mirror], given)
      const kept = readFileSync(join(out, 'import/choices.json'), 'utf8')
      const used = () => chooseFor(out, 'tcgcsv', sources.tcgcsv, { force: false }).choices[name]
      const before = used()
      assert.equal(await errorsOf(importInto(out, 'tcgcsv', [mirror], other)), `${out}: ${line}: --force changes it`)
      for (const again of [{}, given]) {
        await importInto(out, 'tcgcsv', [mirror], again)
        assert.deepEqual([readFileSync(join(out, 'import/choices.json'), 'utf8'), used()], [kept, before])
      }
      await importInto(out, 'tcgcsv', [mirror], { ...other, force: true })
      assert.notDeepEqual(used(), before)
    })
  }

  it('A folder remembers games and image addresses for each source, but not those of a later import without --force', async () => {
    const [out, mirror] = [temporaryFolder(), writeMirror()]
    await importInto(out, 'tcgcsv', [mirror])
    await importInto(out, 'tcgcsv', [mirror], { games: games('onepiece') })
    assert.deepEqual(readChoices(out), { currency: 'USD', sealed: false })
    await importInto(out, 'tcgcsv', [mirror], { games: games('onepiece'), force: true, imageBase })
    assert.deepEqual(readChoices(out), {
      currency: 'USD',
      sealed: false,
      games: { tcgcsv: ['onepiece'] },
      base: { tcgcsv: imageBase },
    })
    const ofScryfall = chooseFor(out, 'scryfall', sources.scryfall, { force: false }).choices
    assert.deepEqual([[...ofScryfall.games], ofScryfall.imageBase], [['mtg'], undefined])
    await importInto(out, 'tcgcsv-archive', [writeMirror()], { date: '2026-11-09', games: games('pokemon') })
    assert.deepEqual(readChoices(out).games, { tcgcsv: ['onepiece'] })
  })

  it('An import reads choices of earlier releases, and reports unreadable ones', () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    writeFileSync(join(out, 'import/choices.json'), '{"currency":"EUR","sealed":true}')
    const { choices, isChanged } = chooseFor(out, 'tcgcsv', sources.tcgcsv, { force: false })
    assert.deepEqual([choices.currency, choices.sealed, isChanged], ['EUR', true, false])
    assert.deepEqual([choices.prefer, choices.games], [['tcgcsv', 'scryfall', 'mtgjson'], new Set(gameSlugs)])
    writeFileSync(join(out, 'import/choices.json'), '{"prefer":["ebay"]}')
    assert.throws(() => readChoices(out), /choices\.json: /)
  })
})

it('An update keeps the folder’s source order, image addresses and games; another order or games needs --force', async () => {
  const [out, index] = [temporaryFolder(), temporaryFolder()]
  const ofMagic = tcgcsvFiles(mirrorGroups.filter(({ category }) => category === 1))
  const own = await PublicSource.start(new Map([...ofMagic, ...tcgcsvFiles(fewGroups(2))]))
  const bulk = file('bulk.json', JSON.stringify(scryfallCards))
  await importInto(out, 'scryfall', [bulk], { prefer: ['scryfall'], imageBase: 'https://scryfall.example/' })
  const mtg = chosenOf('tcgcsv', own, { games: ['mtg'] })
  const run = async (options = {}) => (await update([mtg], out, index, options)).failures
  const cardNow = (product: number) =>
    [...cardsById(out).values()].find(({ tcgplayerId, printing }) => tcgplayerId === product && printing !== 'Foil')
  const command = () => {
    const card = cardNow(452001)
    return [card.prices.market, card.image, card.sources]
  }
  const [games, imageBase] = [new Set(['mtg'] as const), 'https://tcgcsv.example/']
  assert.deepEqual(await run({ games, imageBase }), [])
  assert.deepEqual(command(), [26.65, 'https://scryfall.example/1.jpg', ['scryfall', 'tcgplayer']])
  assert.equal(cardNow(452002).image, 'https://tcgcsv.example/452002_200w.jpg')
  own.forget()
  await assert.rejects(run({ prefer: ['tcgcsv'] }), /--prefer says tcgcsv,scryfall,mtgjson: --force changes it$/)
  await assert.rejects(run({ games: new Set(['pokemon']) }), /--games mtg, and --games says pokemon: --force /)
  assert.deepEqual(own.asked, [])
  const all = [chosenOf('tcgcsv', own, { games: gameSlugs })]
  assert.deepEqual((await update(all, out, index)).failures, [])
  assert.ok(!own.asked.some((path: string) => path.startsWith('/tcgplayer/3/')), 'other games are not fetched')
  assert.deepEqual(await run({ prefer: ['tcgcsv'], force: true }), [])
  assert.deepEqual(command().slice(0, 1), [0.2])
})
