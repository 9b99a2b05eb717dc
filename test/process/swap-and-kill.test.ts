/**
 * Load on several threads while versions are swapped and threads are killed: no answer is lost or mixed but those in flight on a killed
 * thread, and after each swap all threads answer with the new version.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { itInAll } from '../support/amount.ts'
import { accounts, temporaryFolder, withModules } from '../support/command.ts'
import { scrape } from '../support/scrape.ts'
import { type Reply, send, startService } from '../support/service.ts'
import { aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { addVersion, makeCurrent } from '../support/versions.ts'

const threads = 3
const callers = 8
const swaps = 6
const kills = 3
/**
 * The longest time of a swap until all threads answer with it. Callers and new threads leave its trial little of a small
 * machine. If a thread is killed while it opens the version, the version is tried again.
 */
const takenUpMsMax = 60_000
/** The kernel spreads connections by hash: so many leave one of the threads out once in ten million times. */
const looks = 14 * threads

const ids = Array.from({ length: 200 }, (_, i) => `pokemon-base1-${i}`)

/** Every price of every card, and of its history, is this one. */
function snapshotAt(price: number): string {
  const card = { game: 'pokemon', setCode: 'base1', prices: { market: price } }
  const rows = ids.map((id) => `2026-11-20,${id},${price},${price},${price}\n`)
  return snapshotOf({
    'sets/a.ndjson': [aSet],
    'cards/a.ndjson': ids.map((id) => ({ ...card, id, name: `Card ${id}` })),
    'history/a.csv': `date,id,market,low,high\n${rows.join('')}`,
  })
}

const paths = ids.flatMap((id) => [
  `/v1/cards/${id}`,
  `/v1/cards/${id}/history?period=all`,
  '/v1/search?q=card&limit=100',
])

itInAll(
  'A server under load mixes no versions in a response while versions change and threads are killed',
  { timeout: 300_000 },
  async () => {
    const [indexDir, storeDir, mortalDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const { key } = await accounts(storeDir, 'create', 'a', '--plan', 'business')
    const versions = [await addVersion(indexDir, snapshotAt(1)), await addVersion(indexDir, snapshotAt(2))]
    makeCurrent(indexDir, versions[0]!)
    const service = await startService({
      INDEX_DIR: indexDir,
      STORE_DIR: storeDir,
      THREADS: `${threads}`,
      METRICS_PORT: '0',
      MORTAL_DIR: mortalDir,
      ...withModules('test/process/mortal.cjs'),
    })
    const alive = () => readdirSync(mortalDir).filter((name) => name.startsWith('alive-'))
    /** Undefined if the connection was one of a thread that was killed. */
    const ask = (path: string): Promise<Reply | undefined> =>
      send(service.address, path, { headers: { 'x-api-key': key } }).catch((error: NodeJS.ErrnoException) => {
        assert.match(error.code!, /^(ECONNRESET|EPIPE)$/)
        return undefined
      })
    let done = false
    let answers = 0
    let resets = 0

    async function call(caller: number): Promise<void> {
      for (let i = caller; !done; i += callers, await pause(4)) {
        const path = paths[(i * 79) % paths.length]!
        const reply = await ask(path)
        if (reply === undefined) resets++
        else {
          const prices = new Set(reply.body.match(/(?<="(?:market|low|high)":)[0-9.]+/g))
          assert.deepEqual([path, reply.status, prices.size, reply.body.at(-1)], [path, 200, 1, '}'])
          answers++
        }
      }
    }

    async function swap(): Promise<void> {
      for (let next = 1; next <= swaps; next++) {
        await pause(300)
        const version = versions[next % 2]!
        makeCurrent(indexDir, version)
        const served = async () =>
          new Set(
            (await Promise.all(Array.from({ length: looks }, () => ask('/healthz')))).map((one) => one?.json.version),
          )
        const isTaken = async () => [...(await served())].every((one) => one === version || one === undefined)
        await until(`all threads answer with swap ${next}`, isTaken, takenUpMsMax)
      }
    }

    async function kill(): Promise<void> {
      for (let killed = 0; killed < kills; killed++) {
        // While none takes connections, they are refused.
        await until('all threads take connections', async () => {
          return (await scrape(service.metrics)).value('cpl_threads') === threads && alive().length === threads
        })
        const one = alive()[killed % threads]!
        writeFileSync(join(mortalDir, one.replace('alive', 'kill')), '')
        await until('the thread is gone', () => !existsSync(join(mortalDir, one)))
        await pause(200)
      }
    }

    const calling = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
    await Promise.race([calling, Promise.all([swap(), kill()])])
    done = true
    await calling
    assert.ok(answers > 100 && resets <= kills * callers, `${answers} answers, ${resets} resets`)
    await until('all threads are back', () => alive().length === threads)
    assert.doesNotMatch(service.log(), /could not be started/)
    for (const line of service.log().match(/.*rejected.*/g) ?? []) {
      assert.match(line, /a server thread ended while it opened the version/)
    }
    assert.equal(await service.stop(), 0)
  },
)
