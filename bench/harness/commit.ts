/**
 * Prepares another commit of this repository: its code and packages, an index that it builds, and the same accounts.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cardPrices, projectDir, runToEnd } from './process.ts'
import { buildVersion, type Subject } from './subject.ts'

/** Returns the commit's hash. Throws with git's message if there is no such commit. */
export const revisionOf = (commit: string): string =>
  execFileSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: projectDir, encoding: 'utf8' }).trim()

/**
 * Returns the subject with the commit's code, index and store.
 * @param revision a commit's hash
 */
export async function subjectOfCommit(subject: Subject, snapshots: string, revision: string): Promise<Subject> {
  const tree = join(subject.folder, 'commit')
  await checkOut(revision, tree)
  const indexDir = await buildVersion(resolve(snapshots), join(subject.folder, 'commit-indexes'), tree)
  // The two commits may have different store formats. All releases read the format of exported accounts.
  const storeDir = join(subject.folder, 'commit-store')
  const accounts = join(subject.folder, 'accounts.json')
  await runToEnd(cardPrices(projectDir, 'accounts', 'export', accounts), { STORE_DIR: subject.storeDir })
  await runToEnd(cardPrices(tree, 'accounts', 'import', accounts), { STORE_DIR: storeDir })
  return { ...subject, tree, indexDir, storeDir }
}

/** Checks the commit out. If its lock file equals this project's, it shares the packages; else it installs its own. */
async function checkOut(revision: string, tree: string): Promise<void> {
  mkdirSync(tree)
  await runToEnd(['sh', '-c', 'git archive "$0" | tar -x -C "$1"', revision, tree])
  const lock = 'package-lock.json'
  const isSame = readFileSync(join(projectDir, lock)).equals(readFileSync(join(tree, lock)))
  if (isSame) symlinkSync(join(projectDir, 'node_modules'), join(tree, 'node_modules'))
  else await runToEnd(['npm', 'ci', '--silent'], {}, tree)
}
