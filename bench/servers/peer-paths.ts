/** The peers' paths, and the quota of a day. */
export const detailsPath = '/v1/cards/'
/** Before the query's text, as the scenarios have it. */
export const searchPath = '/v1/search?q='
export const batchPath = '/v1/cards/batch'
export const fixedPaths = ['/v1/games'] as const

/** The plan's requests a day. */
export const requestsPerDay = 100_000
