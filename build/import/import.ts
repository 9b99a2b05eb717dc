/**
 * The order of the steps, from a source's files to the snapshot folder.
 *
 *   files ──read, check──▶ sets, cards, prices of one source ──┐
 *   import/kept/: source cache, the last data of each source ──┼─▶ ids ─▶ compose ─▶ sets/, cards/ ─┐
 *   import/ids.ndjson: all ids and set codes ever assigned ────┘      └─▶ history/ ─────────────────┴─▶ renamed together
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GameSlug, gameSlugs } from '../../src/games.ts'
import { compareTexts } from '../../src/text-order.ts'
import { mirrorStatus } from '../fetch-state.ts'
import type { CatalogSource, ComposedCard, Layer, SourceCatalog } from './catalog.ts'
import { ImportErrors } from './errors.ts'
import { gameOf, type Ids } from './ids.ts'
import { Report } from './report.ts'
import type { Import, ImportOptions, Reading, Source, Started } from './sources/source.ts'
import { isAfterTomorrow } from './sources/values.ts'
import { type AssignedIds, assignAll, assignedIds } from './write/assign.ts'
import { compose, recordOf } from './write/compose.ts'
import { cardsFiles, historyFile, idsFile, setsFile, sourceCacheFile } from './write/folder.ts'
import { HistoryRows, keptRows } from './write/history.ts'
import { aboutWithCurrency, checkOwnFiles } from './write/own.ts'
import { checkDate, checkPrices, marketPrices, reportUnpricedSets } from './write/plausibility.ts'
import { catalogLines, layerLines } from './write/source-cache.ts'
import { lockFolder, Staging, writeError } from './write/staging.ts'
import { loadCatalogs, loadIds, loadLayers } from './write/state.ts'

export interface ImportResult {
  readonly report: Report
  readonly date: string | null
  /** As seen from the snapshot folder. */
  readonly changed: readonly string[]
  readonly unchanged: number
  readonly historyRows: number
}

/** Throws ImportError if anything is wrong. Then nothing is written. */
export async function runImport(name: string, source: Source, options: ImportOptions): Promise<ImportResult> {
  const release = await lockFolder(options.out)
  const staging = new Staging(options.out)
  let started: Started | undefined
  try {
    started = source.start(options)
    return await new Run(name, source, options, staging).run(started)
  } finally {
    try {
      await started?.close()
      staging.discard()
    } finally {
      release()
    }
  }
}

class Run {
  readonly #name: string
  readonly #source: Source
  readonly #options: ImportOptions
  readonly #staging: Staging
  readonly #errors = new ImportErrors()
  readonly #report = new Report()

  constructor(name: string, source: Source, options: ImportOptions, staging: Staging) {
    this.#name = name
    this.#source = source
    this.#options = options
    this.#staging = staging
  }

