/** Writes the reference of the snapshot format into a folder, `snapshots` unless another is named. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referenceFiles } from './reference.ts'

const folder = process.argv[2] ?? 'snapshots'
for (const [name, content] of referenceFiles()) {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
