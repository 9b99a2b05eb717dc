/**
 * Versions whose checksums are right and whose content is not: each index file damaged, and the manifest. A running server refuses
 * each and serves on what it has; a start ends with exit code 1. Nothing hangs.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { unpack } from 'msgpackr'
import * as v from 'valibot'
import { bytesColumn, indexFile } from '../../src/indexes/format.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import { type Manifest, manifestText, readCurrent } from '../../src/indexes/manifest.ts'
import { Checksum } from '../../src/indexes/plain-file.ts'
import { versionNameOf } from '../../src/indexes/publish/versions.ts'
import { askAll } from '../../src/process/trial/questions.ts'
import { Trial, tryVersion } from '../../src/process/trial/trial.ts'
import { someOf } from '../support/amount.ts'
import { accounts, runHere, temporaryFolder, withLimits } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { fixtureIndex, sampleIndex } from '../support/sample.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { columnsOf, makeCurrent } from '../support/versions.ts'

/** What an index file holds: its columns, as bytes, and its meta. */
// biome-ignore lint/suspicious/noExplicitAny: a meta has values of any kind
type Content = Record<string, any>

const indexDir = await fixtureIndex()
const good = await loadVersion(indexDir, (await readCurrent(indexDir))!)
const [first, ...others] = [...good.files.keys()].filter((name) => name.startsWith('bulk-'))

const numbersOf = (column: Buffer) => new Uint32Array(column.buffer, column.byteOffset, column.length / 4)
const half = (column: Buffer) => column.subarray(0, (column.length >> 3) * 4)
const swapped = (column: Buffer) => {
  const numbers = numbersOf(column)
  const last = numbers.length - 2
  ;[numbers[1], numbers[last]] = [numbers[last]!, numbers[1]!]
  return column
}
const full = (column: Buffer) => {
  numbersOf(column).forEach((slot, i, slots) => {
    if (slot === 0) slots[i] = 0xffffffff
  })
  return column
}
const changed =
  (name: string, change: (column: Buffer) => Buffer) =>
  (content: Content): void => {
    content[name] = change(content[name])
  }

type Damage = readonly [file: string, what: string, said: RegExp, change: (content: Content) => void]

const must = (column: string) => new RegExp(`${column} must ascend from 0 to the end`)
const inContent: readonly Damage[] = [
  ['ids.msgpack', 'a full table', /at most half of them full/, changed('details', full)],
  ['ids.msgpack', 'an empty table', /the card with the index 0: /, changed('details', (slots) => slots.fill(0))],
  ['cards-000.msgpack', 'offsets out of order', must('summariesAt'), changed('summariesAt', swapped)],
  ['cards-000.msgpack', 'rows cut short', must('rowsAt'), changed('rows', half)],
  ['search.msgpack', 'the cards of names out of order', must('cardsAt'), changed('cardsAt', swapped)],
  [
    'search.msgpack',
    'numbers of no name',
    /cardName must have numbers of the \d+ names/,
    changed('cardName', (names) => names.fill(0xff)),
  ],
  ['lists.msgpack', 'prices of half of the cards', /cardMarket is of \d+ cards/, changed('cardMarket', half)],
  [
    'catalog.msgpack',
    'wrong counts',
    /how many .* has: \[30,3] instead of \[30,6]/,
    (content) => {
      content['games'] = Buffer.from(`${content['games']}`.replace(/"setCount":\d+/, '"setCount":0'))
    },
  ],
  ['history-000.msgpack', 'series out of order', must('at'), changed('at', swapped)],
  ['changes.msgpack', 'half of the days', /changedOn is of \d+ cards/, changed('changedOn', half)],
  [first!, 'a download cut short', /how many cards and sets each game has: /, changed('gzip', half)],
  [
    'about.msgpack',
    'a contact that is no text',
    /the about file is damaged/,
    (content) => {
      content['contact'] = 7
    },
  ],
]
const inManifest: readonly (readonly [what: string, said: RegExp, change: (manifest: Manifest) => object])[] = [
  [
    'too many cards',
    /opening it: .*"search":30,.* instead of .*"search":31,/,
    ({ counts }) => ({ counts: { ...counts, cards: counts.cards + 1 } }),
  ],
  [
    'four names of one file',
    /files.\d+.name: is no file that/,
    (manifest) => ({ files: [...manifest.files, ...aliases(manifest)] }),
  ],
]
const aliases = ({ files }: Manifest) => ['a', 'b', 'c'].map((name) => ({ ...files[0]!, name: `${name}.msgpack` }))

