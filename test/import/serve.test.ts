/** Serves what was downloaded: callers get what was in the files, for every card, price and day. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type MirrorGroup, type MirrorPrice, type MirrorProduct, mirrorGroups } from '../fetch/mirror-groups.ts'
import { accounts, build, documentText, temporaryFolder } from '../support/command.ts'
import { recordsIn, runImportHere } from '../support/import.ts'
import { archiveDays, mirrorDay, writeArchive, writeMirror } from '../support/mirror.ts'
import { type Service, send, startService } from '../support/service.ts'

const dataDocument = documentText('docs/data.md')
const ownPriced = 'pokemon-bs-004-holofoil'
const isCard = ({ number, rarity }: MirrorProduct): boolean =>
  number !== undefined || (rarity !== undefined && rarity !== 'Code Card')

describe('what was imported is what is served', () => {
  const out = temporaryFolder()
  let service: Service
  let key: string
  const ask = async (path: string) => {
    const { status, json } = await send(service.address, path, { headers: { 'x-api-key': key } })
    assert.equal(status, 200, path)
    return json
  }
  const ids = new Map<string, string>()

  before(async () => {
    const overlay = join(temporaryFolder(), 'sales.csv')
    writeFileSync(overlay, `id;key;price\n${ownPriced};psa_10;12000.5\n${ownPriced};market;400.5\n`)
    const given: Readonly<Record<string, string>> = { DIR: writeMirror(), ARCHIVE_DIR: writeArchive(), prices: out }
    const documented = [...dataDocument.matchAll(/^card-prices import ([^&\n]*) --out prices$/gm)].map(([, args]) =>
      args!.split(' ').map((word) => given[word] ?? word),
    )
    assert.equal(documented.length, 2, 'docs/data.md imports a mirror and its archive')
    for (const args of [...documented, ['overlay', overlay, '--date', mirrorDay]]) {
      const { code, stderr, stdout } = await runImportHere(...args, '--out', out)
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^game .* left out$/m)
    }
    const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
    const built = await build(out, indexDir)
    assert.equal(built.code, 0, built.stderr)
    key = (await accounts(storeDir, 'create', 'all', '--plan', 'business')).key
    service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
    for (const { source, product, subType, id } of recordsIn(out, 'import'))
      if (source === 'tcgplayer' && id) ids.set(`${product} ${subType}`, id)
  })
  after(async () => {
    assert.equal(await service.stop(), 0)
  })

  interface Expected {
    readonly group: MirrorGroup
    readonly product: MirrorProduct
    readonly row: Omit<MirrorPrice, 'subType'> & { readonly subType: string | null }
  }
  const expected: readonly Expected[] = mirrorGroups.flatMap((group) =>
    group.products.filter(isCard).flatMap((product): Expected[] => {
      const prices = product.prices ?? []
      return prices.length === 0
        ? [{ group, product, row: { subType: null, market: null, low: null, mid: null, high: null } }]
        : prices.map((row) => ({ group, product, row }))
    }),
  )

  it('for every card and price', async () => {
    const seen = new Set<string>()
    for (const { group, product, row } of expected) {
      const id = ids.get(`${product.id} ${row.subType}`)!
      const { data } = await ask(`/v1/cards/${id}`)
      seen.add(id)
      const { market = null, low = null, mid = null, high = null } = row
      const isOwn = id === ownPriced
      const graded = isOwn ? { psa_10: 12000.5 } : {}
      assert.deepEqual(data.sources, isOwn ? ['sales', 'tcgplayer'] : ['tcgplayer'], id)
      assert.deepEqual(data.prices, { market: isOwn ? 400.5 : market, low, mid, high, conditions: {}, graded }, id)
      assert.equal(data.set, group.name)
      assert.equal(data.updatedAt, row.subType === null ? null : `${mirrorDay}T00:00:00Z`)
      const { data: found } = await ask(
        `/v1/search?q=${encodeURIComponent(data.name)}&set=${data.setCode}&game=${data.game}&limit=100`,
      )
      assert(
        found.some((hit: { id: string }) => hit.id === id),
        `${data.name} is found`,
      )
    }
    assert.equal(seen.size, expected.length, 'each has an id of its own')
    const { data: games } = await ask('/v1/games')
    const served = games.reduce((sum: number, { cardCount }: { cardCount: number }) => sum + cardCount, 0)
    assert.equal(served, expected.length, 'and there are no others')
  })

  it('for every set', async () => {
    const { data } = await ask('/v1/sets?limit=200')
    assert.deepEqual(
      data.map(({ name, cardCount }: { name: string; cardCount: number }) => `${name} ${cardCount}`).sort(),
      mirrorGroups.map((group) => `${group.name} ${expected.filter((card) => card.group === group).length}`).sort(),
    )
  })

  it('for every day', async () => {
    for (const { product, row } of expected) {
      const id = ids.get(`${product.id} ${row.subType}`)!
      const { data } = await ask(`/v1/cards/${id}/history?period=30d`)
      const days = row.subType === null ? [] : [...archiveDays, mirrorDay]
      const rows = days.map((date, i) => {
        const { market = null, low = null, high = null } = row
        const age = date === mirrorDay ? 0 : archiveDays.length - i
        if (id === ownPriced && date === mirrorDay) return { date, market: 400.5, low, high }
        return { date, market: market === null ? null : Math.max(Math.round(market * 100) - age, 0) / 100, low, high }
      })
      assert.deepEqual(
        data.history ?? data,
        rows.filter(({ market, low, high }) => market !== null || low !== null || high !== null),
        id,
      )
    }
  })
})
