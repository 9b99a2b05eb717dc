/** What commands say where something is in their way. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { cardPrices, outcomeOf, runHere, start, temporaryFolder } from '../support/command.ts'
import { aSnapshot, snapshotOf } from '../support/snapshot.ts'

const env = { CARD_PRICES_ENV: '', CARD_PRICES_PROGRAM: 'card-prices', INDEX_DIR: temporaryFolder() }

it('A build without the folder "snapshots" suggests the folder "prices" if that exists', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'prices/cards'), { recursive: true })
  writeFileSync(join(folder, 'prices/cards/tcgcsv-pokemon.ndjson'), '')
  const { code, stderr } = await outcomeOf(start(cardPrices, ['build'], env, folder))
  const advice = 'build the one that is here (card-prices build --snapshots prices)'
  assert.deepEqual([code, stderr], [1, `the snapshot folder snapshots does not exist; ${advice}\n`])
})

const snapshots = snapshotOf(aSnapshot)
/** Commands that write into a folder. Nobody listens at the address. */
const writing = (folder: string): readonly (readonly string[])[] => [
  ['build', '--snapshots', snapshots, '--out', folder],
  ['import', 'overlay', join(snapshots, 'none.csv'), '--out', folder],
  ['fetch', 'tcgcsv', '--out', folder, '--from', 'http://127.0.0.1:9'],
  ['update', 'tcgcsv', '--out', folder, '--from', 'http://127.0.0.1:9'],
]

/** What a command prints on stderr, without Node.js's own warning of the process's first use of SQLite. */
async function said(words: readonly string[]) {
  const { code, stderr } = await runHere(words, env)
  return { code, text: stderr.replace(/^\(.*\n/gm, '') }
}

it('A command whose --out is under /proc ends with one line', { skip: process.platform !== 'linux' }, async () => {
  for (const words of writing('/proc/prices/here')) {
    const { code, text } = await said(words)
    assert.equal(code, 1, words[0])
    assert.match(
      text,
      /^\/proc\/prices: no folder can be made in \/proc \(ENOENT\)(; nothing was changed)?\n$/,
      words[0],
    )
  }
})

it('A command whose --out is a file, or lies below one, says so in one line', async () => {
  const file = join(temporaryFolder(), 'prices')
  writeFileSync(file, '')
  for (const words of [...writing(file), ...writing(join(file, 'deeper/still'))]) {
    const { code, text } = await said(words)
    assert.deepEqual(
      [code, text.replace('; nothing was changed', '')],
      [1, `${file} must be a folder, and is a file\n`],
      words.join(' '),
    )
  }
})

it('An import whose mirror is a file says that it must be a folder', async () => {
  const file = join(temporaryFolder(), 'mirror')
  writeFileSync(file, '')
  const { code, text } = await said(['import', 'tcgcsv', file, '--out', temporaryFolder()])
  assert.deepEqual([code, text.split('\n')[0]], [1, `${file}: must be a folder, and is a file`])
})

it('A pull from an address that is not http or https exits with 2, and prints no password', async () => {
  const { code, stderr } = await runHere(['pull', 'ftp://user:secret@host/versions'], env)
  assert.equal(code, 2)
  assert.match(stderr, /^URL: must be an address http:\/\/… or https:\/\/… without a query/)
  assert.doesNotMatch(stderr, /secret/)
})

it('An update whose --push folder is missing fails before it fetches anything', async () => {
  const [snapshots, none] = [temporaryFolder(), join(temporaryFolder(), 'none')]
  // Nobody listens there: a fetch would say so.
  const words = ['update', 'tcgcsv', '--out', snapshots, '--from', 'http://127.0.0.1:9', '--push', none]
  const { code, stderr } = await runHere(words, env)
  const line = `the folder ${none} does not exist: create it if versions belong there\n`
  assert.deepEqual([code, stderr], [1, line])
})
