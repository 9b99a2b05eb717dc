/**
 * The script of one connection: its requests, and how their bytes are sent. All follows from a seed and the script's number.
 * Requests are sent in blocks, each when all before it are answered. A request that may end the connection is a block of its own.
 */
import { drawBelow, drawFrom, type Random, randomFrom } from '../support/random.ts'
import type { Known } from './known.ts'
import { type Asked, drawRequest, goodRequest, isBroken } from './requests.ts'

/**
 * - `wait`: stays until all is answered
 * - `half`: closes its own side behind the last byte, as far as a client may
 * - `cut`: the last request ends somewhere in its middle, and so does the connection
 * - `reset`: leaves in the middle of any request
 * - `deaf`: reads nothing until all is sent and a while has passed
 */
type Ending = 'wait' | 'half' | 'cut' | 'reset' | 'deaf'

interface Piece {
  readonly bytes: string
  /** Before it is sent; 0: the next turn of the event loop. */
  readonly pauseMs: number
  /** So many answers are waited for before it is sent. */
  readonly answersBefore: number
}

export interface Script {
  readonly number: number
  readonly requests: readonly Asked[]
  readonly pieces: readonly Piece[]
  readonly ending: Ending
  /** So many requests are sent whole, and nothing before them is broken. */
  readonly defined: number
}

const endings: readonly Ending[] = ['wait', 'wait', 'wait', 'wait', 'wait', 'half', 'cut', 'reset', 'deaf']

/** Far apart for neighbours: the generator's own seeds are not. */
const seedOf = (seed: number, number: number) => Math.imul(seed ^ Math.imul(number + 1, 0x9e37_79b1), 0x85eb_ca6b) >>> 0

/** @param partsLines the server's library answers 505 to a first line that arrives in two pieces */
export function drawScript(seed: number, number: number, known: Known, partsLines: boolean): Script {
  const random = randomFrom(seedOf(seed, number))
  const requests: Asked[] = []
  const most = drawFrom(random, [1, 3, 10, 40, 100])
  const wholes = drawBelow(random, 5) === 0
  for (let i = 1 + drawBelow(random, most); i > 0 && !requests.some(isBroken); i--) {
    requests.push(wholes ? goodRequest(random, known) : drawRequest(random, known))
  }
  const drawn = drawFrom(random, endings)
  // A script that does not read sends all at once, and a refusal would take the place of earlier answers.
  const ending = drawn === 'deaf' && requests.some(({ mayEnd }) => mayEnd) ? 'wait' : drawn
  const starts: number[] = []
  let text = ''
  for (const { bytes } of requests) {
    starts.push(text.length)
    text += bytes
  }
  if (ending === 'cut') text = text.slice(0, starts.at(-1)! + drawBelow(random, requests.at(-1)!.bytes.length))
  const complete = ending === 'cut' ? requests.length - 1 : requests.length
  const broken = requests.findIndex(isBroken)
  const defined = broken === -1 ? complete : Math.min(broken, complete)
  const isSingle = partsLines || drawBelow(random, 4) === 0
  const isOpening = (i: number) => i === 0 || isSingle || requests[i]!.mayEnd || requests[i - 1]!.mayEnd
  const blocks = starts.map((start, i) => ({ start, answersBefore: i })).filter((_, i) => isOpening(i))
  const cut = partsLines ? cutNowhere : drawFrom(random, [cutNowhere, cutNowhere, cutAnywhere, cutLast])
  const pauseMsMax = drawFrom(random, [0, 2, 20])
  const pieces = blocks.flatMap(({ start, answersBefore }, i) =>
    cut(text.slice(start, blocks[i + 1]?.start), random, i === blocks.length - 1).map((bytes) => ({
      bytes,
      answersBefore,
      pauseMs: cut === cutAnywhere ? drawBelow(random, pauseMsMax + 1) : 0,
    })),
  )
  return { number, requests, pieces: pieces.filter(({ bytes }) => bytes !== ''), ending, defined }
}

type Cut = (block: string, random: Random, isLast: boolean) => string[]
const cutNowhere: Cut = (block) => [block]
const cutAnywhere: Cut = (block, random) => {
  const cuts = Array.from({ length: drawBelow(random, 9) }, () => drawBelow(random, block.length + 1)).sort(
    (a, b) => a - b,
  )
  return [0, ...cuts].map((at, i) => block.slice(at, cuts[i]))
}
/** The end of the last block byte by byte. */
const cutLast: Cut = (block, _, isLast) => (isLast ? [block.slice(0, -slowBytes), ...block.slice(-slowBytes)] : [block])
const slowBytes = 150

/** For a report: what is sent piece by piece, keys struck out, the middle of long ones left out. */
export function scriptText(script: Script): string {
  const sent = script.pieces.map(({ bytes }) => bytes).join('')
  const harmless = sent.replace(/cpl_live_\w+/g, (key) => '#'.repeat(key.length))
  let at = 0
  const lines = script.pieces.map(({ bytes, pauseMs, answersBefore }) => {
    const text = JSON.stringify(harmless.slice(at, at + bytes.length))
    at += bytes.length
    const short = text.replace(/(.)\1{30,}/g, (run) => `${run[0]}×${run.length}`)
    const shown = short.length > 3000 ? `${short.slice(0, 1500)} … ${short.slice(-1500)}` : short
    return `  after ${answersBefore} answers and ${pauseMs} ms: ${shown}`
  })
  return `script ${script.number}, ${script.requests.length} requests, ending: ${script.ending}\n${lines.join('\n')}`
}
