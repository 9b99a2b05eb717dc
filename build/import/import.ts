/**
 * The order of the steps, from a source's files to the snapshot folder.
 *
 *   files ──read, check──▶ sets, cards, prices of one source ──┐
 *   import/kept/: source cache, the last data of each source ──┼─▶ ids ─▶ compose ─▶ sets/, cards/ ─┐
 *   import/ids.ndjson: all ids and set codes ever assigned ────┘      └─▶ history/ ─────────────────┴─▶ all renamed
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GameSlug } from '../../src/games.ts'
import { historyDateMin } from '../../src/limits.ts'
import { compareTexts } from '../../src/text-order.ts'
import { mirrorStatus } from '../fetch-state.ts'
import { type FolderGames, gamesFile, gamesOf } from '../games/folder-games.ts'
import { aboutName } from '../read/about.ts'
import { gameOf, type Ids } from './ids.ts'
import { ImportErrors } from './import-errors.ts'
import type { Report } from './import-report.ts'
import {
  type CatalogSource,
  type ComposedCard,
  type Layer,
  type SourceCard,
  type SourceCatalog,
  unknownCents,
} from './source-catalog.ts'
import { isAfterTomorrow } from './source-values.ts'
import type { ImportOptions, Reading, Source } from './sources/source.ts'
import { type AssignedIds, assignAll, assignedIds } from './write/assign.ts'
import { CardChanges, changesFile, readImportChanges, withImport } from './write/changes.ts'
import {
  aboutWithCurrency,
  type Choices,
  checkLayers,
  choicesFile,
  chooseFor,
  type KeptChoices,
  pricedSource,
} from './write/choices.ts'
import { compose, composeCards } from './write/compose.ts'
import { cardsFilesIn, historyFile, idsFile, importedHistory, setsFile, sourceCacheFile } from './write/folder.ts'
import { type HeldSet, Holding, heldFile, readHeld } from './write/held.ts'
import { dayFiles, keptRows, writeEurosHistory, writeOwnHistory } from './write/history-files.ts'
import { lineCheck } from './write/line-check.ts'
import { pictureHostsOf, withPictureHosts } from './write/picture-hosts.ts'
import { checkDate, checkLayer, reportChanges, reportUnpricedSets } from './write/plausibility.ts'
import { reportFor, writeReport } from './write/report-file.ts'
import { lockFolder, Staging } from './write/staging.ts'
import { catalogLines, layerLines, loadCatalogs, loadIds, loadLayers } from './write/state.ts'
import type { LostProducts } from './write/tcgplayer-products.ts'

export interface ImportResult {
  readonly report: Report
  readonly date: string | null
  /** The source's held sets, which stay as they were. */
  readonly held: readonly HeldSet[]
  /** The paths of changed files, from the snapshot folder. */
  readonly changed: readonly string[]
  readonly unchanged: number
  readonly historyRows: number
}

/** The state that the steps of an import share. */
interface Run {
  /** All games of the folder. */
  readonly games: FolderGames
  readonly name: string
  readonly source: Source
  readonly options: ImportOptions & Choices
  /** The choices that the folder will remember. */
  readonly kept: KeptChoices
  /** True if the currency of the folder's prices changes. The folder's history then starts again. */
  readonly isAnew: boolean
  readonly staging: Staging
  readonly errors: ImportErrors
  readonly report: Report
}

/** Imports a source into a snapshot folder. Throws ImportError if anything is wrong; nothing is written then. */
export async function runImport(name: string, source: Source, options: ImportOptions): Promise<ImportResult> {
  const release = await lockFolder(options.out)
  const staging = new Staging(options.out)
  let report: Report | undefined
  try {
    const folder = await gamesOf(options.out)
    const { choices, kept, isNewCurrency: isAnew } = chooseFor(options.out, name, source, { ...options, folder })
    const { gamesOfPaths = choices.games } = options
    const games = new Set([...choices.games].filter((game) => gamesOfPaths.has(game)))
    const [errors, chosen] = [new ImportErrors(), { ...options, ...choices, games }]
    report = reportFor(options.report, options.keepsRecords === true, staging)
    return await run({ games: folder, name, source, options: chosen, kept, isAnew, staging, errors, report })
  } finally {
    try {
      report?.close()
      staging.discard()
    } finally {
      release()
    }
  }
}

