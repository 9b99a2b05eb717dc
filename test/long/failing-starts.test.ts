/** All starts that fail. */
import { testFailingStarts } from '../support/failing-starts.ts'

testFailingStarts()
