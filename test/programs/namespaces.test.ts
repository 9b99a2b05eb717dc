/** A few of the races of test/long/namespaces.test.ts. */
import { raceTests } from '../build/namespace-races.ts'

raceTests(1)
