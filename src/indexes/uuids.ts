/** UUIDs as numbers: four of 32 bits each, the most significant first, so that they sort as their texts do. */

/** Of a UUID, so many. */
export const uuidNumbers = 4
const digitsEach = 8

/** @param uuid as its text has it, in lower case */
export function numbersOfUuid(uuid: string): number[] {
  const digits = uuid.replaceAll('-', '')
  return Array.from({ length: uuidNumbers }, (_, i) =>
    Number.parseInt(digits.slice(i * digitsEach, (i + 1) * digitsEach), 16),
  )
}

/** Negative if the one at the place comes before the other. */
export function compareUuids(uuids: Uint32Array, place: number, other: ArrayLike<number>, otherPlace = 0): number {
  for (let i = 0; i < uuidNumbers; i++) {
    const difference = uuids[place * uuidNumbers + i]! - other[otherPlace * uuidNumbers + i]!
    if (difference !== 0) return difference
  }
  return 0
}
