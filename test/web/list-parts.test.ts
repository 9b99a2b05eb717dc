/** The parts of a list that is valued: how far it has come, who waits, whose quota counts, and which candidates come first. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount } from '../../src/accounts/registry.ts'
import { reserveAccounts } from '../../src/accounts/shared.ts'
import { dayOfMs } from '../../src/calendar.ts'
import { listLinesMax } from '../../src/limits.ts'
import type { ListCard } from '../../src/lists/cards.ts'
import { readAll } from '../../src/lists/read-list.ts'
import { openQuota } from '../../src/quota/open-quota.ts'
import { Store } from '../../src/store/store.ts'
import { countRequests } from '../../src/web/lists/list-quota.ts'
import { ListRoom } from '../../src/web/lists/list-room.ts'
import { nearestFirst } from '../../src/web/lists/nearest.ts'
import { temporaryFolder } from '../support/command.ts'

describe('The requests of a list', () => {
  it('The requests of a list are counted all or none, and unused ones are refunded on the day they were counted', async (t) => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    t.after(() => store.close())
    let now = Date.parse('2026-11-22T23:59:59.990Z')
    createAccount(store, 'shop', 'free', now)
    const quota = openQuota(reserveAccounts(storeDir, false).quota, store, () => now)
    const allowance = { account: store.accountNumber('shop')!, limit: 200 }
    const count = (requests: number) => countRequests(quota, allowance, requests, () => now++)
    const left = () => quota.remaining(allowance, now)
    const first = await count(150)
    assert.equal(first.isCounted, true)
    const [before, today] = [dayOfMs(now) - 1, left()]
    assert.ok(today > 50 && today < 200, 'it began on one day and ended on the next')
    assert.deepEqual(await count(today + 1), { isCounted: false, left: today })
    assert.equal(left(), today)
    if (first.isCounted) first.refund(5)
    assert.deepEqual([left(), quota.remaining(allowance, before * 86_400_000)], [200, 195])
  })
})

describe('The room for lists', () => {
  it('The pages value two of the longest lists at a time, and the others wait in their order', async () => {
    const room = new ListRoom()
    const entered: number[] = []
    const enter = (name: number, lines: number) =>
      room.enter(lines).then((leave) => {
        entered.push(name)
        return leave!
      })
    const all = [enter(1, listLinesMax), enter(2, listLinesMax), enter(3, listLinesMax), enter(4, 1)]
    const [first, second] = await Promise.all(all.slice(0, 2))
    await new Promise(setImmediate)
    assert.deepEqual(entered, [1, 2])
    first!()
    first!()
    await all[2]
    assert.deepEqual(entered, [1, 2, 3])
    second!()
    await all[3]
    assert.deepEqual(entered, [1, 2, 3, 4])
  })

  it('A list that has waited too long for its turn is turned away, and takes no turn from others', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const room = new ListRoom()
    const leave = (await room.enter(2 * listLinesMax))!
    const waiting = room.enter(1)
    t.mock.timers.tick(20_000)
    assert.equal(await waiting, undefined)
    leave()
    assert.ok(await room.enter(2 * listLinesMax), 'the one that went away takes no room')
  })
})

describe('The candidates of a line', () => {
  const card = (id: string, more: Partial<ListCard> = {}) =>
    ({
      id,
      name: 'Onyx',
      set: 'Base Set',
      setCode: 'base1',
      number: '1',
      printing: 'Normal',
      rarity: null,
      ...more,
    }) as ListCard

  it('The candidates of a line are ordered by how well they agree with it, then as in a search', () => {
    const cases: readonly (readonly [line: string, order: string])[] = [
      ['name,set\nOnyx,Jungle\n', 'b a c d'],
      ['name,printing\nOnyx,Foil\n', 'c a b d'],
      ['name,number\nOnyx,7\n', 'd a b c'],
      ['1 Onyx\n', 'a b c d'],
      ['1 Onyx Dragon\n', 'd a b c'],
    ]
    const cards = [
      card('a'),
      card('b', { set: 'Jungle', setCode: 'base2' }),
      card('c', { printing: 'Foil' }),
      card('d', { name: 'Onyx Dragon', number: '7' }),
    ]
    for (const [text, order] of cases) {
      const [line] = readAll(text).lines
      const ordered = nearestFirst(
        text.includes('Dragon') ? cards : cards.map((each) => ({ ...each, name: 'Onyx' })),
        line!,
      )
      assert.equal(ordered.map(({ id }) => id).join(' '), order, text)
    }
  })
})
