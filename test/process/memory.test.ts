/** The memory of versions that are no longer served. */
import { it } from 'node:test'
import { releaseMemory } from '../../src/platform/memory.ts'
import { until } from '../support/until.ts'

it('The shared memory of a version is freed after it is released, although V8 does not count it', async () => {
  const bytes = 64_000_000
  // A WeakRef that is read while a collection marks would keep the memory.
  const freed = new Set<string>()
  const registry = new FinalizationRegistry<string>((version) => freed.add(version))
  for (const version of ['the first', 'the second', 'the third']) {
    registry.register(new SharedArrayBuffer(bytes), version)
    releaseMemory(bytes)
    await until(`${version} is freed`, () => freed.has(version))
  }
})
