/**
 * Follows the first step of CONTRIBUTING.md's recipe for a game in a copy of the project. With one more row in src/games.ts, the game
 * is imported, built and served.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gameSlugs } from '../../src/games.ts'
import type { MirrorGroup } from '../fetch/mirror-groups.ts'
import { cardPrices, collect, type Outcome, outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import { writeMirror } from '../support/mirror.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

const copy = temporaryFolder()
const row = `  {
    id: 'beasts',
    name: 'Invented Beasts',
    language: 'English',
    tcgplayer: { category: 9999, names: ['Invented Beasts TCG'] },
    cardmarket: 999,
    pricecharting: { category: 'other-tcg-cards', consoles: ['Invented Beasts'], hasPrintedNumbers: true },
  },
`
const group: MirrorGroup = {
  category: 9999,
  id: 1,
  name: 'Release Special',
  abbreviation: 'BT01',
  published: '2020-11-27T00:00:00',
  products: [{ id: 7, name: 'Griffin', number: 'BT1-010', rarity: 'C', prices: [{ subType: 'Normal', market: 1.25 }] }],
}

const edited = (name: string, before: string, added: string): void => {
  const text = readFileSync(join(copy, name), 'utf8')
  assert.ok(text.includes(before), name)
  writeFileSync(join(copy, name), text.replace(before, `${added}${before}`))
}

const start = (...words: string[]) =>
  spawn(process.execPath, [join(copy, cardPrices), ...words], {
    cwd: copy,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent', CARD_PRICES_ENV: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const done = async (...words: string[]): Promise<Outcome> => {
  const outcome = await outcomeOf(start(...words))
  assert.equal(outcome.code, 0, outcome.stderr)
  return outcome
}

describe('one more game', () => {
  before(() => {
    for (const name of ['src', 'build', 'clients/typescript', 'package.json', 'docs/api.md']) {
      cpSync(join(projectDir, name), join(copy, name), { recursive: true })
    }
    symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'))
    edited('src/games.ts', '] as const satisfies', row)
  })

  it('is imported, built, searched and listed after one row', { timeout: 60_000 }, async (t) => {
    await done('import', 'tcgcsv', writeMirror([group]), '--out', 'prices')
    await done('build', '--snapshots', 'prices')
    const { stdout } = await done('accounts', 'create', 'a', '--plan', 'business', '--json')
    const headers = { 'x-api-key': JSON.parse(stdout).key }
    const server = start('serve')
    const output = collect(server)
    t.after(() => server.kill('SIGKILL'))
    await until('it listens', () => /^listening on/m.test(output.stdout()))
    const address = /^listening on (\S+)$/m.exec(output.stdout())![1]!
    const get = async (path: string) => (await send(address, path, { headers })).json
    const games = (await get('/v1/games')).data
    const added = { id: 'beasts', name: 'Invented Beasts', cardCount: 1, setCount: 1 }
    assert.deepEqual([games.length, games.at(-1)], [gameSlugs.length + 1, added])
    const found = (await get('/v1/search?q=griffin+bt1-010&game=beasts')).data
    assert.deepEqual([found.length, found[0].id, found[0].prices.market], [1, 'beasts-bt01-bt1-010', 1.25])
    const described = JSON.stringify(await get('/openapi.json'))
    assert.ok(described.includes('"beasts"'))
  })
})
