/**
 * A thread that damages a version, tries it, and asks it all requests. It reports what it does next, so the test can
 * name what does not end.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Answers } from '../../src/api/answers.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'
import { askAll } from '../../src/process/trial/questions.ts'
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import { columnsOf } from '../support/versions.ts'
import { answerOf, requestsOf } from './damaged-requests.ts'

export interface DamagedOptions {
  readonly indexDir: string
  readonly seed: string
  readonly versions: number
  /** How many cards are asked for. */
  readonly cards: number
}

export interface Sums {
  /** Versions that their trial refused. */
  refused: number
  /** Versions that passed their trial, with a wrong answer or a 500 and without. */
  damaged: number
  unnoticed: number
  /** Answers. */
  right: number
  wrong: number
  failed: number
  /** CPU time of the dearest request, and the request. */
  msMost: number
  dearest: string
  /** CPU time of the dearest request to the right version. */
  rightMsMost: number
}

export type Message = { readonly doing: string } | { readonly sums: Sums }

const changesMax = 8
const msPerUs = 1 / 1000
const port = parentPort as MessagePort
const say = (message: Message) => port.postMessage(message)
const { indexDir, seed, versions, cards } = workerData as DamagedOptions

const right = await loadVersion(indexDir, (await readCurrent(indexDir))!)
const columns = columnsOf(right).filter(({ bytes }) => bytes > 0)
const rightData = await openDataset(right)
const requests = requestsOf(rightData, right.manifest.counts.cards, cards)

/** The version with 1 to 8 bytes changed: side by side in one column, or each somewhere. */
function damagedBy(random: Random, number: number): { version: VersionFiles; where: string } {
  const files = new Map(right.files)
  const where: string[] = []
  const changes = 1 + drawBelow(random, changesMax)
  const areTogether = random() < 0.5
  let place = drawFrom(random, columns)
  let at = drawBelow(random, place.bytes)
  for (let i = 0; i < changes; i++) {
    if (i > 0 && areTogether) at = (at + 1) % place.bytes
    else if (i > 0) {
      place = drawFrom(random, columns)
      at = drawBelow(random, place.bytes)
    }
    const known = files.get(place.file)!
    if (known === right.files.get(place.file)) {
      const copy = new Uint8Array(new SharedArrayBuffer(known.length))
      copy.set(known)
      files.set(place.file, copy)
    }
    const bytes = files.get(place.file)!
    const old = bytes[place.start + at]!
    // Every second change makes a number large: most harm comes from large ones.
    bytes[place.start + at] = random() < 0.5 && old !== 0xff ? 0xff : (old + 1 + drawBelow(random, 255)) % 256
    where.push(`${place.file} ${place.name}[${at}]=${bytes[place.start + at]}`)
  }
  const manifest = {
    ...right.manifest,
    version: `${right.manifest.version.slice(0, -12)}${number.toString(16).padStart(12, '0')}`,
  }
  return { version: { manifest, files }, where: where.join(', ') }
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) * msPerUs
}

const sums: Sums = {
  refused: 0,
  damaged: 0,
  unnoticed: 0,
  right: 0,
  wrong: 0,
  failed: 0,
  msMost: 0,
  dearest: '',
  rightMsMost: 0,
}
const rightAnswers = requests.map((request) => {
  const from = cpuMs()
  const answer = answerOf(new Answers(), rightData, request)
  sums.rightMsMost = Math.max(sums.rightMsMost, cpuMs() - from)
  return answer
})

async function tryOne(number: number): Promise<void> {
  const { version, where } = damagedBy(randomFrom(`${seed} ${number}`), number)
  say({ doing: `version ${number} (${where}): its trial` })
  try {
    await askAll(version, () => undefined)
  } catch {
    sums.refused++
    return
  }
  const data = await openDataset(version)
  const answers = new Answers()
  const before = sums.wrong + sums.failed
  for (const [i, request] of requests.entries()) {
    const doing = `version ${number} (${where}): ${request.operation} ${JSON.stringify({ ...request.request, body: Buffer.from(request.request.body).toString() })}`
    say({ doing })
    const from = cpuMs()
    try {
      // Health has the version's name.
      if (answerOf(answers, data, request) === rightAnswers[i] || request.operation === 'getHealth') sums.right++
      else sums.wrong++
    } catch {
      sums.failed++
    }
    const ms = cpuMs() - from
    if (ms > sums.msMost) Object.assign(sums, { msMost: ms, dearest: doing })
  }
  if (sums.wrong + sums.failed > before) sums.damaged++
  else sums.unnoticed++
}

for (let number = 0; number < versions; number++) await tryOne(number)
say({ sums })
