/** card-prices doctor beside a disk that hangs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { run, temporaryFolder } from '../support/command.ts'

it('doctor ends within 15 s where a file can not be read', async () => {
  // To open a pipe waits for somebody who writes, as a mount that hangs waits for its server.
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const started = performance.now()
  const { code, stdout } = await run('src/cli/main.ts', ['doctor'], { TLS_CERT: pipe, TLS_KEY: pipe })
  assert.equal(code, 1)
  assert.ok(performance.now() - started < 15_000)
  assert.match(stdout, /^bad {2}doctor {2}no result within 12 s: check whether its disk or mount answers\n$/)
})
