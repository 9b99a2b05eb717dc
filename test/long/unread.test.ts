/** Fifty clients that never read, on each route in each way, while others go on being answered. Takes some five minutes. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { unreadRequests } from '../http/unread-requests.ts'
import { makePair } from '../support/certificates.ts'
import { accounts, build, projectDir, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'
import { startService } from '../support/service.ts'
import { leftMbMax, reported, standUnread } from '../support/unread.ts'

const mbMax = 64
const healthMsMax = 200
/** The clients of this very process encrypt what they send. */
const secureHealthMsMax = 350

describe('2,000 unread answers on each of 50 connections', { skip: skipWithout('openssl') }, () => {
  for (const secure of [false, true]) {
    it(secure ? 'over TLS' : 'plainly', { timeout: 900_000 }, async (test) => {
      const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
      assert.equal((await build(join(projectDir, 'snapshots'), indexDir)).code, 0)
      const { key } = await accounts(storeDir, 'create', 'shop', '--plan', 'business')
      const pair = secure ? await makePair('localhost') : undefined
      const tls = pair && { TLS_CERT: pair.cert, TLS_KEY: pair.key }
      const service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, ...tls })
      const over: string[] = []
      for (const [name, text] of unreadRequests(key)) {
        const unread = { address: service.address, requests: [text], connections: 50, times: 2000 }
        const seen = await standUnread(service, unread, '/healthz')
        test.diagnostic(`${name}: ${reported(seen)}`)
        const isOver =
          seen.peakMb > mbMax ||
          seen.leftMb > leftMbMax ||
          seen.slowestHealthMs > (secure ? secureHealthMsMax : healthMsMax)
        if (isOver) over.push(`${name}: ${reported(seen)}`)
      }
      assert.deepEqual(over, [])
      assert.equal(await service.stop(), 0)
    })
  }
})
