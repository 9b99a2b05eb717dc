/**
 * The version that a build starts from, and what the last build noted for the next one in `indexes/build.msgpack`.
 * Both may be missing or damaged: then all is compiled anew.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pack, unpack } from 'msgpackr'
import { detailsStart, readCardsPart, record } from '../../src/indexes/cards-file.ts'
import { IndexError } from '../../src/indexes/format.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { replaceFile } from '../../src/indexes/publish/durable.ts'
import { partsOf, type VersionFiles } from '../../src/indexes/version.ts'
import type { HistoryMemory } from '../compile/history/history.ts'
import { compiler } from './compiler.ts'

interface Note {
  /** The version that the build published. */
  readonly version: string
  readonly history: HistoryMemory
}

interface Base {
  readonly version: VersionFiles
  readonly history: HistoryMemory
}

const noteName = 'build.msgpack'

export const rememberBuild = (indexDir: string, note: Note): Promise<void> =>
  replaceFile(join(indexDir, noteName), pack({ compiler: compiler(), ...note }))

export async function readBase(indexDir: string): Promise<Base | null> {
  let note: Note & { compiler: string }
  try {
    note = unpack(await readFile(join(indexDir, noteName)))
  } catch {
    return null
  }
  if (note?.compiler !== compiler()) return null
  try {
    return { version: await loadVersion(indexDir, note.version), history: note.history }
  } catch (error) {
    if (error instanceof IndexError) return null
    throw error
  }
}

/** The ids by card number, as the card files hold them. */
export function idsOf(version: VersionFiles): string[] {
  const ids: string[] = []
  for (const part of partsOf(version, 'cards')) {
    const { bytes, at } = readCardsPart(part).details
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let i = 0; i + 1 < at.length; i++) {
      const start = at[i]! + record.text + detailsStart.length
      ids.push(text.toString('latin1', start, text.indexOf('"', start)))
    }
  }
  return ids
}
