/**
 * Where versions come from. Whatever it is, a version lies whole in INDEX_DIR before it is taken up, so whoever takes it up
 * need not know.
 */
import type { LoadingVersion } from '../load.ts'

export interface VersionSource {
  /** What tells one state from the next; empty if there is nothing to take up. Throws if that can't be told. */
  stamp(): Promise<string>
  /** Begins to read what is to be served, undefined if there is nothing yet. Throws IndexError. */
  load(): Promise<LoadingVersion | undefined>
  /** What an operator is told as long as there is nothing. */
  nothing(): string
  /** From now on what is published elsewhere is brought to INDEX_DIR, if versions come from elsewhere. */
  begin(): void
  /** Resolves when nothing is being brought any more. */
  end(): Promise<void>
  /** Of what is published elsewhere; undefined if nothing can be. */
  readonly published: RemoteFigures | undefined
}

export interface RemoteFigures {
  /** Whether it could be told last what is published. */
  readonly isUp: boolean
  /** Undefined as long as that was never heard. */
  readonly version: string | undefined
  /** When that was first heard of it, by performance.now(). */
  readonly namedAtMs: number
}
