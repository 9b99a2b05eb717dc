/** One start of each kind that fails; test/long has them all. */
import { testFailingStarts } from '../support/failing-starts.ts'

testFailingStarts([
  'a bad setting',
  'a taken port, three threads and a version',
  'STORE_DIR/servers is a file',
  'a version without a manifest',
  'a certificate that is none',
])
