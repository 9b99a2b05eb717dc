/** The hosts of pictures in about.json: imports keep their own list, and an operator's stays. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pictureHostsOf } from '../../build/import/write/picture-hosts.ts'
import { imageHostsMax } from '../../src/limits.ts'
import { mirrorGroups } from '../fetch/mirror-groups.ts'
import { temporaryFolder } from '../support/command.ts'
import { file, importInto } from '../support/import.ts'
import { writeMirror } from '../support/mirror.ts'
import { scryfallCards } from './magic.ts'

const ofPokemon = mirrorGroups.filter(({ category }) => category === 3)
const mirror = writeMirror(ofPokemon)
const bulk = file('default-cards.jsonl', scryfallCards.map((card) => `${JSON.stringify(card)}\n`).join(''))
const day = { date: '2026-11-20' }

const imagesIn = (out: string): unknown =>
  existsSync(join(out, 'about.json')) && JSON.parse(readFileSync(join(out, 'about.json'), 'utf8')).images

describe('The hosts of pictures in about.json', () => {
  it('An import lists the picture hosts of all sources in about.json, and updates them when they change', async () => {
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [mirror])
    assert.deepEqual(imagesIn(out), ['https://tcgplayer-cdn.example'])
    await importInto(out, 'scryfall', [bulk], day)
    const both = ['https://cards.example', 'https://tcgplayer-cdn.example']
    assert.deepEqual(imagesIn(out), both)
    assert.deepEqual((await importInto(out, 'scryfall', [bulk], day)).changed, [])
    await importInto(out, 'tcgcsv', [mirror], { imageBase: 'https://own.example/cards/', force: true })
    assert.deepEqual(imagesIn(out), ['https://cards.example', 'https://own.example'])
  })

  for (const images of [
    [],
    null,
    ['https://mine.example'],
    ['https://tcgplayer-cdn.example', 'https://mine.example'],
  ]) {
    it(`An import leaves the operator’s own list of picture hosts as it is: ${JSON.stringify(images)}`, async () => {
      const out = temporaryFolder()
      writeFileSync(join(out, 'about.json'), JSON.stringify({ title: 'Ours', images }))
      await importInto(out, 'tcgcsv', [mirror])
      assert.deepEqual(imagesIn(out), images)
      await importInto(out, 'scryfall', [bulk], day)
      assert.deepEqual(imagesIn(out), images)
    })
  }

  it('An import leaves a list of picture hosts alone once the operator has changed it', async () => {
    const out = temporaryFolder()
    await importInto(out, 'tcgcsv', [mirror])
    writeFileSync(join(out, 'about.json'), '{"images":[]}')
    await importInto(out, 'scryfall', [bulk], day)
    assert.deepEqual(imagesIn(out), [])
  })

  it('The list of picture hosts has the most used ones up to its maximum, and none that a browser’s policy would misread', () => {
    const many = Array.from({ length: imageHostsMax + 5 }, (_, i) =>
      Array.from({ length: i + 1 }, (_, j) => ({ image: `https://host${i}.example/${j}.png` })),
    )
    const odd = ['https://*/a.png', 'https://a;b/a.png', 'none', 'https://user@host.example/a.png', null]
    const hosts = pictureHostsOf([...many, odd.map((image) => ({ image }))])
    assert.equal(hosts.length, imageHostsMax)
    assert.ok(!hosts.includes('https://host4.example') && hosts.includes('https://host5.example'))
  })
})
