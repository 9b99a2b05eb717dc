/** The memory of versions that are no longer served. */
import { it } from 'node:test'
import { releaseMemory } from '../../src/platform/memory.ts'
import { until } from '../support/until.ts'

it('The shared memory of a version is freed after it is released, although V8 does not count it', async () => {
  const bytes = 64_000_000
  for (const version of ['the first', 'the second', 'the third']) {
    const dropped = new WeakRef(new SharedArrayBuffer(bytes))
    releaseMemory(bytes)
    await until(`${version} is freed`, () => dropped.deref() === undefined)
  }
})
