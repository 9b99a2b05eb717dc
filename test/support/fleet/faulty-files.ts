/** A proxy before the file server that can be slow, break off in the middle of a file, or send an old `current`. */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type FileFault =
  | { readonly type: 'none' }
  | { readonly type: 'slow'; readonly bytesPerSecond: number }
  /** Each answer of a version's file ends after so many bytes. */
  | { readonly type: 'cut'; readonly bytes: number }
  | { readonly type: 'old'; readonly current: string }

const sliceMs = 50

export class FaultyFiles {
  readonly #server: Server
  readonly #filesPort: number
  fault: FileFault = { type: 'none' }
  /** Of answers' bodies, sent until now. */
  bytesSent = 0

  private constructor(filesPort: number) {
    this.#filesPort = filesPort
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy())
    })
  }

  static async open(filesPort: number): Promise<FaultyFiles> {
    const files = new FaultyFiles(filesPort)
    files.#server.listen(0, '127.0.0.1')
    await once(files.#server, 'listening')
    return files
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { fault } = this
    const path = request.url!
    if (fault.type === 'old' && path === '/current') {
      response.end(fault.current)
      return
    }
    const answer = await this.#asked(request)
    response.writeHead(answer.statusCode!, answer.headers)
    const isFile = path !== '/current'
    let sent = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const left = fault.type === 'cut' && isFile ? fault.bytes - sent : chunk.length
      await this.#send(response, chunk.subarray(0, left))
      sent += chunk.length
      if (chunk.length >= left && fault.type === 'cut' && isFile) {
        response.destroy()
        return
      }
    }
    response.end()
  }

  #asked({ url, method, headers }: IncomingMessage): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asking = { host: '127.0.0.1', port: this.#filesPort, path: url, method, headers, agent: false } as const
      httpRequest(asking, resolve).on('error', reject).end()
    })
  }

  /** At the speed of the moment: a fault that ends sends the rest at once. */
  async #send(response: ServerResponse, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const slow = this.fault.type === 'slow' ? Math.ceil((this.fault.bytesPerSecond * sliceMs) / 1000) : bytes.length
      const slice = bytes.subarray(at, at + slow)
      at += slice.length
      this.bytesSent += slice.length
      if (response.destroyed) return
      if (!response.write(slice)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      if (this.fault.type === 'slow') await pause(sliceMs)
    }
  }
}
