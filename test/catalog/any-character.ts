import fc from 'fast-check'

/** For `unit` of `fc.string`. fast-check's own, `binary`, takes seconds to make its tables. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))
