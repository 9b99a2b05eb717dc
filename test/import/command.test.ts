/**
 * The import’s command line, and the folder that it writes: which files it replaces, and one that is being written, was left half
 * written, or can’t be written.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runImport } from '../../build/import/import.ts'
import { tcgcsv } from '../../build/import/sources/tcgcsv/tcgcsv-source.ts'
import { finishImport, lockFolder, Staging } from '../../build/import/write/staging.ts'
import { folderOnOtherDisk, start, temporaryFolder, withoutOtherDisk } from '../support/command.ts'
import { assertRefused, contentOf, copyOf, importInto, runImportHere } from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'

const mirror = writeMirror()
const out = temporaryFolder()
await importInto(out, 'tcgcsv', [mirror])
const good = contentOf(out)

describe('The import command', () => {
  const games = 'pokemon, pokemonjp, mtg, yugioh, lorcana, onepiece, swu, fab'
  const wrong: readonly (readonly [args: string, line: string])[] = [
    ['', "missing required argument 'SOURCE'"],
    ['cardtrader x', 'unknown source cardtrader'],
    ['toString x', 'unknown source toString'],
    ['tcgcsv', 'tcgcsv takes DIR'],
    ['tcgcsv a b', 'tcgcsv takes DIR'],
    ['tcgcsv-archive', 'tcgcsv-archive takes DIR…'],
    ['tcgcsv a --games chess', `--games: must be of ${games} (chess)`],
    ['scryfall a --games pokemon', '--games: scryfall has only mtg'],
    ['tcgcsv a --date 2026-02-30', '--date: must be a date, YYYY-MM-DD (2026-02-30)'],
    ['tcgcsv a --date 2026-02-03T00', '--date: must be a date, YYYY-MM-DD (2026-02-03T00)'],
    ['tcgcsv a --base images', '--base: must be an http or https address (images)'],
    ['tcgcsv a --base https://', '--base: must be an http or https address (https://)'],
    ['tcgcsv a --base ftp://x', '--base: must be an http or https address (ftp://x)'],
    ['tcgcsv a --prefer ebay', '--prefer: must be of tcgcsv, scryfall, mtgjson (ebay)'],
    ['tcgcsv a --currency GBP', "option '--currency <CODE>' argument 'GBP' is invalid. Allowed choices are USD, EUR."],
    ['scryfall a --sealed', '--sealed: only for tcgcsv'],
    ['scryfall a --no-sealed', '--no-sealed: only for tcgcsv'],
    ['tcgcsv a --sealed --no-sealed', "option '--no-sealed' cannot be used with option '--sealed'"],
    ['overlay', 'overlay takes FILE.csv'],
    ['overlay a --as ../x', '--as: must be 1 to 40 letters, digits, spaces, dots, hyphens or underscores (../x)'],
    ['overlay a --as scryfall', '--as: must not be the name of a source (scryfall)'],
    ['overlay a --remove x', 'overlay takes FILE.csv'],
    ['tcgcsv a --as x', '--as: only for overlay'],
    ['tcgcsv --remove x', '--remove: only for overlay'],
  ]
  for (const [args, line] of wrong) {
    it(`The import command reports wrong usage: ${args}`, async () => {
      const { code, stdout, stderr } = await runImportHere(...args.split(' ').filter(Boolean))
      assert.deepEqual([code, stdout, stderr], [2, '', `${line}\nTry: card-prices import --help\n`])
    })
  }

  it('The import command exits with 0 after its help, and with 1 and a line for each fault', async () => {
    const help = await runImportHere('--help')
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /^Usage: card-prices import/)
    const listed = help.stdout.split('\nSources:\n')[1]!.split('\n\n')[0]!
    assert.deepEqual(
      listed
        .split(/^ {2}(?! )/m)
        .slice(1)
        .map((source) =>
          source
            .trimEnd()
            .split(/\s*\n\s+/)
            .join(' '),
        ),
      [
        'tcgcsv DIR a mirror of TCGCSV: sets, cards, prices, a history day',
        'tcgcsv-archive DIR… unpacked archive days of TCGCSV: history of known cards',
        'mtgjson AllPrintings.json AllPrices.json sets and cards of mtg, 90 days of history; also AllPricesToday.json, or a set’s own file',
        'scryfall FILE bulk data, .json or .jsonl: sets, cards, prices of mtg, also in euros',
        'pricecharting FILE.csv a price guide: graded prices for existing cards',
        'cardmarket DIR price guides, price_guide_1.json …: prices in euros for cards with a cardmarketId',
        'tcgplayer-pricing FILE.csv… a seller’s pricing files: prices by condition for existing cards',
        'overlay FILE.csv your own prices for existing cards: id,key,price, also with ; or tabs',
      ],
    )
    const nowhere = join(mirror, 'nowhere')
    const { code, stdout, stderr } = await runImportHere('tcgcsv', nowhere, '--out', temporaryFolder())
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /nowhere: does not exist\n1 error; nothing was written\n$/)
  })

  it('The import command writes into prices/ by default', async () => {
    const here = temporaryFolder()
    const child = start('src/cli/main.ts', ['import', 'tcgcsv', mirror], {}, here)
    assert.deepEqual(await once(child, 'exit'), [0, null])
    assert.deepEqual(readdirSync(here), ['prices'])
    assert.deepEqual(contentOf(join(here, 'prices')), good)
  })
})

describe('A folder into which an import writes', () => {
  it('An import is refused while another import runs in the same folder', async () => {
    const folder = temporaryFolder()
    const release = await lockFolder(folder)
    await assert.rejects(
      importInto(folder, 'tcgcsv', [mirror]),
      /^Error: another import is running \(process \d+ on .+, since .+\)$/,
    )
    release()
    await importInto(folder, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(folder), good)
  })

  it('An import first completes an earlier one that was killed while it put its files in place', async () => {
    // Left by a killed import: a journal, a part of the files moved, the rest staged.
    const folder = temporaryFolder()
    const names = Object.keys(good)
    for (const moved of [0, 1, 5, names.length]) {
      rmSync(folder, { recursive: true })
      for (const name of names) {
        const path = join(folder, names.indexOf(name) < moved ? name : `import/.staging-1/${name}`)
        mkdirSync(join(path, '..'), { recursive: true })
        writeFileSync(path, good[name]!, 'latin1')
      }
      for (const name of ['sets', 'cards', 'history', 'import/kept']) mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, 'cards/scryfall-mtg.ndjson'), '')
      writeFileSync(
        join(folder, 'import/.journal'),
        JSON.stringify({
          stage: 'import/.staging-1',
          files: names,
          removed: ['cards/gone.ndjson', 'cards/scryfall-mtg.ndjson'],
        }),
      )
      await finishImport(folder)
      assert.deepEqual(contentOf(folder), good)
    }
  })

  it('An import removes the staged files of an earlier one that was killed before it put any in place', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'import/.staging-1/cards'), { recursive: true })
    writeFileSync(join(folder, 'import/.staging-1/cards/tcgcsv-mtg.ndjson'), '{}\n')
    await importInto(folder, 'tcgcsv', [mirror])
    assert.deepEqual(contentOf(folder), good)
  })

  it('An import whose report can’t be written changes nothing, and prints one line', async () => {
    const later = writeMirror(withGroups({ 604: (group) => ({ ...group, products: [] }) }))
    const report = join(temporaryFolder(), 'no/report.json')
    const { code, stderr } = await runImportHere('tcgcsv', later, '--out', out, '--report', report)
    assert.equal(code, 1)
    assert.equal(
      stderr,
      `${report}: can't be written: ENOENT: no such file or directory, open '${report}'; nothing was changed\n`,
    )
    assert.deepEqual(contentOf(out), good)
  })

  it('An import changes nothing if the fetch of its mirror is unfinished, or changes the mirror meanwhile', async () => {
    const fetched = copyOf(mirror)
    const counts = { games: [], askedAt: null, answeredAtMs: 0, requests: {}, files: {} }
    const fetch = (state: 'whole' | 'unfinished', stamp: string) =>
      writeFileSync(join(fetched, 'fetch.json'), JSON.stringify({ source: 'tcgcsv', state, stamp, ...counts }))
    fetch('unfinished', 'a')
    const advice = 'run card-prices fetch again, which resumes it; --partial imports what it has'
    const unfinished = `${fetched}: is a mirror whose fetch is unfinished: ${advice}`
    await assertRefused(importInto(out, 'tcgcsv', [fetched]), unfinished)
    fetch('whole', 'a')
    const read: typeof tcgcsv.read = (task) => {
      fetch('whole', 'b')
      return tcgcsv.read(task)
    }
    const given = { out, paths: [fetched], date: undefined, partial: false, force: false, accept: new Set<string>() }
    const importing = runImport('tcgcsv', { ...tcgcsv, read }, { ...given, report: undefined })
    await assertRefused(importing, `${fetched}: changed by a fetch during the import; import it again after the fetch`)
    assert.deepEqual(contentOf(out), good)
  })

  it('An import whose --out is a file prints one line and changes nothing', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    const { code, stderr } = await runImportHere('tcgcsv', mirror, '--out', file)
    assert.equal(code, 1)
    assert.match(stderr, /^\S+file must be a folder, and is a file; nothing was changed\n$/)
  })
})

const long = 'x'.repeat(1024 * 1024)

describe('The files that an import stages', () => {
  const cases: readonly (readonly [what: string, there: string | null, written: string, isChanged: boolean])[] = [
    ['for a new name', null, 'a', true],
    ['with the present content', 'ab', 'ab', false],
    ['with the present content, of megabytes', `${long}${long}b`, `${long}${long}b`, false],
    ['with another last byte', 'ab', 'aa', true],
  ]
  for (const [what, there, written, isChanged] of cases) {
    it(`A staged file ${what} ${isChanged ? 'is put in place' : 'is dropped'}`, async () => {
      const out = temporaryFolder()
      for (const folder of ['cards', 'import']) mkdirSync(join(out, folder))
      if (there !== null) writeFileSync(join(out, 'cards/a'), there)
      const staging = new Staging(out)
      await staging.write('cards/a', [Buffer.from(written)])
      assert.deepEqual([staging.changed, staging.unchanged], isChanged ? [['cards/a'], 0] : [[], 1])
      await staging.place([])
      assert.deepEqual(contentOf(out), { 'cards/a': written })
    })
  }

  it('A staged file whose place is taken by a folder is reported before any file is put in place', async () => {
    const out = temporaryFolder()
    for (const folder of ['cards/a', 'import']) mkdirSync(join(out, folder), { recursive: true })
    await assert.rejects(new Staging(out).writeLines('cards/a', []), {
      message: `${join(out, 'cards/a')}: can't be written: ${join(out, 'cards/a')} must be a plain file, or a link to one (a folder); nothing was changed`,
    })
  })

  it('A staged file has each line with its line break, however many there are', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    const lines = Array.from({ length: 5 }, (_, i) => `${i}${long}`)
    const staging = new Staging(out)
    await staging.writeLines('cards/a', lines)
    await staging.writeLines('cards/b', [])
    await staging.place([])
    assert.equal(readFileSync(join(out, 'cards/a'), 'utf8'), lines.map((line) => `${line}\n`).join(''))
    assert.equal(readFileSync(join(out, 'cards/b'), 'utf8'), '')
  })

  it('A staged file that is not put in place leaves nothing behind', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    const staging = new Staging(out)
    await staging.writeLines('cards/a', ['a'])
    staging.discard()
    assert.deepEqual(contentOf(out), {})
  })

  it('A staged file for another file system is reported before any file is put in place', {
    skip: withoutOtherDisk,
  }, async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'import'))
    symlinkSync(folderOnOtherDisk(), join(out, 'cards'))
    const staging = new Staging(out)
    await staging.writeLines('cards/a', ['a'])
    await staging.writeLines('sets/a', ['a'])
    await assert.rejects(staging.place([]), {
      message: `${out}: can't be written: must be on one file system with ${join(out, 'import')}; nothing was changed`,
    })
    staging.discard()
    assert.deepEqual(contentOf(join(out, 'sets')), {})
    assert.deepEqual(contentOf(join(out, 'import')), {})
  })
})
