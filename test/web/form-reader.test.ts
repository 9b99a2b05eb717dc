/** What the reader of forms takes, refuses and leaves unread, by how much of a body it has asked for. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { Hono } from 'hono'
import { bodyBytesMax, idCharsMax, listFormBytesMax, listLinesMax, strayFieldsMax } from '../../src/limits.ts'
import { formOf, WrongForm } from '../../src/web/shared/form-reader.ts'
import { shapeOf } from '../../src/web/shared/form-table.ts'
import { SenderGone } from '../../src/web/shared/turns.ts'
import type { PageEnv } from '../../src/web/site.ts'

const inParts = 'multipart/form-data; boundary=x'
const inPairs = 'application/x-www-form-urlencoded'
const chunkBytes = 16 * 1024

interface Sent {
  readonly path?: string
  readonly type?: string
  /** The length that the head gives, if it is not the body's. */
  readonly length?: number
  /** The number of chunks after which the sender disconnects. */
  readonly leavesAfter?: number
}

interface Read {
  readonly texts: Record<string, string>
  readonly bytes: Record<string, string>
  readonly error: Error | undefined
  /** The share of the body that was asked for. */
  readonly share: number
}

async function read(body: string | Uint8Array, sent: Sent = {}): Promise<Read> {
  const { path = '/value', type = inParts, length = body.length, leavesAfter = Number.POSITIVE_INFINITY } = sent
  const outgoing = Object.assign(new EventEmitter(), { closed: false })
  const bytes = Buffer.from(body)
  let chunks = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const from = chunks++ * chunkBytes
        if (chunks > leavesAfter) {
          outgoing.closed = true
          outgoing.emit('close')
          controller.error(new Error('aborted'))
        } else if (from >= bytes.length) controller.close()
        else controller.enqueue(bytes.subarray(from, from + chunkBytes))
      },
    },
    { highWaterMark: 0 },
  )
  const app = new Hono<PageEnv>()
  const found = { texts: {}, bytes: {}, error: undefined as Error | undefined }
  app.post('*', async (context) => {
    const form = await formOf(context)
    found.texts = Object.fromEntries(form.texts)
    found.bytes = Object.fromEntries([...form.bytes].map(([name, value]) => [name, Buffer.from(value).toString()]))
    return context.body(null)
  })
  app.onError((error, context) => {
    found.error = error
    return context.body(null, 500)
  })
  const headers = { 'Content-Type': type, 'Content-Length': `${length}` }
  const request = { method: 'POST', headers, body: stream, duplex: 'half' } as RequestInit
  await app.request(path, request, { outgoing } as unknown as PageEnv['Bindings'])
  outgoing.emit('close')
  return { ...found, share: Math.min((chunks * chunkBytes) / bytes.length, 1) }
}

const part = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const parts = (...fields: readonly (readonly [name: string, value: string])[]) =>
  `${fields.map(([name, value]) => part(name, value)).join('')}--x--\r\n`

function assertRefused({ error }: Read, status: 400 | 413): void {
  assert.ok(error instanceof WrongForm, String(error))
  assert.equal(error.status, status)
}

