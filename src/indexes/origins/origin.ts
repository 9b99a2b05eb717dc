/** Where versions come from. From every origin, a version is complete in INDEX_DIR before it is loaded. */
import type { VersionFiles } from '../version.ts'

export interface VersionOrigin {
  /** Identifies the state of the origin; empty without a version. Throws if it can't be read. */
  stamp(): Promise<string>
  /** Loads the current version; undefined without one. Throws IndexError. */
  load(): Promise<VersionFiles | undefined>
  /** The log line for an origin without a version. */
  emptyMessage(): string
  /** Begins to download remote versions to INDEX_DIR, if the origin is remote. */
  begin(): void
  /** Resolves when no download runs. */
  end(): Promise<void>
  /** State of the remote pointer; undefined if the origin is local. */
  readonly remote: RemoteFigures | undefined
}

export interface RemoteFigures {
  /** The last request succeeded. */
  readonly isUp: boolean
  /** Undefined until the first success. */
  readonly version: string | undefined
  /** When the version was first seen, by performance.now(). */
  readonly namedAtMs: number
}
