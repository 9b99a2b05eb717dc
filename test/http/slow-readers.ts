/**
 * A process of its own with readers of one long answer, each taking so many bytes a second and no more. Its argument is
 * SlowReaders as JSON. It prints `reading` when all have the first bytes, and when its standard input ends, what they took,
 * as JSON: bytes by reader, and how many the server has closed.
 */
import { connect } from 'node:net'

export interface SlowReaders {
  readonly port: number
  readonly path: string
  readonly key: string
  readonly count: number
  /** 0: they take what has come with the first bytes, and then nothing. */
  readonly bytesPerSecond: number
}

export interface SlowlyRead {
  readonly bytes: readonly number[]
  readonly closed: number
}

const { port, path, key, count, bytesPerSecond } = JSON.parse(process.argv[2]!) as SlowReaders
const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
const bytes: number[] = Array(count).fill(0)
let begun = 0
let closed = 0

for (let reader = 0; reader < count; reader++) {
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  socket.on('data', (piece) => {
    if (bytes[reader] === 0 && ++begun === count) console.log('reading')
    bytes[reader]! += piece.length
    socket.pause()
    if (bytesPerSecond > 0) setTimeout(() => socket.resume(), (piece.length / bytesPerSecond) * 1000)
  })
  socket.on('error', () => {})
  socket.on('close', () => closed++)
}

process.stdin.resume().on('end', () => {
  console.log(JSON.stringify({ bytes, closed } satisfies SlowlyRead))
  process.exit(0)
})
