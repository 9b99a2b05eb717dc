/**
 * The one order of texts: by their UTF-16 code units, as `<` has it and `sort` by itself. No language's order: what a
 * build writes must not depend on the machine's.
 */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
