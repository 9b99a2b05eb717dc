/** Sends any values for the parameters of searches, lists and suggestions: a bad one is refused by name, none is a fault. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { drawFrom, randomFrom } from '../support/random.ts'
import { drawValue, parameterRules } from './parameter-values.ts'

interface Reported {
  readonly status: number
  readonly body: string
}

/** @param rounds values of each parameter that there is */
export async function sendAnyValues(address: string, key: string, seed: number, rounds: number): Promise<void> {
  const random = randomFrom(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(address)
  const get = (path: string) =>
    new Promise<Reported>((resolve, reject) => {
      const sent = request({ agent, hostname, port, path, headers: { 'x-api-key': key } }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        response.on('end', () => resolve({ status: response.statusCode!, body }))
      })
      sent.on('error', reject).end()
    })
  const counts = { right: 0, wrong: 0 }
  for (const rule of parameterRules) {
    for (let round = 0; round < rounds; round++) {
      const { sent, text } = drawValue(random)
      const path = `${rule.path}&${rule.name}=${sent}`
      const message = `seed ${seed}: ${path}`
      const { status, body } = await get(path)
      const isRight = text !== undefined && rule.isRight(text)
      counts[isRight ? 'right' : 'wrong']++
      assert.equal(status, isRight ? 200 : 400, `${message}: ${body.slice(0, 200)}`)
      if (isRight) continue
      const { error } = JSON.parse(body)
      assert.equal(error.code, 'INVALID_PARAMETER', message)
      assert.ok(error.message.startsWith(`${rule.name} must be `), `${message}: ${error.message}`)
      assert.match(error.message, text === undefined ? /percent-encoded UTF-8/ : rule.allowed, message)
    }
    // Any of the others beside it, right or wrong: every answer is one, not a failure.
    for (let round = 0; round < rounds / 4; round++) {
      const values = Array.from(
        { length: 3 },
        () => `${drawFrom(random, parameterRules).name}=${drawValue(random).sent}`,
      )
      const { status } = await get(`${rule.path}&${values.join('&')}`)
      assert.ok(status === 200 || status === 400, `seed ${seed}: ${values.join('&')}: ${status}`)
    }
  }
  agent.destroy()
  assert.ok(counts.right > rounds && counts.wrong > rounds, JSON.stringify(counts))
}
