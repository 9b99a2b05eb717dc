/**
 * Ends what a test file has started, even after a failed test. A program that still runs would keep the file from
 * ending.
 *
 *   the file is evaluated ─▶ tests ─▶ the file's own hooks `after` ─▶ endAll ─▶ the file ends
 *                                        └ one fails, or never ends ─▶ endAll after a while, then process.exit
 *
 * A test of a file that still awaits something could end before the next test exists. Node.js would then run the hooks
 * `after` too early. So the tests wait until the file is evaluated.
 */
import { after, afterEach, before } from 'node:test'
import { pathToFileURL } from 'node:url'

/** The longest time for the file's own hooks. Within it, they end programs and check how these end. */
const hooksMsMax = 60_000
/** The pause before a file with a failed test exits. Within it, the runner writes its report. */
const failedPatienceMs = 2000
/** The pause before a file that stays open exits. It is longer than any file without a failure needs to end. */
const openPatienceMs = 120_000

const ends: (() => void)[] = []
const endAll = () => {
  for (const end of ends.splice(0)) end()
}

process.once('exit', endAll)
const file = process.argv[1]
// Benchmarks start servers, too. There, a hook would print a report of no tests.
if (file?.endsWith('.test.ts')) {
  let hasFailed = false
  const strays: unknown[] = []
  // The runner fails the file for a rejection outside a test, but shows the reason only in the middle of its report.
  // The `after` hook below throws the reason again.
  process.on('unhandledRejection', (error) => strays.push(error))
  afterEach((context) => {
    // Every context has `passed`, but most of the contexts' types lack it.
    hasFailed ||= (context as { passed?: boolean }).passed === false
  })
  after(() => {
    // A test closes its servers and stores in its last lines. A failed test does not reach these lines, and the open
    // servers would keep the file from ending.
    if (hasFailed) setTimeout(() => process.exit(1), failedPatienceMs).unref()
    setTimeout(endAll, hooksMsMax).unref()
    // No hook learns that another hook has failed. If the file stayed open, the runner would end it at its timeout,
    // without a report of the reason.
    setTimeout(() => process.exit(1), openPatienceMs).unref()
    if (strays.length > 0) throw strays[0]
  })
  // Node.js runs hooks in the order in which they were added, so this one comes after those of the file.
  const evaluated = import(pathToFileURL(file).href).then(() => after(endAll))
  before(() => evaluated)
}

/** Calls `end` once: after the tests of the file, or when the process exits. */
export const afterTests = (end: () => void): void => {
  ends.push(end)
}
