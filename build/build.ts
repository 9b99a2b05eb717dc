/** The order of the steps, from a snapshot folder to a published version. */
import { partName, partsOf } from '../src/indexes/load.ts'
import type { Manifest } from '../src/indexes/manifest.ts'
import { idsOf, readBase, rememberBuild } from './base.ts'
import { compileCatalog } from './compile/catalog.ts'
import { compileHistory, type HistoryResult } from './compile/history.ts'
import { lockBuilds } from './lock.ts'
import { Problems } from './problems.ts'
import type { Progress } from './progress.ts'
import { type FileSource, publish, removeLeftovers } from './publish.ts'

export interface BuildResult {
  readonly manifest: Manifest
  readonly history: HistoryResult['report']
  /** The files of sets/ and cards/ were those of the version before. */
  readonly catalogReused: boolean
  readonly seconds: number
}

/** Throws SnapshotError if the snapshot is wrong; then nothing was published. */
export async function build(snapshots: string, indexDir: string, progress: Progress): Promise<BuildResult> {
  const started = performance.now()
  const unlock = await lockBuilds(indexDir)
  try {
    await removeLeftovers(indexDir)
    const base = await readBase(indexDir)
    const problems = new Problems()
    progress.step('reading sets and cards')
    const catalog = await compileCatalog(snapshots, indexDir, base?.version, problems)
    const history = await compileHistory({
      snapshots,
      ids: catalog.ids,
      base: base && { parts: partsOf(base.version, 'history'), ids: idsOf(base.version), memory: base.history },
      problems,
      progress: (done) => progress.reading(done),
    })
    problems.check()
    progress.step('writing the index')
    const files = new Map<string, FileSource>(catalog.files)
    history.parts.forEach((pieces, part) => {
      files.set(partName('history', part), { pieces })
    })
    const manifest = await publish(indexDir, {
      asOf: history.newestDate ?? catalog.newestUpdate,
      counts: { cards: catalog.ids.length, sets: catalog.setCount, historyRows: history.report.rows },
      catalogSource: catalog.source,
      files,
    })
    await rememberBuild(indexDir, { version: manifest.version, history: history.memory })
    const seconds = (performance.now() - started) / 1000
    return { manifest, history: history.report, catalogReused: catalog.reused, seconds }
  } finally {
    await unlock()
  }
}
