/** How a connection is cut for the parser: by the number of its calls, which each cost some microseconds. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { Connection } from '../../src/node-http/paced-connection.ts'

const readBytes = 64 * 1024
const emptyLines = '\r\n\r\n'.repeat(128 * 1024)
const post = (headers: string, body: string) => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`

/**
 * The pieces that the parser gets of what a client sends. The parser begins a request when it has the end of its head.
 * @param first what is sent alone, before the rest
 */
function piecesOf(sent: string, first = ''): string[] {
  const pieces: string[] = []
  let connection: Connection
  const socket = Object.assign(new EventEmitter(), { destroyed: false, pause() {}, unshift() {}, readableLength: 0 })
  socket.on('data', (bytes: Buffer) => {
    const piece = bytes.toString('latin1')
    pieces.push(piece)
    if (pieces.join('').indexOf('\r\n\r\n') === -1 || begun) return
    begun = true
    const [, length] = /Content-Length: (\d+)/.exec(sent) ?? []
    const headers = { 'content-length': length, 'transfer-encoding': length === undefined ? 'chunked' : undefined }
    const response = new EventEmitter() as ServerResponse
    connection.begin({ headers, complete: false } as unknown as IncomingMessage, response)
  })
  let begun = false
  connection = new Connection(socket as unknown as Socket, 60_000)
  if (first !== '') socket.emit('data', Buffer.from(first))
  for (let from = 0; from < sent.length; from += readBytes) {
    socket.emit('data', Buffer.from(sent.slice(from, from + readBytes)))
  }
  socket.emit('close')
  assert.ok(begun)
  return pieces
}

it('The parser gets each piece that the socket reads whole, even if it has only empty lines', () => {
  const pieces = piecesOf(post(`Content-Length: ${emptyLines.length}`, emptyLines))
  assert.equal(pieces.join('').length, pieces[0]!.length + emptyLines.length)
  assert.ok(pieces.length <= emptyLines.length / readBytes + 2, `${pieces.length}`)
})

it('A body in chunks reaches the parser in pieces of a kilobyte or more', () => {
  const pieces = piecesOf(post('Transfer-Encoding: chunked', `80000\r\n${emptyLines}`))
  assert.ok(pieces.length <= emptyLines.length / 1024 + emptyLines.length / readBytes + 2, `${pieces.length}`)
})

it('Empty lines before a request do not reach the parser', () => {
  const pieces = piecesOf(emptyLines + post('Content-Length: 1', 'a'))
  assert.deepEqual(pieces, [post('Content-Length: 1', ''), 'a'])
})

it('The parser gets a head and the body after it in separate pieces, however the bytes arrive', () => {
  const head = post('Content-Length: 1', '')
  for (let cut = 1; cut < head.length; cut++) {
    const pieces = piecesOf(`${head.slice(cut)}a`, head.slice(0, cut))
    assert.deepEqual(pieces, [head.slice(0, cut), head.slice(cut), 'a'], `cut at ${cut}`)
  }
})
