/** Files damaged at random, from a seed: cut, flipped, or with lines or records in another order. */
import { drawBelow, drawFrom } from '../support/random.ts'

export type Damage = 'cut' | 'flipped' | 'reordered' | 'doubled' | 'emptied'
const damages: readonly Damage[] = ['cut', 'flipped', 'flipped', 'reordered', 'doubled', 'emptied']

/** Changes one file; returns its name and what was done. */
export function damageOne(
  files: Map<string, string | Buffer>,
  random: () => number,
): readonly [name: string, damage: Damage] {
  const name = drawFrom(
    random,
    [...files.keys()].filter((key) => key !== 'categories'),
  )
  const bytes = Buffer.from(files.get(name)!)
  const damage = drawFrom(random, damages)
  files.set(name, damaged(bytes, damage, random))
  return [name, damage]
}

export function damaged(bytes: Buffer, damage: Damage, random: () => number): Buffer {
  if (damage === 'cut') return bytes.subarray(0, drawBelow(random, bytes.length))
  if (damage === 'emptied') return Buffer.alloc(0)
  const copy = Buffer.from(bytes)
  if (damage === 'flipped') {
    copy[drawBelow(random, copy.length)]! ^= 1 << drawBelow(random, 8)
    return copy
  }
  const at = drawBelow(random, copy.length)
  const [before, behind] = [copy.subarray(0, at), copy.subarray(at)]
  return damage === 'doubled' ? Buffer.concat([copy, behind]) : Buffer.concat([behind, before])
}
