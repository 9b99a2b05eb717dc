/** Writes snapshot folders for tests. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './command.ts'

/** Writes a snapshot with these files, by name. Records become NDJSON. Returns its folder. */
export function snapshotOf(
  files: Readonly<Record<string, string | Buffer | readonly object[]>>,
  folder = temporaryFolder(),
): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      Array.isArray(content)
        ? content.map((record) => `${JSON.stringify(record)}\n`).join('')
        : (content as string | Buffer),
    )
  }
  return folder
}

/** A valid set and a valid card, which tests vary. */
export const aSet = { game: 'pokemon', code: 'base1', name: 'Base Set', releaseDate: '1999-01-09' }
export const aCard = { id: 'pokemon-base1-004', game: 'pokemon', name: 'Charizard', setCode: 'base1', number: '004' }
/** The files of a snapshot with this set and this card. */
export const aSnapshot = { 'sets/a.ndjson': [aSet], 'cards/a.ndjson': [aCard] }
