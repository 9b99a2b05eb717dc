/**
 * Compares texts by UTF-16 code units, as `<` and `sort` do. It does not use the order of a language, because a build's
 * files must not depend on the machine's language.
 */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
