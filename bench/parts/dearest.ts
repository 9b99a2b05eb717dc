/** Reports the most expensive request of each endpoint that the tests' fuzzer finds over the measured cards. */
import { searchDearest } from '../../test/fuzz/costs.ts'
import type { Bench } from '../harness/bench.ts'
import { fixed, whole } from '../harness/report.ts'

const steps = 5000
const seed = 83
const requestCharsShown = 100

export async function measureDearest({ subject, report }: Bench): Promise<void> {
  report.heading('The dearest requests')
  report.text(
    `${whole(steps)} requests, the dearest of which were changed again and again. CPU time of a server thread; of the ` +
      "page's list, the longest stretch. All are within the bounds that the tests hold.",
  )
  const found = await searchDearest({ steps, seed, indexDir: subject.indexDir })
  report.table(
    ['endpoint', 'ms', 'request'],
    found.map(({ endpoint, ms, request }) => [endpoint, fixed(ms, 2), shown(request)]),
  )
}

/** Returns the request as a table's cell: on one line, and without the sign that ends a cell. */
function shown(request: string): string {
  const line = request.replaceAll(/\s+/g, ' ').replaceAll('|', '¦')
  return line.length <= requestCharsShown ? line : `${line.slice(0, requestCharsShown)}…`
}