describe('The form reader', () => {
  it('The form reader returns the fields that a page has, exactly as they were sent', async () => {
    const { texts, bytes, error } = await read(
      parts(
        ['list', ' 1 Ünyx\r\n\r\n--'],
        ['game', 'mtg'],
        ['card-12', 'mtg-lea-1'],
        ['card-12', 'other'],
        ['other', '1'],
      ),
    )
    assert.equal(error, undefined)
    assert.deepEqual(bytes, { list: ' 1 Ünyx\r\n\r\n--' })
    assert.deepEqual(texts, { game: 'mtg', 'card-12': 'mtg-lea-1' })
    const pairs = await read('list=1+%C3%9Cnyx%0A&game=mtg&card-1=a&game=b&other=c', { type: inPairs })
    assert.deepEqual([pairs.texts, pairs.bytes], [{ list: '1 Ünyx\n', game: 'mtg', 'card-1': 'a' }, {}])
  })

  it('The form reader reads a multipart body in any of its spellings, and refuses one that is cut off', async () => {
    const type = 'Multipart/Form-Data; charset=utf-8; boundary="b b"'
    const head = 'Content-Disposition: form-data; filename="f"; name="file"'
    for (const [sent, wanted] of [
      [`before\r\n--b b\r\n${head}\r\n\r\n1\r\n--b b--`, { file: '1' }],
      [`--b b\r\nno name\r\n\r\n1\r\n--b b\r\n${head}\r\n\r\n2\r\n--b b--\r\n`, { file: '2' }],
      [`--b b\r\n${head}\r\n\r\n3\r\n--b b--\r\nbehind`, { file: '3' }],
      [`--b b\r\n${head}\r\n\r\n4`, 400],
      [`--b b\r\n${head}`, 400],
      ['--b b', 400],
      ['nothing', 400],
      ['', {}],
    ] as const) {
      const found = await read(sent, { type })
      if (wanted === 400) assertRefused(found, 400)
      else assert.deepEqual([found.bytes, found.error], [wanted, undefined], sent)
    }
  })

  it('The form reader accepts each field up to its maximum length, and refuses one byte more', async () => {
    for (const path of [
      '/value',
      '/sign-out',
      '/dashboard/keys',
      '/operator/accounts/1/suspend',
      '/operator/accounts',
    ]) {
      for (const [name, bytesMax] of Object.entries(shapeOf(path).fields)) {
        const type = path === '/value' ? inParts : inPairs
        const body = (length: number) =>
          type === inParts ? parts([name, 'a'.repeat(length)]) : `${name}=${'a'.repeat(length)}`
        if (bytesMax < listFormBytesMax) {
          const whole = await read(body(bytesMax), { path, type })
          assert.equal((whole.texts[name] ?? whole.bytes[name])?.length, bytesMax, `${path} ${name}`)
        }
        assertRefused(await read(body(bytesMax + 1), { path, type }), 413)
      }
    }
    assertRefused(await read(parts(['list', '1'], ['card-1', 'a'.repeat(idCharsMax + 1)])), 413)
    assertRefused(await read(parts(['column-1', 'a'.repeat(20_000)])), 413)
  })

  it('The form reader accepts one choice for each line of a list, and refuses more', async () => {
    const choices = Array.from({ length: listLinesMax }, (_, i) => [`card-${i}`, 'mtg-lea-1'] as const)
    const list = ['list', ' \r\n\n1 Onyx\r'.repeat(listLinesMax)] as const
    const { texts, error } = await read(parts(list, ...choices))
    assert.deepEqual([Object.keys(texts).length, error], [listLinesMax, undefined])
    const shorter = ['list', ' \r\n\n1 Onyx\r'.repeat(listLinesMax - 1)] as const
    const { error: refused, share } = await read(parts(['list', '\n'.repeat(20_000)], ...choices))
    assert.ok(refused instanceof WrongForm && share < 0.2)
    for (const each of [list, shorter]) {
      assertRefused(await read(parts(each, ...choices, ['card-99999', 'mtg-lea-1'])), 413)
    }
  })

  it('The form reader skips fields that a page does not have, and refuses a form with many of them while it arrives', async () => {
    const strays = (count: number) => Array.from({ length: count }, (_, i) => [`a${i}`, '1'] as const)
    const few = await read(parts(...strays(strayFieldsMax), ['game', 'mtg']))
    assert.deepEqual([few.texts, few.error], [{ game: 'mtg' }, undefined])
    for (const body of [
      parts(...strays(50_000)),
      ...['', 'undo', 'game'].map((name) => part(name, 'a').repeat(50_000)),
    ]) {
      const many = await read(body)
      assertRefused(many, 413)
      assert.ok(many.share < 0.05, `${many.share}`)
    }
    assertRefused(await read('a&'.repeat(8000), { path: '/sign-out', type: inPairs }), 413)
  })

  it('A form with too many nameless parts is refused before all of it has arrived', async () => {
    const nameless = await read('--x\r\n\r\n\r\n'.repeat(102_400))
    assertRefused(nameless, 413)
    assert.ok(nameless.share < 0.15, `${nameless.share}`)
  })

  it('The form reader stops if the sender leaves or sends less than it announced', async () => {
    const body = parts(['list', '1 Onyx\n'.repeat(200_000)])
    const left = await read(body, { leavesAfter: 5 })
    assert.ok(left.error instanceof SenderGone)
    assert.ok(left.share < 0.1)
    const short = await read(body, { length: body.length + 1 })
    assert.ok(short.error instanceof SenderGone)
    const unbroken = await read(body)
    assert.deepEqual([unbroken.bytes['list']?.length, unbroken.error], [1_400_000, undefined])
  })

  it('The form reader frees the memory of a form that it has read or refused', async () => {
    const body = parts(['list', 'a'.repeat(4_000_000)])
    // More than all forms may have together, if one keeps its room.
    for (let i = 0; i < bodyBytesMax / body.length; i++) {
      const isWhole = i % 2 === 0
      const { error } = await read(isWhole ? body : body.slice(0, -3))
      assert.ok(isWhole ? error === undefined : error instanceof WrongForm, `${i}: ${error}`)
    }
  })
})
