/** Plays a script on a connection of its own and compares what comes back with what may. */
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Answers, isOfJson } from './answers.ts'
import type { Asked } from './requests.ts'
import { mayPartFirstLine, type Script } from './script.ts'

interface Played {
  /** The error; undefined if there is none. */
  readonly fault: string | undefined
  /** Answers that were compared. */
  readonly compared: number
  /** The library took a first line in two pieces for another version of HTTP. */
  readonly parted: boolean
  /** The library's refusal of a later request came in place of the answers to those that arrived together with it. */
  readonly overtaken: boolean
  /** Requests that drew on the free plan's quota, of those answered. */
  readonly freeTaken: number
}

/** Under load, and with the machine shared. */
const answerMsMax = 15_000
/** After something broken: what comes in this time is looked at, and then the client leaves. */
const brokenMs = 150
/** So long an answer is waited for where none may come. */
const oddMs = 1000
const deafMs = 100

/**
 * @param partsLines the server's library is one that answers 505 to a first line that arrives in two pieces
 */
export async function play(port: number, script: Script, partsLines: boolean): Promise<Played> {
  const player = new Player(connect(port, '127.0.0.1'), script, partsLines)
  try {
    await player.play()
  } finally {
    player.leave()
  }
  return player
}

class Player implements Played {
  fault: string | undefined
  compared = 0
  parted = false
  overtaken = false
  freeTaken = 0
  readonly #socket: Socket
  readonly #script: Script
  readonly #partsLines: boolean
  readonly #answers = new Answers()
  #closed = false
  /** Nothing more can be compared. */
  #over = false
  #wake: () => void = () => {}

  constructor(socket: Socket, script: Script, partsLines: boolean) {
    this.#socket = socket
    this.#script = script
    this.#partsLines = partsLines
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (text) => this.#take(text as unknown as string))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
    if (script.ending === 'deaf') socket.pause()
  }

  async play(): Promise<void> {
    const { pieces, ending, defined, requests } = this.#script
    for (const { bytes, pauseMs, answersBefore } of pieces) {
      const reached = () => this.compared >= Math.min(answersBefore, defined)
      if (ending !== 'deaf' && !(await this.#until(reached, oddMs))) {
        if (this.#excuse(false) || !(await this.#until(reached, answerMsMax))) break
      }
      if (pieces.length > 1) await (pauseMs === 0 ? nextTurn() : sleep(pauseMs))
      if (this.#closed || this.#over) break
      this.#socket.write(bytes, 'latin1')
    }
    if (ending === 'reset') return
    if (ending === 'half') this.#socket.end()
    if (ending === 'deaf') {
      await sleep(deafMs)
      this.#socket.resume()
    }
    // Where the library may have stopped to answer, it is not waited for until it closes.
    let inTime = await this.#until(() => this.compared >= defined, oddMs)
    if (!inTime && !this.#excuse(false)) inTime = await this.#until(() => this.compared >= defined, answerMsMax)
    if (!this.#over && this.compared < defined) this.#missing(inTime)
    if (ending === 'cut') this.#socket.end()
    else if (defined < requests.length) await this.#until(() => false, brokenMs)
  }

  leave(): void {
    if (this.#script.ending === 'reset') this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  /** False if it takes longer. Returns at once when the connection is closed or nothing more can be compared. */
  async #until(reached: () => boolean, ms: number): Promise<boolean> {
    const deadline = performance.now() + ms
    while (!reached() && !this.#closed && !this.#over) {
      const left = deadline - performance.now()
      if (left <= 0) return false
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return true
  }

  #missing(inTime: boolean): void {
    if (this.#excuse(false)) return
    this.#wrong(inTime ? 'the connection was closed instead of an answer' : `no answer in ${answerMsMax} ms`)
  }

  /**
   * Whether it is known why no more right answers come: the library refused or closed. It refuses at once, and the
   * answers to the requests that arrived together with the refused one are lost.
   * @param refused it answered so; else it closed the connection, which it may do behind an answer too
   */
  #excuse(refused: boolean): boolean {
    const at = this.compared
    const { requests } = this.#script
    const ends = requests.some((asked, i) => asked.mayEnd && (i === at || (i < at && !refused)))
    this.parted = !ends && this.#partsLines && requests.some((_, i) => i >= at && mayPartFirstLine(this.#script, i))
    this.overtaken = !ends && !this.parted && requests.some((asked, i) => i > at && asked.mayEnd)
    this.#over = ends || this.parted || this.overtaken
    return this.#over
  }

  #wrong(what: string): void {
    this.fault ??= `request ${this.compared}: ${what}`
    this.#over = true
  }

  #take(text: string): void {
    this.#answers.add(text)
    try {
      while (!this.#over && this.compared < this.#script.defined) {
        const asked = this.#script.requests[this.compared]!
        const answer = this.#answers.next(asked.isHead)
        if (answer === undefined) break
        this.#compare(asked, answer)
      }
    } catch (error) {
      this.#wrong((error as Error).message)
    }
    // Our own fault is one wherever it stands, behind what is broken too.
    if (this.compared >= this.#script.defined && this.#answers.rest.includes('INTERNAL_ERROR')) {
      this.#wrong('a fault of the server')
    }
    this.#wake()
  }

  #compare(asked: Asked, answer: Answer): void {
    const { status, head, body } = answer
    const isOurs = status === 204 || isOfJson(answer)
    if (status >= 400 && !isOurs && this.#excuse(true)) return
    if (!asked.statuses.includes(status)) {
      this.#wrong(`answered ${status} instead of ${asked.statuses.join(', ')}: ${body.slice(0, 200)}`)
      return
    }
    if (!isOurs) this.#wrong(`an answer of status ${status} that is not JSON`)
    else if (asked.tellsQuota && !/\r\nx-ratelimit-remaining: \d+\r\n/i.test(head)) {
      this.#wrong(`an answer of status ${status} without X-RateLimit-Remaining`)
    } else if (asked.good !== undefined) this.#compareBody(asked, answer)
    else if (isOurs && status >= 400 && !asked.isHead) this.#checkError(status, body)
    if (asked.isFree && status !== 429) this.freeTaken++
    this.compared++
    if (answer.isOpenEnded) this.#over = true
  }

  #compareBody({ good, isHead }: Asked, { head, body }: Answer): void {
    const { answer, target } = good!
    if (isHead) {
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
      if (length !== answer.length) this.#wrong(`HEAD of ${target} has ${length} bytes, GET had ${answer.length}`)
    } else if (body !== answer) this.#wrong(`${target} was answered with another body: ${body.slice(0, 200)}`)
  }

  #checkError(status: number, body: string): void {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } }
    if (error?.code === undefined || error.message === undefined) this.#wrong(`an error ${status} without its code`)
  }
}
