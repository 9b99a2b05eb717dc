/** card-prices games: the games of a snapshot folder, and their lines in `games.ndjson`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Output, optionOf, ProgramCommand, UsageError } from '../src/command/command.ts'
import { table } from '../src/command/table.ts'
import { slugForm } from '../src/games.ts'
import { replaceFile } from '../src/indexes/publish/durable.ts'
import { foldCode } from '../src/names/fold.ts'
import { type FolderGames, gamesFile, gamesOf } from './games/folder-games.ts'
import { type GameRow, rowFrom } from './games/game-rows.ts'
import { type Category, categoriesIn, fitting } from './import/sources/tcgcsv/categories.ts'
import { withGame } from './import/write/choices.ts'
import { lockFolder } from './import/write/staging.ts'
import { snapshotFiles } from './read/files.ts'
import { readRecords } from './read/ndjson.ts'
import { Problems } from './read/snapshot-problems.ts'

interface Listing {
  readonly out: string
  readonly json?: true
}

interface Given {
  readonly out: string
  readonly id?: string
  readonly name?: string
  readonly language?: string
  readonly tcgplayer?: string
  readonly cardmarket?: string
  readonly pricecharting?: string
}

export function gamesCommand(output: Output): ProgramCommand {
  const command = new ProgramCommand('games', output)
    .description('Shows the games of a snapshot folder. With add or remove, changes its games.ndjson.')
    .option('--out <DIR>', 'the snapshot folder', 'prices')
    .addOption(optionOf('--json', 'prints JSON', 'no'))
    .examples('card-prices games', 'card-prices games add "Digimon Card Game" --id digimon')
    .action(async ({ out, json }: Listing) => {
      const games = await listedIn(out, await gamesOf(out))
      output.log(json ? JSON.stringify({ games }) : tableOf(games))
    })
  const outOf = () => command.opts<Listing>().out
  command
    .command('add')
    .description('Adds a game that the mirror of TCGCSV has: the next update fetches and imports it.')
    .argument('<NAME>', "the game's name, or words of it")
    .addOption(optionOf('--id <ID>', '2 to 20 of a-z 0-9, a letter first', 'letters and digits of the name'))
    .addOption(optionOf('--name <NAME>', 'what callers read', "the category's name"))
    .option('--language <LANGUAGE>', 'English or Japanese', 'English')
    .addOption(optionOf('--tcgplayer <NUMBER>', 'the number of its category', "as the mirror's categories have it"))
    .addOption(optionOf('--cardmarket <NUMBER>', 'the number of its price guide', 'none'))
    .addOption(optionOf('--pricecharting <CATEGORY:CONSOLE,…>', 'its price guide and consoles', 'none'))
    .action(async (name: string, given: Omit<Given, 'out'>) => {
      const row = await add(name, { ...given, out: outOf() })
      output.log(`${row.id}: ${row.name} is added; the next card-prices update fetches and imports it`)
    })
  command
    .command('remove')
    .description('Removes a game of which the folder has no cards.')
    .argument('<ID>', "the game's id")
    .action(async (id: string) => {
      await remove(id, outOf())
      output.log(`${id} is removed`)
    })
  return command
}

interface ListedGame {
  readonly id: string
  readonly name: string
  readonly language: string
  readonly cards: number
  readonly sets: number
  readonly tcgplayer: GameRow['tcgplayer'] | null
  readonly cardmarket: GameRow['cardmarket'] | null
  readonly pricecharting: GameRow['pricecharting'] | null
}

async function listedIn(out: string, { rows }: FolderGames): Promise<ListedGame[]> {
  const [cards, sets] = [await countsIn(out, 'cards'), await countsIn(out, 'sets')]
  return rows.map(({ id, name, language, tcgplayer = null, cardmarket = null, pricecharting = null }) => {
    const counts = { cards: cards.get(id) ?? 0, sets: sets.get(id) ?? 0 }
    return { id, name, language, ...counts, tcgplayer, cardmarket, pricecharting }
  })
}

/**
 * How many lines of the folder's files belong to each game. Wrong lines are ignored here, because the build reports
 * them.
 */
async function countsIn(out: string, folder: 'cards' | 'sets'): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const problems = new Problems()
  for (const file of await snapshotFiles(out, folder, 'ndjson', problems)) {
    await readRecords(file, problems, (record) => {
      const { game } = record as { readonly game?: unknown }
      if (typeof game === 'string') counts.set(game, (counts.get(game) ?? 0) + 1)
    })
  }
  return counts
}

