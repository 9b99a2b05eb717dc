/** Numbers, names, parts of ids and prices, as the importer makes them of what sources print. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { slug } from '../../build/import/ids.ts'
import { priceReader } from '../../build/import/sources/pricecharting-source.ts'
import { dayOfText, imageOf, numberOf, plainText, printingName } from '../../build/import/sources/values.ts'
import { withoutNumber } from '../../src/names/numbers.ts'

describe('a number', () => {
  const cases: [printed: string, number: string | null][] = [
    ['139/195', '139'],
    ['SV001/SV122', 'SV001'],
    ['276/XY-P', '276'],
    ['A/28', 'A'],
    ['!/28', '!'],
    ['H25/H32', 'H25'],
    ['055a/111', '055a'],
    ['PW 1', 'PW 1'],
    ['SM103a', 'SM103a'],
    ['THREE', 'THREE'],
    ['N/A', null],
    ['n/a', null],
    [' ', null],
    ['099/102 & 100/102', '099/102 & 100/102'],
    ['099/102 &amp; 100/102', '099/102 & 100/102'],
    ['101/078 SAR', '101/078 SAR'],
    ['OP01-001', 'OP01-001'],
    ['1/2/3', '1/2/3'],
  ]
  for (const [printed, number] of cases) it(printed, () => assert.equal(numberOf(printed), number))
})

describe('a name', () => {
  const cases: [printed: string, number: string | null, name: string][] = [
    ['Squirtle - 063/100', '063/100', 'Squirtle'],
    ["Janine's Secret Art - 112/131 (Poke Ball Pattern)", '112/131', "Janine's Secret Art (Poke Ball Pattern)"],
    ['Steelix (H29)', 'H29/H32', 'Steelix'],
    ['Golem (14)', '14', 'Golem'],
    ['Golem (14)', '014/100', 'Golem'],
    ['X.Drake (054)', 'OP01-054', 'X.Drake'],
    ['X.Drake (OP01-054)', 'OP01-054', 'X.Drake'],
    ['X.Drake (ST01-054)', 'OP01-054', 'X.Drake (ST01-054)'],
    ['Skarmory EX (145 Full Art)', '145/195', 'Skarmory EX (Full Art)'],
    ['Skarmory EX (145/195 Full Art)', '145/195', 'Skarmory EX (Full Art)'],
    ['Roronoa Zoro (001) (Alternate Art)', 'OP01-001', 'Roronoa Zoro (Alternate Art)'],
    ['Nami (V.2)', 'OP01-016', 'Nami (V.2)'],
    ['Pikachu (2024)', '024/100', 'Pikachu (2024)'],
    ['Mewtwo - 1/2', '150/165', 'Mewtwo - 1/2'],
    ['Porygon2', '2', 'Porygon2'],
    ['Zygarde 10%', '10', 'Zygarde 10%'],
    ['Team Rocket - 15/82 - Holo', '15/82', 'Team Rocket - Holo'],
    ['Darth Vader - Dark Lord of the Sith', '010/252', 'Darth Vader - Dark Lord of the Sith'],
    ['(7)', '7', '(7)'],
    ['Card (10)', '1', 'Card (10)'],
    ['Card (100)', '1/100', 'Card (100)'],
    ['Bulbasaur (7)', null, 'Bulbasaur (7)'],
    ['Bulbasaur (N/A)', 'N/A', 'Bulbasaur (N/A)'],
    ['Pikachu & Zekrom - 099/102 & 100/102', '099/102 & 100/102', 'Pikachu & Zekrom'],
    ['Charmander - 101/078', '101/078 SAR', 'Charmander'],
  ]
  for (const [printed, number, name] of cases)
    it(`${printed} of ${number}`, () => assert.equal(withoutNumber(printed, number), name))

  it('has entities decoded once, no tags and no double spaces', () => {
    assert.equal(plainText('Ashnod&#39;s  <em>Altar</em> &amp;amp; &eacute;&nbsp;x '), "Ashnod's Altar &amp; é x")
    assert.equal(plainText('2 < 3 > 1'), '2 < 3 > 1')
    assert.equal(plainText('Lugia<i>V</i> (<b>Promo</b>)<br/>Two<p>Three</p>'), 'LugiaV (Promo) Two Three')
    assert.equal(plainText('&lt;em&gt;Mew&lt;/em&gt;'), 'Mew')
  })

  it('tells a sub-type where there are several, but Normal', () => {
    assert.equal(printingName('Pidgey', 'Reverse Holofoil', true), 'Pidgey [Reverse Holofoil]')
    assert.equal(printingName('Pidgey', 'Normal', true), 'Pidgey')
    assert.equal(printingName('Pidgey', 'Holofoil', false), 'Pidgey')
  })
})

describe('a part of an id', () => {
  const cases: [text: string, part: string][] = [
    ['Reverse Holofoil', 'reverse-holofoil'],
    ['1st Edition', '1st-edition'],
    ['OP01-001', 'op01-001'],
    ['  A/28! ', 'a-28'],
    ['v1.5', 'v1.5'],
    ['★', ''],
    ['Pokémon', 'pok-mon'],
    ['a_b~c', 'a-b-c'],
  ]
  for (const [text, part] of cases) it(text, () => assert.equal(slug(text), part))
})

it('a price of PriceCharting is dollars or cents, never both in a file', () => {
  const wrong = 'must be dollars such as $1,234.56, or whole cents'
  assert.deepEqual(['$1,234.56', '$5', '$0.5', '', '$12,34', '1.5', 'x', '700'].map(priceReader()), [
    ...[123456, 500, 50, null, wrong, wrong, wrong],
    "must be in dollars, as the file's first price",
  ])
  assert.deepEqual(['123456', '$5'].map(priceReader()), [123456, "must be in cents, as the file's first price"])
})

it('a day is a real one that a history may have', () => {
  for (const [text, day] of [
    ['2022-11-11T00:00:00', '2022-11-11'],
    ['2022-02-30', null],
    ['0001-01-01T00:00:00', null],
    ['1989-12-31', null],
    ['1990-01-01', '1990-01-01'],
    ['2099-12-31', '2099-12-31'],
    ['2100-01-01', null],
    ['', null],
    [null, null],
  ] as const)
    assert.equal(dayOfText(text), day)
})

it('an image keeps its last part with another base', () => {
  assert.equal(imageOf('https://a.example/x/1_200w.jpg?9', 'https://b.example/i/'), 'https://b.example/i/1_200w.jpg')
  assert.equal(imageOf('https://a.example/1.jpg?9', undefined), 'https://a.example/1.jpg?9')
  for (const address of ['1.jpg', '', null, 'ftp://a.example/1']) assert.equal(imageOf(address, undefined), null)
})
