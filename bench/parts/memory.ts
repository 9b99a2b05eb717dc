/**
 * Measures the memory of a card, a name, an account and a thread, as the difference of two servers' resident memory. A
 * row of history is measured by its bytes in the files.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf } from '../../src/indexes/manifest.ts'
import type { Bench } from '../harness/bench.ts'
import { median } from '../harness/harness.ts'
import { fixed, megabytes, whole } from '../harness/report.ts'
import { writeScaled } from '../harness/scaled.ts'
import { buildVersion, makeAccounts, type Subject } from '../harness/subject.ts'
import { startOnce } from '../http/start.ts'

/** With fewer cards, their memory would be less than the difference between two starts. */
const cardsMin = 50_000
const accountsMore = 20_000
const threadsMore = 3

type Served = Pick<Subject, 'tree' | 'indexDir' | 'storeDir'>

export async function measureMemory(bench: Bench, snapshots: string): Promise<void> {
  const { subject, report, rounds } = bench
  const folder = mkdtempSync(join(tmpdir(), 'card-price-memory-'))
  const resident = async (served: Served, options: Parameters<typeof startOnce>[2] = {}) => {
    const bytes: number[] = []
    for (let round = 0; round < rounds; round++) {
      bytes.push((await startOnce(bench.machine, served, options)).residentBytes)
    }
    return median(bytes)
  }
  try {
    const times = Math.max(1, Math.ceil(cardsMin / subject.ids.length))
    const build = async (name: string, scale: { times: number; nameTimes?: number }): Promise<Served> => {
      console.error(`memory: ${name} …`)
      const scaled = join(folder, name)
      await writeScaled(snapshots, scaled, scale)
      const indexDir = await buildVersion(scaled, join(folder, `${name}-indexes`))
      return { tree: subject.tree, indexDir, storeDir: subject.storeDir }
    }
    const once = await build('once', { times })
    const sameNames = await build('same-names', { times: 2 * times, nameTimes: times })
    const otherNames = await build('other-names', { times: 2 * times })
    const withMore = { ...once, storeDir: join(folder, 'store') }
    const { keys } = await makeAccounts(withMore.storeDir, accountsMore)
    const asks = (key: (i: number) => string) => ({ before: keys.map((_, i) => requestWith(key(i))) })
    const oneAccount = await resident(
      withMore,
      asks(() => keys[0]!),
    )
    const allAccounts = await resident(
      withMore,
      asks((i) => keys[i]!),
    )
    const [one, same, other] = [await resident(once), await resident(sameNames), await resident(otherNames)]
    const cards = times * subject.ids.length
    const names = times * new Set(subject.names).size
    const { historyRows } = subject.version.manifest.counts
    const historyBytes = bytesOf(subject.version.manifest.files.filter(({ name }) => name.startsWith('history-')))
    const results = [
      {
        what: 'a card of a name that is there',
        bytesEach: (same - one) / cards,
        how: `${whole(2 * cards)} cards beside ${whole(cards)}, with the same names`,
      },
      { what: 'a name', bytesEach: (other - same) / names, how: `as many cards, ${whole(names)} names more` },
      {
        what: "a row of a card's history",
        bytesEach: historyBytes / historyRows,
        how: `${whole(historyRows)} rows in ${megabytes(historyBytes)} MB of files, which are held as they are`,
      },
      {
        what: 'an account that has asked today',
        bytesEach: (allAccounts - oneAccount) / accountsMore,
        how: `as many requests, of ${whole(accountsMore)} accounts beside one; an account that asks nothing costs none`,
      },
      {
        what: 'a thread',
        bytesEach: ((await resident(once, { threads: 1 + threadsMore })) - one) / threadsMore,
        how: `THREADS=${1 + threadsMore} beside 1, ${whole(cards)} cards`,
      },
    ]
    report.heading('Memory')
    report.table(
      ['what', 'bytes', 'how'],
      results.map(({ what, bytesEach, how }) => [what, shown(bytesEach), how]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const requestWith = (key: string) => `GET /v1/games HTTP/1.1\r\nHost: h\r\nX-API-Key: ${key}\r\n\r\n`

const shown = (bytes: number) => (Math.abs(bytes) < 100 ? fixed(bytes, 2) : whole(bytes))
