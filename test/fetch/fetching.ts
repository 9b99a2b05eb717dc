/** Fetches in this process, by a clock that is faster than the real one. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import { type FetchOptions, type FetchResult, fetchSource, type SourceName } from '../../build/fetch/fetch.ts'
import type { Chosen } from '../../build/fetch/fetch-command.ts'
import { FetchError } from '../../build/fetch/fetch-errors.ts'
import { type Clock, clockOf } from '../../build/fetch/publisher-host.ts'
import { gameSlugs } from '../../build/games/default-games.ts'
import type { PublicSource } from './public-source.ts'

/** So many times faster. */
const factor = 20
const faster = clockOf(factor)
const sleepMsMax = 60 * factor
/** Long waits are shorter still. */
export const clock: Clock = { now: faster.now, sleep: (ms) => faster.sleep(Math.min(ms, sleepMsMax)) }

/** Longer than this thread ever stands still on a busy machine. */
const patience = { ms: 10_000, bytes: 64 * 1024, resumeMs: 0 }
/** Where an answer is waited for in vain. */
export const shortPatience = { ...patience, ms: 400 }

export const fetchHere = (
  name: SourceName,
  source: PublicSource,
  out: string,
  options: Partial<FetchOptions> = {},
): Promise<FetchResult> =>
  fetchSource(name, { ...chosenOf(name, source)[1], out, games: gameSlugs, patience, ...options })

/** The choice of a source for `update`: its games are two of TCGCSV's, or Magic. */
export function chosenOf(
  name: SourceName,
  source: PublicSource,
  options: Partial<Chosen[number][1]> = {},
): Chosen[number] {
  const games = name === 'tcgcsv' ? (['pokemon', 'onepiece'] as const) : (['mtg'] as const)
  return [
    name,
    {
      games,
      from: source.url,
      agent: 'tests/1.0',
      again: true,
      quiet: true,
      token: undefined,
      clock,
      ...options,
    },
  ]
}

/** The line by which a fetch ends; undefined if it does not fail. */
export async function lineOf(fetching: Promise<unknown>): Promise<string | undefined> {
  try {
    await fetching
    return undefined
  } catch (error) {
    if (error instanceof FetchError) return error.message
    throw error
  }
}

/** Returns the result of a fetch, and its text on standard error. */
export async function notesOf<Result>(fetching: () => Promise<Result>): Promise<[result: Result, notes: string]> {
  const { mock: written } = mock.method(process.stderr, 'write', () => true)
  try {
    return [await fetching(), written.calls.map(({ arguments: [text] }) => text).join('')]
  } finally {
    written.restore()
  }
}

/** The paths of a source whose files are not in a mirror as they are published. */
export const differing = (source: PublicSource, mirror: string): string[] =>
  [...source.files].flatMap(([path, content]) => {
    const file = join(mirror, path.replace(/^\/(tcgplayer\/)?/, ''))
    return existsSync(file) && readFileSync(file, 'utf8').trim() === content.toString().trim() ? [] : [path]
  })
