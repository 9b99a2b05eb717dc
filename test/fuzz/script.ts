/** The script of one connection: its requests, and how their bytes are sent. All follows from a seed and the script's number. */
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
  /** Where each request starts in all that is sent. */
  readonly starts: readonly number[]
  readonly pieces: readonly Piece[]
  readonly ending: Ending
  /** So many requests are sent whole, and nothing before them is broken. */
  readonly defined: number
}

const endings: readonly Ending[] = ['wait', 'wait', 'wait', 'wait', 'wait', 'half', 'cut', 'reset', 'deaf']

/** Far apart for neighbours: the generator's own seeds are not. */
const seedOf = (seed: number, number: number) => Math.imul(seed ^ Math.imul(number + 1, 0x9e37_79b1), 0x85eb_ca6b) >>> 0

export function drawScript(seed: number, number: number, known: Known): Script {
  const random = randomFrom(seedOf(seed, number))
  const requests: Asked[] = []
  const most = drawFrom(random, [1, 3, 10, 40, 100])
  const wholes = drawBelow(random, 5) === 0
  for (let i = 1 + drawBelow(random, most); i > 0 && !requests.some(isBroken); i--) {
    requests.push(wholes ? goodRequest(random, known) : drawRequest(random, known))
  }
  const ending = drawFrom(random, endings)
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
  return { number, requests, starts, pieces: piecesOf(random, text, starts, requests), ending, defined }
}

/** A single write of at most this many bytes reaches the server in one piece. */
const wholeBytesMax = 16 * 1024
const slowBytesMax = 150

function piecesOf(random: Random, text: string, starts: readonly number[], requests: readonly Asked[]): Piece[] {
  const kind = drawBelow(random, 10)
  if (kind === 0) return [{ bytes: text, pauseMs: 0, answersBefore: 0 }]
  if (kind < 6) {
    // All at once, but for what may end the connection, or one after the other: each when those before are answered.
    const places = starts.map((_, i) => i).filter((i) => i === 0 || kind > 3 || requests[i]!.mayEnd)
    return places.map((i, n) => ({
      bytes: text.slice(starts[i], starts[places[n + 1] ?? starts.length] ?? text.length),
      pauseMs: 0,
      answersBefore: i,
    }))
  }
  const cuts = new Set<number>()
  if (kind === 6) for (let i = 0; i < slowBytesMax; i++) cuts.add(Math.max(0, text.length - i))
  else for (let i = 1 + drawBelow(random, 8); i > 0; i--) cuts.add(drawBelow(random, text.length))
  const pauseMsMax = kind === 6 ? 0 : drawFrom(random, [0, 2, 20])
  const places = [...cuts].filter((at) => at > 0 && at < text.length).sort((a, b) => a - b)
  return [0, ...places].map((start, i) => ({
    bytes: text.slice(start, places[i] ?? text.length),
    pauseMs: drawBelow(random, pauseMsMax + 1),
    answersBefore: 0,
  }))
}

/** Whether the first line of request `i` may reach the server in two pieces. */
export function mayPartFirstLine({ requests, starts, pieces }: Script, i: number): boolean {
  const start = starts[i]!
  const end = start + requests[i]!.bytes.indexOf('\r\n') + 2
  let at = 0
  for (const { bytes } of pieces) {
    const pieceEnd = at + bytes.length
    if (pieceEnd > start && at < end) {
      if ((at > start && at < end) || (pieceEnd > start && pieceEnd < end)) return true
      if (end - at > wholeBytesMax) return true
    }
    at = pieceEnd
  }
  return false
}

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
