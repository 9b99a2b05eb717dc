/** Sends requests to servers on this machine. */
import { get as getPlainly } from 'node:http'
import { get as getSecurely } from 'node:https'

export interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * Sends a GET. Rejects with the system's error, or with an Error `late` after `msMax`. Accepts any certificate, because
 * the certificate of a server is for its public name.
 */
export function ask(address: string, msMax: number, late: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, rejectUnauthorized: false }
    const request = (address.startsWith('https:') ? getSecurely : getPlainly)(address, options, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode!, body }))
    })
    request.on('error', reject).on('close', () => clearTimeout(timer))
    const timer = setTimeout(() => request.destroy(new Error(late)), msMax)
  })
}
