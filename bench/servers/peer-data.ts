/**
 * Writes the peers' data as files that any language can read. Each peer reads them when it starts.
 *
 *   cards.tsv          id ⇥ body of card details ⇥ item of a batch     JSON texts contain no tab
 *   summaries.ndjson   each card's item in a page of a search
 *   fixed.tsv          path ⇥ body
 *   keys.txt           a key on each line
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Catalog } from '../../src/catalog/catalog.ts'
import { ask } from '../harness/answers.ts'
import { service } from '../harness/contestants.ts'
import { startReady } from '../harness/harness.ts'
import type { Machine } from '../harness/machine.ts'
import type { Subject } from '../harness/subject.ts'
import { fixedPaths } from './peer-paths.ts'

const folders = new WeakMap<Subject, Promise<string>>()

/** Returns the folder of the subject's data. The first call writes it. */
export function peerData(machine: Machine, subject: Subject): Promise<string> {
  let folder = folders.get(subject)
  if (folder === undefined) {
    folder = write(machine, subject)
    folders.set(subject, folder)
  }
  return folder
}

async function write(machine: Machine, subject: Subject): Promise<string> {
  const folder = join(subject.folder, 'peers')
  mkdirSync(folder)
  writeFileSync(join(folder, 'keys.txt'), subject.keys.join('\n'), { mode: 0o600 })
  const cards = [...cardsOf(subject)].map(({ id, details, item }) => `${id}\t${details}\t${item}`)
  writeFileSync(join(folder, 'cards.tsv'), cards.join('\n'))
  writeFileSync(join(folder, 'summaries.ndjson'), [...summariesOf(subject)].join('\n'))
  const server = await startReady(service(machine, subject, { file: '', status: 200, before: [] }))
  const lines: string[] = []
  const requests = fixedPaths.map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\nX-API-Key: ${subject.keys[0]}\r\n\r\n`)
  for await (const { body } of ask(server.port, requests)) lines.push(`${fixedPaths[lines.length]}\t${body}`)
  await server.stop()
  writeFileSync(join(folder, 'fixed.tsv'), lines.join('\n'))
  return folder
}

interface CardTexts {
  readonly id: string
  readonly details: string
  readonly item: string
}

/** Yields each card's texts, in the order of card numbers. */
export function* cardsOf({ version }: Subject): Generator<CardTexts> {
  const catalog = new Catalog(version)
  for (let number = 0; number < version.manifest.counts.cards; number++) {
    const details = Buffer.from(catalog.details(number)).toString()
    const { id, name, game, prices } = JSON.parse(details).data
    yield { id, details, item: JSON.stringify({ id, name, game, prices: { market: prices.market } }) }
  }
}

/** Yields each card's summary, in the order of card numbers. */
function* summariesOf({ version }: Subject): Generator<string> {
  const catalog = new Catalog(version)
  for (let number = 0; number < version.manifest.counts.cards; number++) {
    const page = catalog.cardsPage({ total: 1, count: 1, cards: Uint32Array.of(number) }, 'summary', 1, 0)
    yield JSON.stringify(JSON.parse(Buffer.from(page).toString()).data[0])
  }
}
