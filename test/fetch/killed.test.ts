/** A fetch that is killed goes on where it was, and what it leaves is not imported by accident. Large files take little memory. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { amount, itInAll } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { errorsOf, importInto } from '../support/import.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { runFetch } from './fetch-process.ts'
import { differing } from './fetching.ts'
import { fewGroups, PublicSource, tcgcsvFiles } from './public-source.ts'

const sources: PublicSource[] = []

async function startSource(files: ReadonlyMap<string, string | Buffer>): Promise<PublicSource> {
  const source = await PublicSource.start(files, 4)
  sources.push(source)
  return source
}

after(() => {
  for (const source of sources) source.stop()
})

const stages = ['asked', 'half answered', 'answered', 'a while after'] as const

describe('a fetch that is killed', { concurrency: 2 }, () => {
  const files = tcgcsvFiles(fewGroups(3))
  const random = randomFrom('killed')
  const moments = Array.from({ length: Number(process.env['KILLS'] ?? amount(2, 20)) }, () => ({
    after: drawBelow(random, files.size),
    stage: drawFrom(random, stages),
    waitMs: drawBelow(random, 12),
  }))
  for (const [i, moment] of moments.entries()) {
    it(`${moment.stage} after ${moment.after} answers asks for nothing again that came whole (${i})`, async () => {
      const source = await startSource(files)
      const mirror = temporaryFolder()
      const args = ['fetch', 'tcgcsv', '--out', mirror, '--games', 'pokemon,onepiece', '--from', source.url]
      const { code } = await runFetch(args, (kill) => killAt(source, moment, kill))
      const came = source.answered.slice(0, -1)
      if (code === null) {
        const errors = await errorsOf(importInto(temporaryFolder(), 'tcgcsv', [mirror]))
        assert.match(errors, /is a mirror whose fetch is unfinished|is not a mirror/)
      }
      source.fault = undefined
      source.onStage = () => {}
      source.forget()
      const { code: second, stderr } = await runFetch([...args, '--again'])
      assert.deepEqual([second, stderr], [0, ''])
      const again = source.asked.filter((path) => came.includes(path) && path !== '/last-updated.txt')
      assert.deepEqual([again, differing(source, mirror), source.breaches], [[], [], []])
    })
  }
})

function killAt(
  source: PublicSource,
  { after: count, stage, waitMs }: { after: number; stage: (typeof stages)[number]; waitMs: number },
  kill: () => void,
): void {
  let left = count
  if (stage === 'half answered') {
    source.fault = ({ content, response, answer }) => {
      if (left-- !== 0) return answer()
      response.writeHead(200, { 'Content-Length': content.length })
      response.write(content.subarray(0, content.length >> 1), kill)
    }
    return
  }
  source.onStage = (now) => {
    if (now !== (stage === 'asked' ? 'asked' : 'answered') || left-- !== 0) return
    if (stage === 'a while after') setTimeout(kill, waitMs)
    else kill()
  }
}

describe('a large file over a connection that breaks five times', () => {
  /** The program takes 120 MB of it, whose files have 77 and 98 MB. */
  const memoryMax = 150e6
  const packed = (bytes: number): Buffer => gzipSync(randomBytes(bytes), { level: 0 })
  const breaking = (source: PublicSource, content: Buffer, path: string): void => {
    let left = 5
    source.fault = (asked) => {
      if (asked.path !== path || left-- <= 0) return asked.answer()
      const { request, response } = asked
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const range = { 'Content-Range': `bytes ${from}-${content.length - 1}/${content.length}` }
      response.writeHead(from > 0 ? 206 : 200, { 'Content-Length': content.length - from, ...(from > 0 ? range : {}) })
      response.write(content.subarray(from, from + Math.floor(content.length / 7)), () =>
        setTimeout(() => response.destroy(), 50),
      )
    }
  }

  itInAll('comes whole from Scryfall, with little memory', async () => {
    const content = packed(77_000_000)
    const source = await startSource(new Map([['/file.jsonl.gz', content]]))
    const list = {
      updated_at: '2026-11-22T09:05:12Z',
      jsonl_download_uri: `${source.url}/file.jsonl.gz`,
      compressed_size: content.length,
    }
    source.set('/bulk-data/default_cards', JSON.stringify(list))
    source.hasTags = false
    breaking(source, content, '/file.jsonl.gz')
    const mirror = temporaryFolder()
    const { code, stderr, peakBytes } = await runFetch(['fetch', 'scryfall', '--out', mirror, '--from', source.url])
    assert.equal(code, 0, stderr)
    assert.ok(readFileSync(join(mirror, 'default_cards.jsonl.gz')).equals(content))
    assert.equal(source.asked.length, 7)
    assert.ok(peakBytes < memoryMax, `${peakBytes}`)
  })

  itInAll('comes whole from MTGJSON, with little memory', async () => {
    const content = packed(98_000_000)
    const sum = createHash('sha256').update(content).digest('hex')
    const names = ['AllPrintings.json.gz', 'AllPrices.json.gz'].map((name) => `/api/v5/${name}`)
    const source = await startSource(
      new Map<string, string | Buffer>(
        names.flatMap((path) => [[path, content] as const, [`${path}.sha256`, sum] as const]),
      ),
    )
    source.hasTags = false
    breaking(source, content, names[0]!)
    const mirror = temporaryFolder()
    const { code, stderr, peakBytes } = await runFetch(['fetch', 'mtgjson', '--out', mirror, '--from', source.url])
    assert.equal(code, 0, stderr)
    assert.ok(readFileSync(join(mirror, 'AllPrintings.json.gz')).equals(content))
    assert.equal(source.asked.length, 4 + 5)
    assert.ok(peakBytes < memoryMax, `${peakBytes}`)
  })
})
