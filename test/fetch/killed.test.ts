/** A fetch that is killed goes on where it was, and what it leaves is not imported by accident. Large files take little memory. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { amount, itInAll } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { errorsOf, importInto } from '../support/import.ts'
import { drawBelow, drawFrom, randomFrom } from '../support/random.ts'
import { runFetch } from './fetch-process.ts'
import { differing, fetchHere } from './fetching.ts'
import { breakingOff, fewGroups, PublicSource, tcgcsvFiles } from './public-source.ts'

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
      const source = await PublicSource.start(files)
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
      await fetchHere('tcgcsv', source, mirror, { games: ['pokemon', 'onepiece'] })
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

itInAll('a large file over a connection that breaks comes whole, with little memory', async () => {
  /** The program takes 120 MB of it, whose file has 98 MB. */
  const memoryMax = 150e6
  const content = gzipSync(randomBytes(98_000_000), { level: 0 })
  const sum = createHash('sha256').update(content).digest('hex')
  const names = ['AllPrintings.json.gz', 'AllPrices.json.gz'].map((name) => `/api/v5/${name}`)
  const files = names.flatMap((path) => [[path, content] as const, [`${path}.sha256`, sum] as const])
  const source = await PublicSource.start(new Map<string, string | Buffer>(files))
  source.fault = breakingOff(names[0]!, 2)
  const mirror = temporaryFolder()
  const { code, stderr, peakBytes } = await runFetch(['fetch', 'mtgjson', '--out', mirror, '--from', source.url])
  assert.equal(code, 0, stderr)
  assert.ok(readFileSync(join(mirror, 'AllPrintings.json.gz')).equals(content))
  assert.equal(source.asked.length, 4 + 2)
  assert.ok(peakBytes < memoryMax, `${peakBytes}`)
})