async function run(run: Run): Promise<ImportResult> {
  const { name, source, options, isAnew, staging, errors, report } = run
  const { out, games, accept, force, prefer } = options
  const ids = loadIds(out, errors)
  const isLimited = games.size < run.games.slugs.length || options.partial
  const composes = !source.isHistoryOnly
  const catalogs: Map<CatalogSource, SourceCatalog> = composes
    ? loadCatalogs(out, source.catalog, isLimited, errors)
    : new Map()
  const layers: Map<string, Layer> = composes ? loadLayers(out, errors) : new Map()
  const mirrors = mirrorsOf(options, errors)
  errors.check()
  for (const [game, sets] of setsOfUnknownGames(catalogs.values(), run.games)) {
    errors.add(
      join(out, gamesFile),
      '',
      `lacks ${game}, of which the folder has ${sets} sets: card-prices games add adds it`,
    )
  }
  errors.check()
  const before = (source.catalog && catalogs.get(source.catalog)) ?? { sets: [], cards: [] }
  const earlier = new Map(before.cards.map((card) => [ids.idOf(source.catalog!, card.key)!, card]))
  const holding = new Holding({ source: source.catalog!, before, earlier: readHeld(out), ids, accept, force })
  let known: readonly ComposedCard[] | undefined
  const cards = () => (known ??= composeCards({ catalogs, assigned: assignedIds(catalogs, ids), ids, prefer, report }))
  const reading = await source.read({
    folder: run.games,
    options,
    errors,
    report,
    ids,
    before,
    hold: holding.hold,
    cards,
  })
  if (reading.date !== null) checkDay(reading.date, run)
  if (mirrorsOf(options, errors).some((revision, i) => revision !== mirrors[i]))
    errors.add(options.paths[0]!, '', 'changed by a fetch during the import; import it again after the fetch')
  errors.check()
  checkPlausibility(run, reading, before, layers)
  for (const [game, message] of holding.wrong) errors.add(options.paths[0]!, game, message)
  errors.check()
  const { removed, assigned, lost, rows } = composes
    ? await writeCards(run, reading, { catalogs, layers, ids, earlier, known, accepted: holding.accepted })
    : { removed: [] as string[], assigned: new Map(), lost: undefined, rows: 0 }
  if (!composes) {
    if (options.currency !== 'USD' || isAnew) errors.add(out, '', inDollars)
    else aboutWithCurrency(name, [], { out, currency: 'USD', isAnew, errors })
  }
  const historyRows = rows + (await writeHistory(run, reading, assigned, lost))
  errors.check()
  if (composes) await staging.writeLines(choicesFile, linesOf([run.kept]))
  if (isAnew) removed.push(...importedHistory(out).filter((file) => !staging.has(file) && !removed.includes(file)))
  if (composes) await staging.writeLines(idsFile, ids.lines())
  if (holding.held.length > 0) await staging.writeLines(heldFile, linesOf(holding.held))
  else if (existsSync(join(out, heldFile))) removed.push(heldFile)
  const held = composes ? holding.held.filter((set) => set.source === source.catalog) : []
  for (const { game, code, figures } of held) report.change('held', game, code, figures)
  for (const { game, code, figures } of holding.accepted) report.change('accepted', game, code, figures)
  // The report is written before the files are renamed. If the report can't be written, the folder stays unchanged.
  const head = { source: name, paths: options.paths, out, date: reading.date, changedFiles: staging.changed }
  if (options.report !== undefined) writeReport(options.report, report, head)
  const changed = [...staging.changed, ...removed]
  await staging.place(removed)
  return { report, date: reading.date, held, changed, unchanged: staging.unchanged, historyRows }
}

/** The number of sets of each game that the catalogs have and the folder's games lack. */
function setsOfUnknownGames(catalogs: Iterable<SourceCatalog>, { slugs }: FolderGames): ReadonlyMap<GameSlug, number> {
  const sets = [...catalogs].flatMap((catalog) => catalog.sets.filter(({ game }) => !slugs.includes(game)))
  return new Map([...Map.groupBy(sets, ({ game }) => game)].map(([game, own]) => [game, own.length]))
}

const inDollars = 'is in EUR: the history of these files is in US dollars'

