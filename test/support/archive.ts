/** Archive days of the mirror in small. */
import { gzipSync } from 'node:zlib'
import { type MirrorGroup, mirrorGroups } from '../fetch/mirror-groups.ts'
import { pricesJson, writeFiles } from './mirror.ts'

/** Ten days before the mirror's own. */
export const archiveDays = Array.from({ length: 10 }, (_, i) => `2026-11-${String(10 + i).padStart(2, '0')}`)
/** A day of the archive: each price is a little lower the older it is. */
const older = (group: MirrorGroup, age: number): MirrorGroup => ({
  ...group,
  products: group.products.map((product) => ({
    ...product,
    prices: (product.prices ?? []).map((row) => ({
      subType: row.subType,
      market: row.market == null ? null : Math.max(Math.round(row.market * 100) - age, 0) / 100,
      low: row.low ?? null,
      high: row.high ?? null,
    })),
  })),
})

/** `YYYY-MM-DD/{category}/{group}/prices` of all days, in each of its forms. */
export function writeArchive(): string {
  const files = new Map<string, string | Buffer>()
  archiveDays.forEach((day, i) => {
    for (const group of mirrorGroups) {
      const text = pricesJson(older(group, archiveDays.length - i))
      const name = `${day}/${group.category}/${group.id}/prices`
      if (i % 3 === 0) files.set(`${name}.gz`, gzipSync(text))
      else files.set(i % 3 === 1 ? name : `${name}.json`, text)
    }
  })
  return writeFiles(files)
}
