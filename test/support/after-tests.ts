/** Ends what a test file has started, also after a failed test: a program that still runs would keep the file from ending. */
import { after, afterEach } from 'node:test'

/** Hooks of the file end programs themselves, and look at how they end. */
const patienceMs = 10_000
/** The report is written by then. */
const failedPatienceMs = 2000
/** Longer than anything that passed takes to end. */
const openPatienceMs = 20_000

const ends: (() => void)[] = []
const endAll = () => {
  for (const end of ends.splice(0)) end()
}

process.once('exit', endAll)
// Benchmarks start servers, too. There, a hook would print a report of no tests.
if (process.argv[1]?.endsWith('.test.ts')) {
  let hasFailed = false
  const strays: unknown[] = []
  // The runner fails the file for what rejects outside a test's time, too, and says why in the middle of the report.
  process.on('unhandledRejection', (error) => strays.push(error))
  afterEach((context) => {
    // Node.js has it on every context; its types have it on few.
    hasFailed ||= (context as { passed?: boolean }).passed === false
  })
  after(() => {
    // A test closes its servers and stores in its last lines, which one that fails does not reach. The file would wait for them.
    if (hasFailed) setTimeout(() => process.exit(1), failedPatienceMs).unref()
    setTimeout(endAll, patienceMs).unref()
    // No hook sees that a hook has failed. The file would be ended at its timeout, without the report that says why.
    setTimeout(() => process.exit(1), openPatienceMs).unref()
    if (strays.length > 0) throw strays[0]
  })
}

/** Calls it once, after the tests of the file or when the process exits. */
export const afterTests = (end: () => void): void => {
  ends.push(end)
}
