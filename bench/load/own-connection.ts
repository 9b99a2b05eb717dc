/** One connection of the load generator: sends a request, counts the bytes of its answer. */
import { connect, type Socket } from 'node:net'

type OnAnswer = (connection: LoadConnection, status: number, bytes: number) => void

const headEnd = Buffer.from('\r\n\r\n')
/** Ends the name of Content-Length, however its first letters are written, and no other name that servers send. */
const lengthName = Buffer.from('ength: ')
const statusAt = 'HTTP/1.1 '.length
const digit0 = 0x30

export class LoadConnection {
  /** The moment from which the answer is waited for. */
  sinceMs = 0
  readonly #socket: Socket
  readonly #onAnswer: OnAnswer
  /** The bytes of a head that is not whole yet. */
  #head: Buffer | undefined
  #missing = 0
  #status = 0
  #bytes = 0

  private constructor(socket: Socket, onAnswer: OnAnswer) {
    this.#socket = socket
    this.#onAnswer = onAnswer
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(chunk))
  }

  static open(port: number, onAnswer: OnAnswer, onFailure: () => void): Promise<LoadConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.off('error', reject)
        socket.on('error', onFailure)
        socket.on('close', onFailure)
        resolve(new LoadConnection(socket, onAnswer))
      })
      socket.once('error', reject)
    })
  }

  send(request: string, sinceMs: number): void {
    this.sinceMs = sinceMs
    this.#socket.write(request, 'latin1')
  }

  #read(chunk: Buffer): void {
    if (this.#missing > 0) this.#body(chunk.length)
    else this.#readHead(this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]))
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf(headEnd)
    if (end === -1) {
      this.#head = bytes
      return
    }
    this.#head = undefined
    this.#status = digits(bytes, statusAt)
    this.#missing = end + headEnd.length + digits(bytes, bytes.indexOf(lengthName) + lengthName.length)
    this.#bytes = 0
    this.#body(bytes.length)
  }

  /** So many bytes of the answer have come. */
  #body(bytes: number): void {
    this.#bytes += bytes
    this.#missing -= bytes
    if (this.#missing === 0) this.#onAnswer(this, this.#status, this.#bytes)
  }
}

function digits(bytes: Buffer, from: number): number {
  let number = 0
  for (let at = from; bytes[at]! >= digit0 && bytes[at]! <= digit0 + 9; at++) number = number * 10 + bytes[at]! - digit0
  return number
}