function tableOf(games: readonly ListedGame[]): string {
  const rows = games.map(({ id, name, cards, sets, tcgplayer, cardmarket, pricecharting }) => {
    const known = { tcgplayer, cardmarket, pricecharting }
    const sources = Object.entries(known).flatMap(([source, row]) => (row === null ? [] : [source]))
    return [id, name, ...[cards, sets].map((count) => count.toLocaleString('en')), sources.join(', ')]
  })
  return table([['id', 'name', 'cards', 'sets', 'sources'], ...rows], [2, 3])
}

async function add(asked: string, given: Given): Promise<GameRow> {
  const { out } = given
  const release = await lockFolder(out)
  try {
    const games = await gamesOf(out)
    const category = given.tcgplayer === undefined ? categoryNamed(asked, given) : categoryNumbered(asked, given)
    const name = given.name ?? category.name
    const id =
      given.id ??
      foldCode(name)
        .replace(/[^a-z0-9]/g, '')
        .replace(/^[0-9]+/, '')
        .slice(0, 20)
    if (!slugForm.test(id)) throw new UsageError(`--id: must be 2 to 20 of a-z 0-9, a letter first (${id})`)
    const other = games.rows.find((row) => row.id === id || row.tcgplayer?.category === category.number)
    if (other !== undefined) throw new Error(`${other.id} (${other.name}) is a game of ${out} already`)
    const row = rowFrom({
      id,
      name,
      language: given.language ?? 'English',
      tcgplayer: { category: category.number, names: category.names },
      ...(given.cardmarket !== undefined && { cardmarket: Number(given.cardmarket) }),
      ...(given.pricecharting !== undefined && { pricecharting: guideIn(given.pricecharting) }),
    })
    if (typeof row === 'string') throw new UsageError(row)
    await write(out, [...linesIn(out), JSON.stringify(row)])
    await withGame(out, row.id, true)
    return row
  } finally {
    release()
  }
}

const mirrorOf = (out: string): string => join(out, 'import', 'mirror', 'tcgcsv')

function categoryNamed(asked: string, { out }: Given): Category {
  const mirror = mirrorOf(out)
  const categories = categoriesIn(mirror)
  const fetching = `run card-prices fetch tcgcsv --out ${mirror} (--again if it was asked today)`
  if (categories === undefined) throw new Error(`${mirror} has no categories yet: ${fetching}, which brings them`)
  const found = fitting(categories, asked)
  if (found.length === 0) throw new Error(`no category of TCGCSV is called ${asked}: ${fetching}, or give --tcgplayer`)
  if (found.length > 1) {
    const names = found.map(({ number, name }) => `${name} (--tcgplayer ${number})`)
    throw new Error(`several categories fit ${asked}: ${names.join(', ')}`)
  }
  return found[0]!
}

function categoryNumbered(asked: string, { out, tcgplayer, name = asked }: Given): Category {
  const number = /^[1-9]\d{0,8}$/.test(tcgplayer!) ? Number(tcgplayer) : undefined
  if (number === undefined) throw new UsageError(`--tcgplayer: must be a whole number above 0 (${tcgplayer})`)
  const known = categoriesIn(mirrorOf(out))?.find((category) => category.number === number)
  return { number, name, names: known?.names ?? [asked] }
}

/** `other-tcg-cards:Digimon,Digimon Card Game` */
function guideIn(text: string) {
  const colon = text.indexOf(':')
  const consoles = text.slice(colon + 1).split(',')
  return { category: text.slice(0, Math.max(colon, 0)), consoles: consoles.map((name) => name.trim()) }
}

async function remove(id: string, out: string): Promise<void> {
  const release = await lockFolder(out)
  try {
    await gamesOf(out)
    const lines = linesIn(out)
    const kept = lines.filter((line) => line.trim() === '' || JSON.parse(line).id !== id)
    if (kept.length === lines.length) throw new Error(`${join(out, gamesFile)} has no game ${id}`)
    const counts = {
      cards: (await countsIn(out, 'cards')).get(id) ?? 0,
      sets: (await countsIn(out, 'sets')).get(id) ?? 0,
    }
    if (counts.cards + counts.sets > 0)
      throw new Error(`${out} has ${counts.cards} cards and ${counts.sets} sets of ${id}, so it stays`)
    await write(out, kept)
    await withGame(out, id, false)
  } finally {
    release()
  }
}

function linesIn(out: string): string[] {
  const path = join(out, gamesFile)
  const text = existsSync(path) ? readFileSync(path, 'utf8').replace(/^\ufeff/, '') : ''
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}

const write = (out: string, lines: readonly string[]): Promise<void> =>
  replaceFile(join(out, gamesFile), Buffer.from(lines.map((line) => `${line}\n`).join('')))
