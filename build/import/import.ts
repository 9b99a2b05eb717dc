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
import { historyDateMin } from '../../src/limits.ts'
import { compareTexts } from '../../src/text-order.ts'
import { mirrorStatus } from '../fetch-state.ts'
import { shown } from '../read/snapshot-problems.ts'
import type { CatalogSource, ComposedCard, Layer, SourceCard, SourceCatalog } from './catalog.ts'
import { ImportErrors } from './errors.ts'
import { gameOf, type Ids } from './ids.ts'
import { Report } from './report.ts'
import type { Import, ImportOptions, Reading, Source } from './sources/source.ts'
import { isAfterTomorrow } from './sources/values.ts'
import { type AssignedIds, assignAll, assignedIds } from './write/assign.ts'
import {
  aboutWithCurrency,
  type Choices,
  checkLayers,
  choicesFile,
  choicesLine,
  chooseFor,
  pricedSource,
} from './write/choices.ts'
import { compose, composeCards } from './write/compose.ts'
import { cardsFiles, historyFile, idsFile, importedHistory, setsFile, sourceCacheFile } from './write/folder.ts'
import { type HeldSet, Holding, heldFile, readHeld } from './write/held.ts'
import { HistoryRows, keptRows, writeEurosHistory, writeOwnHistory } from './write/history.ts'
import { LineCheck } from './write/line-check.ts'
import { checkDate, checkLayer, reportChanges, reportUnpricedSets } from './write/plausibility.ts'
import { catalogLines, layerLines } from './write/source-cache.ts'
import { lockFolder, Staging, writeError } from './write/staging.ts'
import { loadCatalogs, loadIds, loadLayers } from './write/state.ts'

export interface ImportResult {
  readonly report: Report
  readonly date: string | null
  /** The sets of the source that stay as they were. */
  readonly held: readonly HeldSet[]
  /** As seen from the snapshot folder. */
  readonly changed: readonly string[]
  readonly unchanged: number
  readonly historyRows: number
}

/** Throws ImportError if anything is wrong. Then nothing is written. */
export async function runImport(name: string, source: Source, options: ImportOptions): Promise<ImportResult> {
  const release = await lockFolder(options.out)
  const staging = new Staging(options.out)
  try {
    const { isNewCurrency, ...choices } = chooseFor(options.out, options, options.force)
    const chosen = { ...options, ...choices }
    return await new Run(name, source, chosen, isNewCurrency, staging).run()
  } finally {
    try {
      staging.discard()
    } finally {
      release()
    }
  }
}

const inDollars = 'is in EUR: the history of these files is in US dollars'

class Run {
  readonly #name: string
  readonly #source: Source
  readonly #options: ImportOptions & Choices
  /** The folder's prices change to another currency, and its history begins anew. */
  readonly #isAnew: boolean
  readonly #staging: Staging
  readonly #errors = new ImportErrors()
  readonly #report = new Report()
  /** All cards without layers, if the source has asked for them. */
  #cards: readonly ComposedCard[] | undefined

  constructor(name: string, source: Source, options: ImportOptions & Choices, isAnew: boolean, staging: Staging) {
    this.#name = name
    this.#source = source
    this.#options = options
    this.#isAnew = isAnew
    this.#staging = staging
  }

