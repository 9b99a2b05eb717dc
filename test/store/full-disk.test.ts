/** A disk without room: a change is refused in one line, nothing that was made is lost, nothing that failed is there. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { accountNamed, createAccount } from '../../src/accounts/registry.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { amount } from '../support/amount.ts'
import { mountDisk, skipWithoutMounting } from '../support/programs.ts'

const skip = skipWithoutMounting()
const diskBytes = 8 * 2 ** 20

describe('a store on a disk that fills up', { skip }, () => {
  const disk = skip === false ? mountDisk(diskBytes) : undefined
  after(() => disk?.unmount())

  it('refuses to be written in one line, is read on, and is written when there is room again', async () => {
    const { folder, fill, free } = disk!
    let store = new Store(folder)
    createAccount(store, 'before', 'free', 0)
    const made = ['before']
    let refusals = 0
    const steps = amount(20, 40)
    try {
      // Room for a part of what a change writes: for none of it, for the WAL's pages, for some of the file's too.
      for (const left of Array.from({ length: steps }, (_, i) => i * (40 / steps) * 4096)) {
        fill(left)
        for (let attempt = 0; attempt < 10; attempt++) {
          const name = `${left} ${attempt}`
          try {
            createAccount(store, name, 'free', 0)
            made.push(name)
          } catch (error) {
            assert.ok(error instanceof AccountsError, String(error))
            assert.match(error.message, /^\S+accounts\.db can't be read or written \(database or disk is full\)$/)
            assert.equal(store.accountNumber(name), undefined, `${name} was refused, and is there`)
            refusals++
          }
          assert.equal(accountNamed(store, 'before').plan, 'free')
        }
        // As a command would find it.
        await store.close()
        free()
        store = new Store(folder)
      }
      assert.ok(refusals > steps / 2, `${refusals} were refused`)
      createAccount(store, 'later', 'free', 0)
      const names = [...store.allAccounts()].map(({ name }) => name)
      assert.deepEqual(names, [...made, 'later'])
      assert.equal(store.database.damage('integrity_check'), undefined)
    } finally {
      await store.close()
    }
  })
})
