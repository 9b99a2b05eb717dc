/**
 * The version of this software. A release is `3.0.0`. Between releases, package.json says `3.1.0-dev`, and the commit is
 * told where it is known: `3.1.0-dev+6491e5113a02`. So during an upgrade one sees which of two builds answers.
 */
import { readFileSync } from 'node:fs'

const project = new URL('..', import.meta.url)

/** `commit` is written by build/package.sh. */
const { version, commit } = JSON.parse(textOf('package.json')!) as { version: string; commit?: string }

/** The version of package.json. Documents have this one, since it does not change with each commit. */
export const packageVersion = version

export const softwareVersion = withCommit(version, commit)

function withCommit(base: string, packed: string | undefined): string {
  if (!base.endsWith('-dev')) return base
  const known = packed ?? commitOfClone()
  return known === undefined ? base : `${base}+${known.slice(0, 12)}`
}

/** The commit of a clone, as its files say; undefined elsewhere. A worktree has a file `.git`, and is not looked into. */
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