/** The revision of each path that is a fetched mirror. Without --partial, an unfinished mirror is an error. */
const mirrorsOf = ({ paths, partial }: ImportOptions, errors: ImportErrors): (string | undefined)[] =>
  paths.map((path) => {
    const fetched = mirrorStatus(path)
    if (fetched?.isWhole === false && !partial) {
      const advice = 'run card-prices fetch again, which resumes it; --partial imports what it has'
      errors.add(path, '', `is a mirror whose fetch is unfinished: ${advice}`)
    }
    return fetched?.revision
  })

function checkDay(day: string, { options, errors }: Run): void {
  const [path] = options.paths as [string]
  if (isAfterTomorrow(day)) {
    const now = `${new Date().toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`
    errors.add(
      path,
      '',
      `has prices of ${day}, which is after tomorrow; this machine's clock says ${now}: is it right?`,
    )
  }
  if (day < historyDateMin)
    errors.add(path, '', `has prices of ${day}, before ${historyDateMin}: name their day with --date`)
}

/** Compares the prices with the source's last import. */
function checkPlausibility(
  { name, options, errors, report }: Run,
  reading: Reading,
  before: SourceCatalog,
  layers: ReadonlyMap<string, Layer>,
): void {
  const { catalog, layer } = reading
  const { paths, games, force, accept } = options
  const [path] = paths as [string]
  if (catalog !== undefined) {
    reportUnpricedSets(before, catalog, path, report)
    checkDate(reading, { before: before.cards, now: catalog.cards, path, force, errors })
  }
  if (layer !== undefined && !force)
    checkLayer(layers.get(layerFile(name, layer)), layer, { games, accept, path, errors })
}

const layerFile = (name: string, { label }: Layer): string =>
  sourceCacheFile(name === label ? label : `${name}-${label}`)

interface State {
  readonly catalogs: Map<CatalogSource, SourceCatalog>
  readonly layers: Map<string, Layer>
  readonly ids: Ids
  /** The source's cards after its last import, by id. */
  readonly earlier: Map<string, SourceCard>
  /** The composed cards without layers; undefined if reading the source did not need them. */
  readonly known: readonly ComposedCard[] | undefined
  /** The sets that the import accepts although they look wrong. */
  readonly accepted: readonly HeldSet[]
}

/**
 * Writes all files except the source's own history. `removed` are the files to remove, and `assigned` the ids of all
 * cards. `lost` has the cards of the source that do not own the TCGplayer product that they name
 * (tcgplayer-products.ts). `rows` is the number of history rows in euros.
 */
async function writeCards(
  { games: folderGames, name, source: { catalog: source }, options, isAnew, staging, errors, report }: Run,
  reading: Reading,
  { catalogs, layers, ids, earlier, known, accepted }: State,
): Promise<{ removed: string[]; assigned: AssignedIds; lost: LostProducts | undefined; rows: number }> {
  const { out, prefer, games, currency } = options
  const hostsBefore = pictureHostsOf([...catalogs.values()].map(({ cards }) => cards))
  let lost: LostProducts | undefined
  if (reading.catalog !== undefined && source !== null) {
    catalogs.set(source, reading.catalog)
    const own = assignAll(catalogs, ids, report, { source, cards: [...earlier.values()] })
    lost = own.lost.get(source)
    await staging.writeLines(sourceCacheFile(source), catalogLines(reading.catalog))
  }
  if (reading.layer !== undefined) {
    const file = layerFile(name, reading.layer)
    const layer = withOtherGames(reading, reading.layer, games, layers.get(file))
    layers.set(file, layer)
    await staging.writeLines(file, layerLines(layer))
  }
  const removed = reading.removes === undefined ? [] : removeLayer(reading.removes, layers, out, errors)
  const assigned = assignedIds(catalogs, ids)
  if (reading.catalog !== undefined && source !== null)
    reportChanges(reading.catalog, assigned.get(source)!, earlier, report)
  const inOrder = [...layers].sort(([a], [b]) => compareTexts(a, b)).map(([, layer]) => layer)
  const folder = { out, currency, isAnew, errors }
  checkLayers(inOrder, folder)
  const { sets, cardFiles, cards, ownPriced } = compose(
    { catalogs, assigned, ids, prefer, games: folderGames, report },
    known,
    inOrder,
    currency,
  )
  const named = aboutWithCurrency(pricedSource(catalogs, inOrder), inOrder, folder)
  const about = withPictureHosts(out, named?.[1], hostsBefore, pictureHostsOf([cards]))
  errors.check()
  const changes = new CardChanges(out)
  const check = lineCheck(report, folderGames, changes.add)
  for (const [file, records] of sets) await staging.writeLines(file, check.sets(file, records))
  for (const [file, own] of cardFiles) await staging.writeLines(file, check.cards(file, own))
  if (about !== undefined) await staging.writeLines(aboutName, [about])
  const written = [...sets.keys(), ...cardFiles.keys()]
  removed.push(...[...cardsFilesIn(out), ...prefer.map(setsFile)].filter((file) => !written.includes(file)))
  const days = { imported: reading.date, isAnew }
  const changed = changes.end(accepted)
  if (changed.length > 0)
    await staging.writeLines(changesFile, linesOf(withImport(readImportChanges(out), name, changed)))
  const rows = currency === 'EUR' ? await writeEurosHistory(cards, days, out, { staging, errors }) : 0
  removed.push(...(await writeOwnHistory(ownPriced, catalogs, inOrder, staging)))
  return { removed: removed.filter((file) => existsSync(join(out, file))), assigned, lost, rows }
}

