/** Callers of the fixture's cards, each on a connection of its own, who know what they must hear. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Wire, type WireAnswer } from '../support/proxy-wire.ts'
import { type Service, send } from '../support/service.ts'
import { requestOf } from './hostile-requests.ts'

const answerMsMax = 20_000

/** Addresses whose answers are unlike each other. */
const paths = Array.from({ length: 20 }, (_, i) => [
  `/v1/cards/mtg-lea-${i + 1}`,
  `/v1/cards/mtg-lea-${i + 1}/prices?days=${i + 1}`,
  `/v1/search?q=forest&limit=1&offset=${i}`,
]).flat()

/** The answer, undefined if the connection ended. Throws if neither comes. */
export async function within(answer: Promise<WireAnswer | undefined>, what: string): Promise<WireAnswer | undefined> {
  const timeout = new AbortController()
  const late = pause(answerMsMax, 'late' as const, { signal: timeout.signal, ref: false }).catch(() => 'late' as const)
  const first = await Promise.race([answer, late])
  timeout.abort()
  if (first === 'late') throw new Error(`${what}: nothing came for ${answerMsMax} ms`)
  return first
}

export class Callers {
  readonly #keys: readonly string[]
  readonly #right: ReadonlyMap<string, string>
  #next = 0

  private constructor(keys: readonly string[], right: ReadonlyMap<string, string>) {
    this.#keys = keys
    this.#right = right
  }

  /** Learns from the server itself what is right. The keys are used in turn: one account's quota may be too small. */
  static async of(service: Service, keys: readonly string[]): Promise<Callers> {
    const right = new Map<string, string>()
    for (const path of paths) {
      const { status, body } = await send(service.address, path, { headers: { 'x-api-key': keys[0]! } })
      assert.equal(status, 200)
      right.set(path, body)
    }
    assert.equal(new Set(right.values()).size, paths.length, 'each answer is unlike the others')
    return new Callers(keys, right)
  }

  /** One request, the next address in turn; returns how long it took, in ms. */
  async ask(wire: Wire, when: string): Promise<number> {
    const path = this.#nextPath()
    const start = performance.now()
    this.#check(path, await within(wire.ask(this.#request(path)), when), when)
    return performance.now() - start
  }

  /** So many at once on one connection. */
  async pipeline(wire: Wire, requests: number, when: string): Promise<void> {
    const asked = Array.from({ length: requests }, () => this.#nextPath())
    wire.write(asked.map((path) => this.#request(path)).join(''))
    for (const path of asked) this.#check(path, await within(wire.answer(), when), when)
  }

  /** On each connection so many, one after another, all connections at once; those that ended are opened again. */
  async askOnAll(wires: Wire[], port: number, requests: number, when: string): Promise<void> {
    await Promise.all(
      wires.map(async (before, i) => {
        const wire = before.ended ? await Wire.open(port) : before
        wires[i] = wire
        for (let request = 0; request < requests; request++) await this.ask(wire, when)
        assert.equal(wire.surplus, '', `${when}: an answer too many`)
      }),
    )
  }

  #request(path: string): string {
    return requestOf(`GET ${path}`, this.#keys[this.#next % this.#keys.length]!)
  }

  #nextPath(): string {
    return paths[this.#next++ % paths.length]!
  }

  #check(path: string, answer: WireAnswer | undefined, when: string): void {
    assert.equal(answer?.status, 200, `${when}: ${path} was answered ${answer?.status} ${answer?.body}`)
    assert.equal(answer?.body, this.#right.get(path), `${when}: ${path} has another's answer`)
  }
}
