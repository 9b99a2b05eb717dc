/** One start of each kind that fails; test/long has them all. */
import { testFailingStarts } from '../support/failing-starts.ts'

testFailingStarts([
  'a bad setting',
  'a taken port, one thread',
  'a taken port, three threads and a version',
  'a taken port, by npm start',
  'a taken port of the pages',
  'an address of others',
  'an address of others for the metrics',
  'STORE_DIR/server.db is a folder',
  'a version without a manifest',
  'a certificate that is none',
])