/**
 * Removes the layer with this name from `layers`. Returns the layer's file in a list, which is empty if no layer has
 * the name.
 */
function removeLayer(name: string, layers: Map<string, Layer>, out: string, errors: ImportErrors): string[] {
  for (const [file, { label }] of layers) {
    if (label !== name) continue
    layers.delete(file)
    return [file]
  }
  const labels = [...layers.values()].map(({ label }) => label).join(', ') || 'none'
  errors.add(out, '', `has no layer ${name} (its layers: ${labels})`)
  return []
}

/**
 * Writes the source's own history. Returns the number of rows.
 * @param lost see `writeCards`; in US dollars these cards get no history
 */
async function writeHistory(
  run: Run,
  { history, catalog }: Reading,
  assigned: AssignedIds,
  lost: LostProducts | undefined,
): Promise<number> {
  const { source, options, staging, errors } = run
  if (history === undefined || source.catalog === null || (history.currency ?? 'USD') !== options.currency) return 0
  const all = assigned.get(source.catalog) ?? []
  const { kept: count = 0, ids = all.slice(count), isKept } = history
  const isLost = (i: number): boolean => options.currency === 'USD' && lost?.has(catalog!.cards[i]!.key) === true
  const keptIds = new Set(all.slice(0, count).filter((_, i) => !isLost(i)))
  const unpriced = [...ids.keys()].filter((i) => isLost(count + i))
  const stays = (id: string) => keptIds.has(id) || isKept?.(id) === true
  const fileOf = dayFiles(ids)
  let written = 0
  for await (const day of history.days()) {
    checkDay(day.day, run)
    if (errors.count > 0) continue
    const name = historyFile(day.day, source.catalog)
    const kept = count === 0 && isKept === undefined ? [] : keptRows(join(options.out, name), stays, errors)
    for (const i of unpriced) day.market[i] = unknownCents
    const file = await fileOf(day, kept)
    await staging.write(name, [file.bytes])
    written += file.rows
  }
  return written
}

/**
 * Adds prices of the layer's last import: those of games that were not imported now, those of guides that are missing
 * now, and those that the source keeps.
 */
function withOtherGames(
  { keeps = () => false }: Reading,
  layer: Layer,
  games: ReadonlySet<GameSlug>,
  earlier: Layer | undefined,
): Layer {
  const others = { has: (game: GameSlug): boolean => !games.has(game) }
  const byId = earlier?.byId.filter((price) => others.has(gameOf(price.id)) || keeps(price)) ?? []
  const cardmarketIds = earlier?.cardmarketIds.filter(({ id }) => others.has(gameOf(id))) ?? []
  const byName = earlier?.byName.filter(({ game }) => others.has(game)) ?? []
  const guides = new Set(layer.byProduct.map(({ games: [guide] }) => guide))
  const byProduct = earlier?.byProduct.filter(({ games: [guide] }) => others.has(guide!) || !guides.has(guide)) ?? []
  const joined = { byName: [...byName, ...layer.byName], byProduct: [...byProduct, ...layer.byProduct] }
  const joinedById = { byId: [...byId, ...layer.byId], cardmarketIds: [...cardmarketIds, ...layer.cardmarketIds] }
  return { ...layer, ...joinedById, ...joined }
}

function* linesOf(records: readonly object[]): Generator<string> {
  for (const record of records) yield JSON.stringify(record)
}
