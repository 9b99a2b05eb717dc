/** A bad day is removed from the history as docs/data.md says. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, it } from 'node:test'
import { accounts, build, documentText, temporaryFolder } from '../support/command.ts'
import { importInto } from '../support/import.ts'
import { withGroups, writeMirror } from '../support/mirror.ts'
import { type Service, send, startService } from '../support/service.ts'

const card = 'pokemon-bs-001-holofoil'
const [out, indexDir, storeDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
let service: Service
let key: string

const importDay = (date: string, market: number): Promise<unknown> =>
  importInto(
    out,
    'tcgcsv',
    [
      writeMirror(
        withGroups({
          604: (group) => ({
            ...group,
            products: group.products.map((product) => ({ ...product, prices: [{ subType: 'Holofoil', market }] })),
          }),
        }),
      ),
    ],
    { date, force: true },
  )

async function served(): Promise<readonly string[]> {
  const { json } = await send(service.address, `/v1/cards/${card}/history?period=30d`, {
    headers: { 'x-api-key': key },
  })
  return json.data.history.map(({ date, market }: { date: string; market: number }) => `${date} ${market}`)
}

before(async () => {
  for (const [date, market] of [
    ['2026-11-19', 40],
    ['2026-11-20', 4000],
    ['2026-11-21', 41],
  ] as const)
    await importDay(date, market)
  assert.equal((await build(out, indexDir)).code, 0)
  key = (await accounts(storeDir, 'create', 'all', '--plan', 'business')).key
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
})
after(async () => {
  assert.equal(await service.stop(), 0)
})

it('its file is removed, and the build leaves its day out, beside an existing version', async () => {
  assert.deepEqual(await served(), ['2026-11-19 40', '2026-11-20 4000', '2026-11-21 41'])
  const [, remove, snapshots] = /^(rm prices\/history\/2026-11-20-\S+) && card-prices build --snapshots (\S+)$/m.exec(
    documentText('docs/data.md'),
  )!
  assert.equal(snapshots, 'prices')
  execFileSync('sh', ['-c', remove!.replace('prices', out)])
  const { code, stderr } = await build(out, indexDir)
  assert.deepEqual([code, stderr], [0, ''])
  await service.stop()
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir })
  assert.deepEqual(await served(), ['2026-11-19 40', '2026-11-21 41'])
})