/** The bytes of an index file after the change. */
function damaged({ files }: VersionFiles, file: string, change: (content: Content) => void): Buffer {
  const bytes = Buffer.from(files.get(file) ?? emptyAbout)
  const { kind, meta } = unpack(bytes.subarray(5, 5 + bytes.readUInt32BE(1))) as { kind: string; meta: object }
  const columns = columnsOf({ manifest: good.manifest, files: new Map([[file, bytes]]) })
  const content = { ...meta } as Content
  for (const { name, start, bytes: size } of columns) content[name] = Buffer.from(bytes.subarray(start, start + size))
  change(content)
  const views = Object.fromEntries(columns.map(({ name }) => [name, bytesColumn]))
  return Buffer.concat(indexFile(kind, views, v.any()).write(content))
}

const emptyAbout = Buffer.concat(indexFile('about', {}, v.any()).write({}))

/** Puts the good version with one file changed into the folder, under its own name and with its own checksums. Returns its name. */
function addDamaged(
  folder: string,
  file: string,
  content: Buffer | undefined,
  change = (_: Manifest): object => ({}),
): string {
  const { asOf, files } = good.manifest
  const replaced = { name: file, ...new Checksum().add(content ?? Buffer.alloc(0)).end() }
  const kept = files.filter(({ name }) => name !== file || content === undefined)
  const listed = content === undefined ? kept : [...kept, replaced]
  const manifest = { ...good.manifest, files: listed, ...change({ ...good.manifest, files: listed }) }
  const version = versionNameOf(asOf, manifest.files)
  mkdirSync(join(folder, version), { recursive: true })
  for (const { name } of kept) cpSync(join(indexDir, good.manifest.version, name), join(folder, version, name))
  if (content !== undefined) writeFileSync(join(folder, version, file), content)
  writeFileSync(join(folder, version, 'manifest.json'), manifestText({ ...manifest, version }))
  return version
}

const cases: readonly (readonly [what: string, said: RegExp, add: (folder: string) => string])[] = [
  ...inContent.map(([file, what, said, change]) => {
    return [
      `${file}: ${what}`,
      said,
      (folder: string) => addDamaged(folder, file, damaged(good, file, change)),
    ] as const
  }),
  ...inManifest.map(([what, said, change]) => {
    return [`the manifest: ${what}`, said, (folder: string) => addDamaged(folder, '', undefined, change)] as const
  }),
]

it('the sample and the fixture pass', async () => {
  const sample = await sampleIndex()
  for (const version of [good, await loadVersion(sample, (await readCurrent(sample))!)]) await tryVersion(version, '')
})

const reversed = (column: Buffer) => {
  numbersOf(column).reverse()
  return column
}
const zeros = (column: Buffer) => column.fill(0)
/** Each letter is the next one of the alphabet. */
const otherLetters = (column: Buffer) =>
  column.forEach((byte, i) => {
    if (byte >= 0x61 && byte < 0x7a) column[i] = byte + 1
  }) ?? column
