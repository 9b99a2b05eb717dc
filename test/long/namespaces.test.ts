/** Sixty races of two builds, imports or rollbacks: no damaged version, no good one pruned early, and no mixture of two imports. */
import { raceTests } from '../build/namespace-races.ts'

raceTests(10)
