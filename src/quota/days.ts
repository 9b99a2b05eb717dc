/** UTC days as whole numbers: days since 1970-01-01. A quota is for one of them. */

const dayMs = 86_400_000

export const dayOf = (ms: number): number => Math.floor(ms / dayMs)

/** The first moment after the day, in ms. */
export const dayEndMs = (day: number): number => (day + 1) * dayMs

/** YYYY-MM-DD */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)