/** Columns of the right size with numbers in their bounds: only an answer shows that they are wrong. */
const onlyAnswersShow: readonly (readonly [string, string, (column: Buffer) => Buffer, question: RegExp, RegExp])[] = [
  ['ids.msgpack', 'details', zeros, /^the card with the index 0$/, /^-1 instead of 0$/],
  ['cards-000.msgpack', 'rows', otherLetters, /^the card with the index 0$/, /^its line of CSV must begin/],
  ['search.msgpack', 'setCards', reversed, /^what finds /, /^listCards by game,set must find it$/],
  ['search.msgpack', 'cardRarity', reversed, /^what finds /, /^listCards by game,set,rarity must find it$/],
  ['lists.msgpack', 'numberCards', reversed, /^what finds /, /^listCards by game,set,number must find it$/],
  ['lists.msgpack', 'cardMarket', zeros, /^what finds /, /^listCards by game,set,min_price must find it$/],
  ['search.msgpack', 'postings', zeros, /^what finds /, /^its name must find it$/],
  ['lists.msgpack', 'suggestions', otherLetters, /^what finds /, /^its name must be suggested$/],
  ['catalog.msgpack', 'sets', otherLetters, /^what finds /, /^\[null,null\] instead of /],
  ['history-000.msgpack', 'series', zeros, /^the history and the changes of /, /JSON/],
  ['ids.msgpack', 'items', reversed, /^a batch$/, /^\[\] instead of \[/],
  ['lists.msgpack', 'keyText', otherLetters, /^a match$/, /^names must match$/],
  ['lists.msgpack', 'cardGame', reversed, /^cards by price$/, /^all must be of the game$/],
]

it('each question notices answers that make no sense', async () => {
  const sample = await sampleIndex()
  const right = await loadVersion(sample, (await readCurrent(sample))!)
  for (const [file, column, damage, question, said] of onlyAnswersShow) {
    const bytes = damaged(right, file, changed(column, damage))
    const files = new Map(right.files).set(file, new Uint8Array(new SharedArrayBuffer(bytes.length)))
    files.get(file)!.set(bytes)
    let asked = ''
    const answered = askAll({ ...right, files }, (begun) => {
      asked = begun
    })
    await assert.rejects(answered, { message: said }, `${file} ${column}`)
    assert.match(asked, question, `${file} ${column}`)
  }
})

it('fails if its thread ends without an answer', { timeout: 30_000 }, async () => {
  const trial = new Trial()
  const tried = trial.of(good, 'it')
  const failed = assert.rejects(tried, { message: /^it fails its trial: .+: the thread ended$/ })
  await trial.end()
  await failed
})

it('every index file is damaged once', () => {
  const files = new Set(inContent.map(([file]) => file))
  assert.deepEqual(
    [...good.files.keys()].filter((name) => !files.has(name)),
    others,
  )
})

describe('a server that runs', () => {
  let service: Service
  const storeDir = temporaryFolder()
  const served = temporaryFolder()

  before(async () => {
    cpSync(indexDir, served, { recursive: true })
    service = await startService({ INDEX_DIR: served, STORE_DIR: storeDir, ...withLimits({ currentPollMs: 20 }) })
  })
  after(async () => assert.equal(await service.stop(), 0))

  it('refuses each, naming what was asked, and serves on what it has', async () => {
    const { key } = await accounts(storeDir, 'create', 'shop', '--plan', 'business')
    const ask = (path: string) => send(service.address, path, { headers: { 'x-api-key': key } })
    for (const [what, said, add] of cases) {
      const version = add(served)
      makeCurrent(served, version)
      const line = () =>
        service
          .log()
          .split('\n')
          .find((text) => text.includes(version))
      await until(`${what} is refused`, () => line() !== undefined)
      assert.match(JSON.parse(line()!).msg, /^the version that current names is rejected; retrying: .+$/, what)
      assert.match(JSON.parse(line()!).msg, said, what)
      assert.equal((await send(service.address, '/healthz')).json.version, good.manifest.version, what)
      assert.deepEqual([(await ask('/v1/cards/nope')).status, (await ask('/v1/search?q=forest')).status], [404, 200])
    }
  })
})

/** Alone, a start ends within 1.5 s, but on a busy machine it waits for its turn. A start that hangs never ends. */
const startMsMax = 120_000

describe('a start', () => {
  for (const [what, said, add] of someOf(cases, 2)) {
    it(`ends with exit code 1 and one line: ${what}`, { timeout: startMsMax }, async () => {
      const folder = temporaryFolder()
      makeCurrent(folder, add(folder))
      const started = startService({ INDEX_DIR: folder, STORE_DIR: temporaryFolder() })
      await assert.rejects(started, ({ message }: Error) => {
        const [line, ...more] = message.replace('the server exited 1: ', '').trim().split('\n')
        assert.deepEqual([message.startsWith('the server exited 1: '), more], [true, []], message)
        assert.match(line!, said)
        return true
      })
    })
  }
})

describe('a download', () => {
  it('becomes current only after its trial, by a server and by a pull', async () => {
    const folder = temporaryFolder()
    cpSync(indexDir, folder, { recursive: true })
    const files = await FileServer.start(folder)
    const mine = temporaryFolder()
    const pull = () => runHere(['pull', files.url], { INDEX_DIR: mine })
    assert.equal((await pull()).code, 0)
    const [, , add] = cases[1]!
    const version = add(folder)
    makeCurrent(folder, version)
    const { code, stderr } = await pull()
    assert.deepEqual([code, /^http\S+ fails its trial: .+\n$/.test(stderr)], [1, true], stderr)
    const sent = files.bytesSent()
    const settings = { INDEX_DIR: mine, STORE_DIR: temporaryFolder(), INDEX_URL: files.url }
    const service = await startService(settings)
    await service.logs(/could not be downloaded; retrying: http\S+ fails its trial: /)
    assert.equal((await send(service.address, '/healthz')).json.version, good.manifest.version)
    assert.equal(readFileSync(join(mine, 'current'), 'utf8').trim(), good.manifest.version)
    assert.ok(!readdirSync(mine).includes(version), 'it can’t be rolled back to')
    assert.ok(files.bytesSent() - sent < 10_000, 'what was downloaded is not downloaded again')
    makeCurrent(folder, good.manifest.version)
    assert.equal(await service.stop(), 0)
    await files.stop()
  })
})
