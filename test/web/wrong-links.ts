/** Sign-in links that are guessed, more of them than two minutes allow from one address. */
import assert from 'node:assert/strict'
import { wrongLinksPerMinuteMax } from '../../src/limits.ts'
import { send } from '../support/service.ts'

export const guessedLinks = 2 * wrongLinksPerMinuteMax + 1

const wrong = `/sign-in/${'A'.repeat(43)}`

/** Counts the pages among the answers. @param forwarded the address that a proxy reports for each, by default one each */
export async function guessLinks(pages: string, forwarded = (i: number) => `10.0.0.${i}`): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: guessedLinks }, async (_, i) => {
      const { status } = await send(pages, wrong, { headers: { 'x-forwarded-for': forwarded(i) } })
      return status
    }),
  )
  for (const status of statuses) assert.ok(status === 404 || status === 429, `${status}`)
  return statuses.filter((status) => status === 404).length
}
