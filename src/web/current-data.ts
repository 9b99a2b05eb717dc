/** The version that the pages show. The first page that needs its cards opens it, because opening takes time and memory. */
import { type Dataset, openDataset } from '../api/dataset.ts'
import { type About, aboutOf } from '../indexes/about-file.ts'
import type { VersionFiles } from '../indexes/load.ts'
import type { Manifest } from '../indexes/manifest.ts'

export class CurrentData {
  #version: VersionFiles | undefined
  #opened: Promise<Dataset> | undefined
  /** The members of about.json. */
  about: About = {}

  /** When it was first served (ms since 1970). */
  since: number | undefined

  show(version: VersionFiles, since: number): void {
    this.#version = version
    this.since = since
    this.#opened = undefined
    this.about = aboutOf(version)
  }

  get manifest(): Manifest | undefined {
    return this.#version?.manifest
  }

  /** Resolves to undefined as long as there is no version. Rejects with IndexError. */
  async open(): Promise<Dataset | undefined> {
    if (this.#version === undefined) return undefined
    this.#opened ??= openDataset(this.#version)
    const opened = this.#opened
    try {
      return await opened
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined
      throw error
    }
  }
}