  async run(): Promise<ImportResult> {
    const errors = this.#errors
    const { out, games } = this.#options
    const ids = loadIds(out, errors)
    const isLimited = games.size < gameSlugs.length || this.#options.partial
    const composes = !this.#source.isHistoryOnly
    const catalogs = composes
      ? loadCatalogs(out, this.#source.catalog, isLimited, errors)
      : new Map<CatalogSource, SourceCatalog>()
    const layers = composes ? loadLayers(out, errors) : new Map<string, Layer>()
    const mirrors = this.#mirrors()
    errors.check()
    const before = (this.#source.catalog && catalogs.get(this.#source.catalog)) ?? { sets: [], cards: [] }
    const { catalog: source } = this.#source
    const earlier = new Map(before.cards.map((card) => [ids.idOf(source!, card.key)!, card]))
    const { accept, force } = this.#options
    const holding = new Holding({ source: source!, before, earlier: readHeld(out), ids, accept, force })
    const hold: Import['hold'] = (...args) => holding.hold(...args)
    const report = this.#report
    const composing = { catalogs, ids, prefer: this.#options.prefer, report }
    const cards = () => (this.#cards ??= composeCards({ ...composing, assigned: assignedIds(catalogs, ids) }))
    const task: Import = { options: this.#options, errors, report, ids, before, hold, cards }
    const reading = await this.#source.read(task)
    if (reading.date !== null) this.#checkDay(reading.date)
    this.#checkAccepted(ids)
    if (this.#mirrors().some((revision, i) => revision !== mirrors[i])) {
      errors.add(this.#options.paths[0]!, '', 'changed by a fetch during the import; import it again after the fetch')
    }
    errors.check()
    this.#checkPlausibility(reading, before, layers, holding)
    errors.check()
    const { removed, assigned, rows } = composes
      ? await this.#compose(reading, catalogs, layers, ids, earlier)
      : { removed: [] as string[], assigned: new Map(), rows: 0 }
    if (!composes) {
      if (this.#options.currency !== 'USD' || this.#isAnew) errors.add(out, '', inDollars)
      else aboutWithCurrency(out, this.#name, [], { currency: 'USD', isNewCurrency: false }, errors)
    }
    const historyRows = rows + (await this.#writeHistory(reading, assigned))
    errors.check()
    const choices = choicesLine(out, this.#options)
    if (composes && choices !== undefined) await this.#staging.writeLines(choicesFile, [choices])
    if (this.#isAnew)
      removed.push(...importedHistory(out).filter((name) => !this.#staging.has(name) && !removed.includes(name)))
    if (composes) await this.#staging.writeLines(idsFile, ids.lines())
    if (holding.held.length > 0) await this.#staging.writeLines(heldFile, linesOf(holding.held))
    else if (existsSync(join(out, heldFile))) removed.push(heldFile)
    const held = composes ? holding.held.filter((set) => set.source === source) : []
    for (const { game, code, figures } of held) this.#report.change('held', game, code, figures)
    this.#writeReport(reading)
    const changed = [...this.#staging.changed, ...removed]
    await this.#staging.place(removed)
    return { report: this.#report, date: reading.date, held, changed, unchanged: this.#staging.unchanged, historyRows }
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
    const [path] = this.#options.paths as [string]
    if (isAfterTomorrow(day)) this.#errors.add(path, '', `has prices of ${day}, which is after tomorrow`)
    if (day < historyDateMin)
      this.#errors.add(path, '', `has prices of ${day}, before ${historyDateMin}: name their day with --date`)
  }

  #checkAccepted(ids: Ids): void {
    for (const name of this.#options.accept) {
      const [game, code] = name.includes('/') ? name.split('/', 2) : [undefined, name]
      if (!gameSlugs.some((slug) => (game ?? slug) === slug && ids.sourcesOf(slug, code!).length > 0))
        this.#errors.add('--accept', '', 'must name sets by their codes, or by GAME/CODE', shown(name))
    }
  }

  /** Compares the prices with the source's last import. */
  #checkPlausibility(
    reading: Reading,
    before: SourceCatalog,
    layers: ReadonlyMap<string, Layer>,
    { wrong }: Holding,
  ): void {
    const { catalog, layer } = reading
    const { paths, games, force } = this.#options
    const [path] = paths as [string]
    if (catalog !== undefined) {
      reportUnpricedSets(before, catalog, path, this.#report)
      checkDate(reading, before.cards, catalog.cards, path, force, this.#errors)
      for (const [game, message] of wrong) this.#errors.add(path, game, message)
    }
    if (layer !== undefined && !force) checkLayer(layers.get(this.#layerFile(layer)), layer, games, path, this.#errors)
  }

  #layerFile({ label }: Layer): string {
    return sourceCacheFile(this.#name === label ? label : `${this.#name}-${label}`)
  }

  /** Returns the files to remove, the ids of all cards, and the history rows in euros. */
  async #compose(
    reading: Reading,
    catalogs: Map<CatalogSource, SourceCatalog>,
    layers: Map<string, Layer>,
    ids: Ids,
    earlier: Map<string, SourceCard>,
  ): Promise<{ removed: string[]; assigned: AssignedIds; rows: number }> {
    const { out, prefer, games, currency } = this.#options
    const report = this.#report
    const source = this.#source.catalog
    if (reading.catalog !== undefined && source !== null) {
      catalogs.set(source, reading.catalog)
      assignAll(catalogs, ids, report, { source, cards: [...earlier.values()] })
      await this.#staging.writeLines(sourceCacheFile(source), catalogLines(reading.catalog))
    }
    if (reading.layer !== undefined) {
      const name = this.#layerFile(reading.layer)
      const layer = withOtherGames(reading, reading.layer, games, layers.get(name))
      layers.set(name, layer)
      await this.#staging.writeLines(name, layerLines(layer))
    }
    const removed = reading.removes === undefined ? [] : this.#removeLayer(reading.removes, layers)
    const assigned = assignedIds(catalogs, ids)
    if (reading.catalog !== undefined && source !== null)
      reportChanges(reading.catalog, assigned.get(source)!, earlier, report)
    const inOrder = [...layers].sort(([a], [b]) => compareTexts(a, b)).map(([, layer]) => layer)
    checkLayers(inOrder, out, currency, this.#isAnew, this.#errors)
    const composing = { catalogs, assigned, ids, prefer, report }
    const { sets, cardFiles, cards, ownPriced } = compose(composing, this.#cards, inOrder, currency)
    const choices = { currency, isNewCurrency: this.#isAnew }
    const about = aboutWithCurrency(out, pricedSource(catalogs, inOrder), inOrder, choices, this.#errors)
    this.#errors.check()
    const check = new LineCheck(report)
    for (const [name, records] of sets) await this.#staging.writeLines(name, check.sets(name, records))
    for (const [name, own] of cardFiles) await this.#staging.writeLines(name, check.cards(name, own))
    if (about !== undefined) await this.#staging.writeLines(about[0], [about[1]])
    const written = [...sets.keys(), ...cardFiles.keys()]
    removed.push(...[...cardsFiles, ...prefer.map(setsFile)].filter((name) => !written.includes(name)))
    const writing = { staging: this.#staging, errors: this.#errors }
    const rows = currency === 'EUR' ? await writeEurosHistory(cards, reading.date, out, this.#isAnew, writing) : 0
    removed.push(...(await writeOwnHistory(ownPriced, catalogs, inOrder, this.#staging)))
    return { removed: removed.filter((name) => existsSync(join(out, name))), assigned, rows }
  }

  /** Returns its file. */
  #removeLayer(name: string, layers: Map<string, Layer>): string[] {
    for (const [file, { label }] of layers) {
      if (label !== name) continue
      layers.delete(file)
      return [file]
    }
    const labels = [...layers.values()].map(({ label }) => label).join(', ') || 'none'
    this.#errors.add(this.#options.out, '', `has no layer ${name} (its layers: ${labels})`)
    return []
  }

  async #writeHistory({ history }: Reading, assigned: AssignedIds): Promise<number> {
    const source = this.#source.catalog
    if (history === undefined || source === null || (history.currency ?? 'USD') !== this.#options.currency) return 0
    const rows = new HistoryRows(history.ids(assigned.get(source) ?? []))
    let count = 0
    /** One day is compressed and written while the next is read. */
    let writing: Promise<void> = Promise.resolve()
    for await (const day of history.days()) {
      this.#checkDay(day.day)
      if (this.#errors.count > 0) continue
      const name = historyFile(day.day, source)
      const { isKept } = history
      const kept = isKept === null ? [] : keptRows(join(this.#options.out, name), isKept, this.#errors)
      await writing
      writing = rows.file(day, kept).then(async ({ bytes, rows }) => {
        count += rows
        await this.#staging.write(name, [bytes])
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

/** Keeps the earlier layer's prices of games that were not imported, and those that the source keeps. */
function withOtherGames(
  { keeps = () => false }: Reading,
  layer: Layer,
  games: ReadonlySet<GameSlug>,
  earlier: Layer | undefined,
): Layer {
  const others = new Set(gameSlugs.filter((game) => !games.has(game)))
  const byId = earlier?.byId.filter((price) => others.has(gameOf(price.id)) || keeps(price)) ?? []
  const byName = earlier?.byName.filter(({ game }) => others.has(game)) ?? []
  const guides = new Set(layer.byProduct.map(({ games: [guide] }) => guide))
  const byProduct = earlier?.byProduct.filter(({ games: [guide] }) => others.has(guide!) || !guides.has(guide)) ?? []
  const joined = { byName: [...byName, ...layer.byName], byProduct: [...byProduct, ...layer.byProduct] }
  return { ...layer, byId: [...byId, ...layer.byId], ...joined }
}

function* linesOf(records: readonly object[]): Generator<string> {
  for (const record of records) yield JSON.stringify(record)
}
