/** Plays a script on a connection of its own and compares what comes back with what may. */
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { problemTable } from '../../src/api/problems.ts'
import { type Answer, Answers, isOfJson } from './answers.ts'
import type { Asked } from './requests.ts'
import type { Script } from './script.ts'

interface Played {
  /** The error; undefined if there is none. */
  readonly fault: string | undefined
  /** Answers that were compared. */
  readonly compared: number
  /** Requests that drew on the free plan's quota, of those answered. */
  readonly freeTaken: number
}

/** Under load, and with the machine shared. */
const answerMsMax = 15_000
/** After something broken: what comes in this time is looked at, and then the client leaves. */
const brokenMs = 150
/** The time for an answer where none may come. */
const oddMs = 1000
const deafMs = 100
/** In errors of either kind of form. */
const ourFaults = ['INTERNAL_ERROR', problemTable.INTERNAL_ERROR.message]

export async function play(port: number, script: Script): Promise<Played> {
  const player = new Player(connect(port, '127.0.0.1'), script)
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
  freeTaken = 0
  readonly #socket: Socket
  readonly #script: Script
  readonly #answers = new Answers()
  #closed = false
  /** Nothing more can be compared. */
  #over = false
  #wake: () => void = () => {}

  constructor(socket: Socket, script: Script) {
    this.#socket = socket
    this.#script = script
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
      if (ending !== 'deaf' && !(await this.#reaches(answersBefore))) break
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
    await this.#reaches(defined)
    if (ending === 'cut') this.#socket.end()
    else if (defined < requests.length) await this.#until(() => false, brokenMs)
  }

  leave(): void {
    if (this.#script.ending === 'reset') this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  /** Returns at once when the connection is closed or nothing more can be compared. */
  async #until(reached: () => boolean, ms: number): Promise<void> {
    const deadline = performance.now() + ms
    while (!reached() && !this.#closed && !this.#over) {
      const left = deadline - performance.now()
      if (left <= 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /** Waits for so many answers. False if no more can be compared; that is a fault unless a request may have ended the connection. */
  async #reaches(count: number): Promise<boolean> {
    for (const ms of [oddMs, answerMsMax]) {
      await this.#until(() => this.compared >= count, ms)
      if (this.compared >= count) return true
      const { requests } = this.#script
      // It may do so behind its answer, too.
      this.#over ||= [this.compared, this.compared - 1].some((i) => requests[i]?.mayEnd)
      if (this.#over) return false
      if (this.#closed) break
    }
    this.#wrong(this.#closed ? 'the connection was closed instead of an answer' : `no answer in ${answerMsMax} ms`)
    return false
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
    if (this.compared >= this.#script.defined && ourFaults.some((text) => this.#answers.rest.includes(text))) {
      this.#wrong('a fault of the server')
    }
    this.#wake()
  }

  #compare(asked: Asked, answer: Answer): void {
    const { status, head, body } = answer
    const isOurs = status === 204 || isOfJson(answer)
    if (status >= 400 && !isOurs && asked.mayEnd) {
      this.#over = true
      return
    }
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
    const { error } = JSON.parse(body) as { error?: string | { code?: string; message?: string } }
    // In the form of other packages, an error is its message.
    if (typeof error === 'string' && error !== '') return
    if (typeof error === 'string' || error?.code === undefined || error.message === undefined)
      this.#wrong(`an error ${status} without its code`)
  }
}
