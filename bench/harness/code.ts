/** Identifies the code that is measured. A figure means nothing without it. */
import { execFileSync } from 'node:child_process'
import { softwareVersion } from '../../src/version.ts'
import { projectDir } from './process.ts'

export interface Code {
  readonly release: string
  /** The commit's short hash; null outside a repository. */
  readonly commit: string | null
  /** True if files differ from the commit's, or if there is no commit. */
  readonly isDirty: boolean
}

export function thisCode(tree = projectDir): Code {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: tree, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD')
    return { release: softwareVersion, commit, isDirty: git('status', '--porcelain') !== '' }
  } catch {
    return { release: softwareVersion, commit: null, isDirty: true }
  }
}

export const nameOfCode = ({ release, commit, isDirty }: Code): string =>
  `release ${release}, ${commit === null ? 'no repository' : `commit ${commit}`}${isDirty ? ', with changes' : ''}`
