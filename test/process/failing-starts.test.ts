/** A start of each kind that fails; test/long has them all, and test/indexes/plain-files.test.ts those of a version. */
import { amount } from '../support/amount.ts'
import { testFailingStarts } from './failing-starts.ts'

const inAll = [
  'a taken port, by npm start, three threads',
  'a taken port of the pages',
  'a taken port, two threads and a version',
  'an address of others',
  'a version without a manifest',
]

testFailingStarts([
  'a bad setting',
  'an address of others for the metrics',
  'STORE_DIR/server.db is a folder',
  'a certificate that is none',
  ...inAll.slice(0, amount(0, inAll.length)),
])
