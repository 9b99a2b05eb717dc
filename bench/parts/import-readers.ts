/**
 * Readers for imports beside the libraries that could take their place: CPU seconds and peak memory of each in a process of
 * its own, over the same generated files, in turn, twice. The answers' hash tells whether they have read the same.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BaseParse } from 'udsv'
import { ImportErrors } from '../../build/import/import-errors.ts'
import { Report } from '../../build/import/import-report.ts'
import { readCsv } from '../../build/import/read/csv-file.ts'
import { FileRecords } from '../../build/import/read/file-records.ts'
import { readValues } from '../../build/import/read/json.ts'
import { inputFile } from '../../build/import/read/open.ts'
import { command } from '../../src/command/command.ts'
import { describe, thisMachine } from '../harness/machine.ts'
import { writeMtgjson, writeProductsCsv } from './import-files.ts'

const usage = `Usage: npm run bench:import-readers -- [--megabytes N]

Measures the importer's readers beside the libraries that could take their place.

  --megabytes N   of each generated file (default: 200)
  --help          shows this`

const options = {
  megabytes: { type: 'string', default: '200' },
  // Read by processes of their own.
  one: { type: 'string' },
  file: { type: 'string' },
} as const

/** Takes what was read; each reader must give the same. */
class Answer {
  readonly #hash = createHash('sha256')
  count = 0

  take(key: string, value: string): void {
    this.count++
    this.#hash.update(`${key} ${value}\n`)
  }

  get hash(): string {
    return this.#hash.digest('hex').slice(0, 12)
  }
}

type Reader = (file: string, answer: Answer) => Promise<void>

interface Prices {
  readonly paper?: { readonly tcgplayer?: { readonly retail?: { readonly normal?: Record<string, number> } } }
}
const takePrices = (answer: Answer, uuid: string, value: unknown): void =>
  answer.take(uuid, JSON.stringify((value as Prices).paper?.tcgplayer?.retail?.normal))

const json: Readonly<Record<string, Reader>> = {
  async own(file, answer) {
    const failures = new ImportErrors()
    const onValue = (uuid: string | number, value: unknown) => takePrices(answer, `${uuid}`, value)
    await readValues(inputFile(file, failures)!, 'data', failures, { onValue })
    failures.check()
  },
  async '@streamparser/json'(file, answer) {
    const { JSONParser } = await import('@streamparser/json')
    const parser = new JSONParser({ paths: ['$.data.*'], keepStack: false })
    parser.onValue = ({ key, value }) => takePrices(answer, `${key}`, value)
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) parser.write(chunk as Buffer)
  },
  async 'stream-json'(file, answer) {
    const [{ parser }, { pick }, { streamObject }, { default: chain }] = await Promise.all([
      import('stream-json'),
      import('stream-json/filters/pick.js'),
      import('stream-json/streamers/stream-object.js'),
      import('stream-chain'),
    ])
    const source = createReadStream(file, { highWaterMark: 1024 * 1024 })
    const pipeline = chain([source, parser(), pick({ filter: 'data' }), streamObject()])
    for await (const { key, value } of pipeline as AsyncIterable<{ key: string; value: unknown }>)
      takePrices(answer, key, value)
  },
}

const takeRow = (answer: Answer, fields: readonly string[]): void => answer.take(fields[0]!, fields.join('|'))

const csv: Readonly<Record<string, Reader>> = {
  async own(file, answer) {
    const failures = new ImportErrors()
    const records = new FileRecords(file, null, { errors: failures, report: new Report() })
    const table = {
      required: [],
      onRow: (_: unknown, __: number, fields: readonly string[]) => takeRow(answer, fields),
    }
    await readCsv(inputFile(file, failures)!, records, table)
    failures.check()
  },
  async 'csv-parse'(file, answer) {
    const { parse } = await import('csv-parse')
    const rows = createReadStream(file, { highWaterMark: 1024 * 1024 }).pipe(
      parse({ from: 2, record_delimiter: ['\r\n', '\n'] }),
    )
    for await (const row of rows as AsyncIterable<string[]>) takeRow(answer, row)
  },
  async udsv(file, answer) {
    const { inferSchema, initParser } = await import('udsv')
    let parser: ReturnType<typeof initParser> | undefined
    const stream = createReadStream(file, { highWaterMark: 1024 * 1024, encoding: 'utf8' })
    for await (const chunk of stream as AsyncIterable<string>) {
      parser ??= initParser(inferSchema(chunk))
      parser.chunk(chunk, parser.stringArrs as unknown as BaseParse<unknown>, (row: unknown) => {
        takeRow(answer, row as string[])
      })
    }
    parser?.end()
  },
}

const kinds = { json, csv }

async function measureOne(kind: keyof typeof kinds, reader: string, file: string): Promise<void> {
  const answer = new Answer()
  const before = process.cpuUsage()
  await kinds[kind][reader]!(file, answer)
  const { user, system } = process.cpuUsage(before)
  const megabytes = process.resourceUsage().maxRSS / 1024
  console.log(JSON.stringify({ seconds: (user + system) / 1e6, megabytes, count: answer.count, hash: answer.hash }))
}

interface Measured {
  readonly seconds: number
  readonly megabytes: number
  readonly count: number
  readonly hash: string
}

function measureAll(folder: string, bytes: number): void {
  writeMtgjson(folder, bytes)
  writeProductsCsv(join(folder, 'LF.csv'), bytes, '\n')
  writeProductsCsv(join(folder, 'mixed.csv'), bytes, 'mixed')
  for (const [name, value] of Object.entries(describe(thisMachine(), {}))) console.log(`${name.padEnd(12)}${value}`)
  for (const [kind, name] of [
    ['json', 'AllPrices.json'],
    ['csv', 'LF.csv'],
    ['csv', 'mixed.csv'],
  ] as const) {
    const file = join(folder, name)
    const { size } = statSync(file)
    console.log(`\n${name}, ${(size / 1e6).toFixed(0)} MB`)
    const readers = Object.keys(kinds[kind])
    for (const reader of [...readers, ...readers.toReversed()]) {
      const args = [...process.execArgv, fileURLToPath(import.meta.url), '--one', `${kind} ${reader}`, '--file', file]
      try {
        const output = execFileSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()
        const { seconds, megabytes, count, hash } = JSON.parse(output) as Measured
        const speed = (size / 1e6 / seconds).toFixed(0)
        console.log(
          `${reader.padEnd(20)}${seconds.toFixed(1)} s of CPU, ${speed} MB/s, ${megabytes.toFixed(0)} MB, ${count} records, ${hash}`,
        )
      } catch (error) {
        const { stderr } = error as { stderr?: Buffer }
        console.log(`${reader.padEnd(20)}failed: ${/^\w*Error.*$/m.exec(`${stderr}`)?.[0] ?? error}`)
      }
    }
  }
}

process.exitCode = await command(usage, { options }, async ({ values }) => {
  const { megabytes, one, file } = values as { megabytes: string; one?: string; file?: string }
  if (one !== undefined) {
    const [kind, reader] = one.split(' ') as [keyof typeof kinds, string]
    await measureOne(kind, reader, file!)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'import-readers-'))
  try {
    measureAll(folder, Number(megabytes) * 1e6)
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
