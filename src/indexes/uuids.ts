/** UUIDs as four 32-bit numbers each, the most significant first, so that they sort like their texts. */

/** Numbers of a UUID. */
export const uuidNumbers = 4
const digitsEach = 8

/** @param uuid in lower case */
export function numbersOfUuid(uuid: string): number[] {
  const digits = uuid.replaceAll('-', '')
  return Array.from({ length: uuidNumbers }, (_, i) =>
    Number.parseInt(digits.slice(i * digitsEach, (i + 1) * digitsEach), 16),
  )
}

/** Negative if the UUID at `place` comes before the other. */
export function compareUuids(uuids: Uint32Array, place: number, other: ArrayLike<number>, otherPlace = 0): number {
  for (let i = 0; i < uuidNumbers; i++) {
    const difference = uuids[place * uuidNumbers + i]! - other[otherPlace * uuidNumbers + i]!
    if (difference !== 0) return difference
  }
  return 0
}
