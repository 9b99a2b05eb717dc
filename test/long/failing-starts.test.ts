/** All starts that fail. */
import { testFailingStarts } from '../process/failing-starts.ts'

testFailingStarts()
