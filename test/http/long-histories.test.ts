/** Batches of long histories: whole for any reader, of one version, and no memory while nobody reads them. */
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { dateOfDay, dayOfDate } from '../../src/calendar.ts'
import { batchIdsMax } from '../../src/limits.ts'
import { serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'
import { until } from '../support/until.ts'
import { Reader, readSlowly } from './long-answers.ts'

const [newest, days] = [dayOfDate('2026-11-20'), 6_000]

/** A snapshot whose card has another price each day. */
function snapshotFrom(cents: number): string {
  const rows = Array.from({ length: days }, (_, i) => {
    const price = (cents + i) / 100
    return `${aCard.id},${dateOfDay(newest - days + 1 + i)},${price},${price},${price}`
  })
  return snapshotOf({
    'sets/a.ndjson': [aSet],
    'cards/a.ndjson': [aCard],
    'history/a.csv': `id,date,market,low,high\n${rows.join('\n')}\n`,
  })
}

const here = await serveHere(snapshotFrom(1))
const other = await serveHere(snapshotFrom(500))
after(async () => {
  await here.close()
  await other.close()
})
const server = here.server('A')
const port = Number(new URL(here.address('A')).port)

/** One card twenty times: more than a connection within a machine holds. */
const body = JSON.stringify({ ids: Array(batchIdsMax).fill(aCard.id), period: 'all' })
const request = [
  'POST /v1/cards/batch/history HTTP/1.1',
  'Host: x',
  `X-API-Key: ${here.keys.business}`,
  'Content-Type: application/json',
  `Content-Length: ${body.length}`,
  `\r\n${body}`,
].join('\r\n')

/** What the answer must be, by the single request. */
async function wanted(of: typeof here): Promise<string> {
  const { json } = await send(of.address('A'), `/v1/cards/${aCard.id}/history?period=all`, {
    headers: { 'x-api-key': of.keys.business },
  })
  assert.equal(json.data.history.length, days)
  return JSON.stringify({ data: Array(batchIdsMax).fill(json.data) })
}

const nobodyReads = () => until('no body is left', () => server.downloads.count === 0)

it('A batch of histories arrives whole in the version it began with, and its connection takes another request', async () => {
  const [own, others] = [await wanted(here), await wanted(other)]
  const readers = Array.from({ length: 3 }, () => new Reader(port, request))
  await Promise.all(readers.map((reader) => reader.stall()))
  const was = server.data
  server.data = other.server('A').data
  const fresh = new Reader(port, request)
  assert.equal(String(await fresh.body()), others)
  fresh.socket.write(request)
  assert.equal(String(await fresh.body()), others)
  for (const reader of readers) assert.equal(String(await reader.body()), own)
  server.data = was
  for (const { socket } of [fresh, ...readers]) socket.destroy()
  await nobodyReads()
})

it('Twenty slow readers of batches of histories take less memory than three bodies, and delay no quick reader', async () => {
  const { length } = await wanted(here)
  const before = process.memoryUsage().arrayBuffers
  const readers = await readSlowly(20, 10_000, port, request)
  assert.equal(server.downloads.count, readers.length)
  const quick = new Reader(port, request)
  assert.equal((await quick.body()).length, length)
  quick.socket.destroy()
  const taken = process.memoryUsage().arrayBuffers - before
  // The quick reader has kept one body.
  assert.ok(taken < 3 * length, `${readers.length} bodies of ${length} bytes take ${taken} bytes`)
  for (const { socket } of readers) socket.destroy()
  await nobodyReads()
})

it('A server that stops first completes the batch of histories that it is sending', async () => {
  const stopped = here.server('B', 'empty')
  stopped.data = server.data
  const reader = new Reader(Number(new URL(here.address('B', 'empty')).port), request)
  await reader.stall()
  const stopping = stopped.stop(30_000)
  assert.equal(String(await reader.body()), await wanted(here))
  assert.equal(await stopping, 0)
})
