/** A server's answer to bytes that no client would send, or only in so many pieces. */
import { connect } from 'node:net'

/**
 * Sends the text on a connection of its own. Resolves with what is answered, as soon as `isEnough` of it or when the
 * server closes.
 */
export function rawReply(address: string, text: string, isEnough?: (heard: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let heard = ''
    socket.setEncoding('latin1').on('data', (piece: string) => {
      heard += piece
      if (isEnough?.(heard)) socket.destroy()
    })
    socket.on('error', reject).on('close', () => resolve(heard))
  })
}
