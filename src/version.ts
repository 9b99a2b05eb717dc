/**
 * The version of this software, such as `3.0.0`. Between releases, package.json has `3.1.0-dev`, and the commit is
 * added if it is known: `3.1.0-dev+6491e5113a02`. So during an upgrade, an operator sees which of two builds responds.
 */
import { readFileSync } from 'node:fs'

const project = new URL('..', import.meta.url)

/** build/package.sh writes `commit`. */
const { version, commit } = JSON.parse(textOf('package.json')!) as { version: string; commit?: string }

/** The version in package.json. Documents use it, because it does not change with each commit. */
export const packageVersion = version

export const softwareVersion = withCommit(version, commit)

function withCommit(base: string, packed: string | undefined): string {
  if (!base.endsWith('-dev')) return base
  const known = packed ?? commitOfClone()
  return known === undefined ? base : `${base}+${known.slice(0, 12)}`
}

/**
 * The commit of a clone, from its .git folder; undefined elsewhere. In a worktree, `.git` is a file, and the result is
 * undefined, too.
 */
function commitOfClone(): string | undefined {
  const head = textOf('.git/HEAD')?.trim()
  const [, name] = /^ref: (.+)$/.exec(head ?? '') ?? []
  const packed = () =>
    textOf('.git/packed-refs')
      ?.split('\n')
      .find((line) => line.endsWith(` ${name}`))
  const found = name === undefined ? head : (textOf(`.git/${name}`) ?? packed())
  return /^[0-9a-f]{40}/.exec(found ?? '')?.[0]
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, project), 'utf8')
  } catch {
    return undefined
  }
}
