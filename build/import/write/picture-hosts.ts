/**
 * The hosts of imported pictures, for the field `images` of `about.json`. Pages show only pictures of these hosts. If
 * the field lists exactly the hosts of the last imports' pictures, an import wrote the list and the next import
 * replaces it. Any other list is the operator's own, and stays.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { imageHostsMax } from '../../../src/limits.ts'
import { compareTexts } from '../../../src/text-order.ts'
import { aboutName, aboutSchema, originOf } from '../../read/about.ts'

type Pictured = Iterable<{ readonly image: string | null }>

/**
 * The line of `about.json` with the hosts; undefined if the file need not be written.
 * @param line the line that this import writes for other reasons; undefined if the file would stay as it is
 * @param before the hosts of the pictures that the folder had
 * @param now the hosts of the pictures that the folder has now
 */
export function withPictureHosts(
  out: string,
  line: string | undefined,
  before: readonly string[],
  now: readonly string[],
): string | undefined {
  const about = line === undefined ? aboutIn(out) : JSON.parse(line)
  if (typeof about !== 'object' || about === null || Array.isArray(about)) return line
  const { images, ...others } = about as Record<string, unknown>
  // An empty list means that no pictures are shown. Imports never write it, so it is the operator's own.
  const isImports = !('images' in about) || (before.length > 0 && isDeepStrictEqual(images, before))
  if (!isImports || isDeepStrictEqual(images ?? [], now)) return line
  const named = now.length === 0 ? others : { ...others, images: now }
  // If anything else in the file is wrong, the build reports it.
  return v.is(aboutSchema, named) ? JSON.stringify(named) : line
}

/** The hosts with the most pictures, sorted by their texts. They are at most as many as `about.json` may have. */
export function pictureHostsOf(lists: Iterable<Pictured>): readonly string[] {
  const counts = new Map<string, number>()
  for (const cards of lists) {
    for (const { image } of cards) {
      if (image === null) continue
      // The scheme and the host, up to the path.
      const start = image.slice(0, image.indexOf('/', 'https://'.length))
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
  }
  const most = [...counts].sort(([a, manyA], [b, manyB]) => manyB - manyA || compareTexts(a, b))
  const hosts = new Set(most.map(([start]) => originOf(start)).filter((host) => host !== undefined))
  return [...hosts].slice(0, imageHostsMax).sort(compareTexts)
}

/** Reads about.json. Returns undefined if the file is not valid JSON. */
function aboutIn(out: string): unknown {
  const path = join(out, aboutName)
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}