  async run(started: Started): Promise<ImportResult> {
    const errors = this.#errors
    const { out, games } = this.#options
    const ids = loadIds(out, errors)
    const isLimited = games.size < gameSlugs.length || this.#options.partial
    const catalogs = this.#source.composes
      ? loadCatalogs(out, this.#source.catalog, isLimited, errors)
      : new Map<CatalogSource, SourceCatalog>()
    const layers = this.#source.composes ? loadLayers(out, errors) : new Map<string, Layer>()
    const mirrors = this.#mirrors()
    errors.check()
    const before = (this.#source.catalog && catalogs.get(this.#source.catalog)) ?? { sets: [], cards: [] }
    const earlier = namesById(this.#source.catalog, before, ids)
    const task: Import = { options: this.#options, errors, report: this.#report, ids, before }
    const reading = await started.read(task)
    if (reading.date !== null) this.#checkDay(reading.date)
    if (this.#mirrors().some((revision, i) => revision !== mirrors[i])) {
      errors.add(this.#options.paths[0]!, '', 'changed by a fetch during the import; import it again after the fetch')
    }
    errors.check()
    this.#checkPlausibility(reading, before, layers)
    errors.check()
    const { removed, assigned } = this.#source.composes
      ? await this.#compose(reading, catalogs, layers, ids, earlier)
      : { removed: [], assigned: new Map() }
    const historyRows = await this.#writeHistory(reading, assigned)
    errors.check()
    if (this.#source.composes) this.#staging.writeLines(idsFile, ids.lines())
    this.#writeReport(reading)
    const changed = [...this.#staging.changed, ...removed]
    this.#staging.place(removed)
    return { report: this.#report, date: reading.date, changed, unchanged: this.#staging.unchanged, historyRows }
  }

  /** The revision of each path that is a fetched mirror. An unfinished one is an error. */
  #mirrors(): (string | undefined)[] {
    const { paths, partial } = this.#options
    return paths.map((path) => {
      const fetched = mirrorStatus(path)
      if (fetched?.isWhole === false && !partial) {
        const advice = 'run card-prices fetch again, which resumes it; --partial imports what it has'
        this.#errors.add(path, '', `is a mirror whose fetch is unfinished: ${advice}`)
      }
      return fetched?.revision
    })
  }

  #checkDay(day: string): void {
    if (isAfterTomorrow(day))
      this.#errors.add(this.#options.paths[0]!, '', `has prices of ${day}, which is after tomorrow`)
  }

  /** Compares the prices with the source's last import. */
  #checkPlausibility(reading: Reading, before: SourceCatalog, layers: ReadonlyMap<string, Layer>): void {
    const { catalog, layer, date, isDateGuessed = false } = reading
    const { paths, games, force } = this.#options
    const [path] = paths as [string]
    if (catalog !== undefined) {
      reportUnpricedSets(before, catalog, path, this.#report)
      if (isDateGuessed) checkDate(date!, before.cards, catalog.cards, path, this.#errors)
      if (!force) checkPrices(before.cards, catalog.cards, path, this.#errors)
    }
    if (layer !== undefined && !force) {
      const earlier = layers.get(this.#layerFile(layer))
      checkPrices(marketPrices(earlier, games), marketPrices(layer, games), path, this.#errors)
    }
  }

  #layerFile({ label }: Layer): string {
    return sourceCacheFile(this.#name === label ? label : `${this.#name}-${label}`)
  }

  /** Returns the files to remove, and the ids of all cards. */
  async #compose(
    reading: Reading,
    catalogs: Map<CatalogSource, SourceCatalog>,
    layers: Map<string, Layer>,
    ids: Ids,
    earlier: Map<string, string>,
  ): Promise<{ removed: string[]; assigned: AssignedIds }> {
    const { out, prefer, games } = this.#options
    const report = this.#report
    const source = this.#source.catalog
    if (reading.catalog !== undefined && source !== null) {
      catalogs.set(source, reading.catalog)
      assignAll(catalogs, ids, report)
      this.#staging.writeLines(sourceCacheFile(source), catalogLines(reading.catalog))
    }
    if (reading.layer !== undefined) {
      const name = this.#layerFile(reading.layer)
      const layer = withOtherGames(reading.layer, games, layers.get(name))
      layers.set(name, layer)
      this.#staging.writeLines(name, layerLines(layer))
    }
    const assigned = assignedIds(catalogs, ids)
    if (reading.catalog !== undefined && source !== null)
      reportChanges(reading.catalog, assigned.get(source)!, earlier, report)
    const inOrder = [...layers].sort(([a], [b]) => compareTexts(a, b)).map(([, layer]) => layer)
    const { sets, cardFiles, cards } = compose(catalogs, assigned, inOrder, ids, prefer, report)
    await checkOwnFiles(out, cards, [...sets.values()].flat(), this.#errors)
    this.#errors.check()
    for (const [name, records] of sets) this.#staging.writeLines(name, linesOf(records))
    for (const [name, own] of cardFiles) this.#staging.writeLines(name, cardLines(own))
    const about = aboutWithCurrency(out, layers.values())
    if (about !== undefined) this.#staging.writeLines(about[0], [about[1]])
    const written = [...sets.keys(), ...cardFiles.keys()]
    const removed = [...cardsFiles, ...prefer.map(setsFile)].filter(
      (name) => !written.includes(name) && existsSync(join(out, name)),
    )
    return { removed, assigned }
  }

  async #writeHistory({ history }: Reading, assigned: AssignedIds): Promise<number> {
    const source = this.#source.catalog
    if (history === undefined || source === null) return 0
    const rows = new HistoryRows(history.ids(assigned.get(source) ?? []))
    let count = 0
    /** One day is compressed while the next is read. */
    let writing: Promise<void> = Promise.resolve()
    for await (const day of history.days()) {
      this.#checkDay(day.day)
      if (this.#errors.count > 0) continue
      await writing
      const name = historyFile(day.day, source)
      const { isKept } = history
      const kept =
        isKept === null ? new Map<string, string>() : keptRows(join(this.#options.out, name), isKept, this.#errors)
      writing = rows.file(day, kept).then(({ bytes, rows }) => {
        count += rows
        this.#staging.writeBytes(name, bytes)
      })
      // The error is thrown where `writing` is awaited.
      writing.catch(() => {})
    }
    await writing
    return count
  }

  /** Called before the files are renamed: if the report can't be written, the folder is unchanged. */
  #writeReport({ date }: Reading): void {
    const { report, paths, out } = this.#options
    if (report === undefined) return
    const head = { source: this.#name, paths, out, date, changedFiles: this.#staging.changed }
    try {
      writeFileSync(report, this.#report.json(head))
    } catch (error) {
      throw writeError(report, error)
    }
  }
}

/** Keeps the earlier layer's prices of games that were not imported. */
function withOtherGames(layer: Layer, games: ReadonlySet<GameSlug>, earlier: Layer | undefined): Layer {
  const others = new Set(gameSlugs.filter((game) => !games.has(game)))
  const byId = earlier?.byId.filter(({ id }) => others.has(gameOf(id))) ?? []
  const byName = earlier?.byName.filter(({ game }) => others.has(game)) ?? []
  return { ...layer, byId: [...byId, ...layer.byId], byName: [...byName, ...layer.byName] }
}

function* linesOf(records: readonly object[]): Generator<string> {
  for (const record of records) yield JSON.stringify(record)
}

function* cardLines(cards: readonly ComposedCard[]): Generator<string> {
  for (const card of cards) yield JSON.stringify(recordOf(card))
}

function namesById(source: CatalogSource | null, { cards }: SourceCatalog, ids: Ids): Map<string, string> {
  if (source === null) return new Map()
  return new Map(cards.map(({ key, name }) => [ids.idOf(source, key)!, name]))
}

/**
 * Reports cards that were renamed or are gone since the source's last import.
 * @param ids of the cards
 * @param earlier names by id; cards that still exist are removed from it
 */
function reportChanges(
  { cards }: SourceCatalog,
  ids: readonly string[],
  earlier: Map<string, string>,
  report: Report,
): void {
  cards.forEach(({ game, name }, i) => {
    const id = ids[i]!
    const before = earlier.get(id)
    if (before === undefined) return
    if (before !== name) report.renamed(game, id, before, name)
    earlier.delete(id)
  })
  for (const [id, name] of earlier) report.gone(gameOf(id), id, name)
}
