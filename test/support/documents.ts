/** The documents, as tests compare them with the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from './command.ts'

/** For callers and operators, in the order in which they are read. */
export const userDocuments = [
  'README.md',
  'docs/api.md',
  'docs/data.md',
  'docs/operating.md',
  'docs/cluster.md',
  'docs/performance.md',
] as const

/** @param name as seen from the project's folder */
export const documentText = (name: string): string => readFileSync(join(projectDir, name), 'utf8')
