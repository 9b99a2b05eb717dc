/**
 * Compares texts by UTF-16 code units, as `<` and `sort` do. No language's order, because a build's files must not depend on the
 * machine's language.
 */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
