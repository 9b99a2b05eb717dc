/** The paths that peers serve, and their daily quota. */
export const detailsPath = '/v1/cards/'
/** The path of a search up to the query's text, as the scenarios send it. */
export const searchPath = '/v1/search?q='
export const batchPath = '/v1/cards/batch'
export const fixedPaths = ['/v1/games'] as const

/** The requests a day of each key. */
export const requestsPerDay = 100_000
