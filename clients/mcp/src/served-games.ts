/** Fetches the games that the server has now, so that assistants know them. */
import * as z from 'zod'
import { firstGames } from '../../../src/lists/known-games.ts'

const timeoutMs = 2000
/** The games are cached for this time. */
const keptMs = 60_000

const parameters = z.array(
  z.object({ name: z.string().optional(), schema: z.object({ enum: z.array(z.string()).optional() }).optional() }),
)
const description = z.object({ paths: z.object({ '/v1/search': z.object({ get: z.object({ parameters }) }) }) })

/**
 * Returns a function that returns the games' ids. It reads them from the server's OpenAPI description, which needs no
 * key and costs no request of the quota. If that fails, it returns the eight built-in games.
 */
export function servedGamesOf(baseUrl: string): () => Promise<readonly string[]> {
  const address = `${baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '')}/openapi.json`
  let asked: Promise<readonly string[]> | undefined
  let askedAt = 0
  return () => {
    if (asked === undefined || performance.now() - askedAt > keptMs) {
      asked = gamesAt(address)
      askedAt = performance.now()
    }
    return asked
  }
}

async function gamesAt(address: string): Promise<readonly string[]> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) })
    const { paths } = description.parse(await response.json())
    const game = paths['/v1/search'].get.parameters.find(({ name }) => name === 'game')
    return game?.schema?.enum ?? firstGames
  } catch {
    return firstGames
  }
}
