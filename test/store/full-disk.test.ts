/** A disk without room: a change is refused in one line, nothing that was made is lost, nothing that failed is there. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { accountNamed, createAccount } from '../../src/accounts/registry.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { mountDisk } from '../support/disk.ts'
import { skipWithoutMounting } from '../support/programs.ts'

const skip = skipWithoutMounting()
const megabyte = 2 ** 20

describe('a store on a disk that fills up', { skip }, () => {
  const disk = skip === false ? mountDisk(8 * megabyte) : undefined
  after(() => disk?.unmount())

  it('refuses to be written in one line, is read on, and is written when there is room again', async () => {
    const { folder, fill, free } = disk!
    let store = new Store(folder)
    const made: string[] = []
    let failed = 0
    try {
      for (const left of [megabyte, 64 * 1024, 4096, 0]) {
        createAccount(store, `before ${left}`, 'free', 0)
        made.push(`before ${left}`)
        fill(left)
        for (let attempt = 0, refusals = 0; refusals < 20; attempt++) {
          assert.ok(attempt < 5000, 'the disk is full')
          const name = `${left} ${attempt}`
          try {
            createAccount(store, name, 'free', 0)
            made.push(name)
          } catch (error) {
            assert.ok(error instanceof AccountsError, String(error))
            assert.match(error.message, /^\S+accounts\.db can't be read or written \(database or disk is full\)$/)
            assert.equal(store.accountNumber(name), undefined, 'what was refused is not there')
            refusals++
            failed++
          }
          assert.equal(accountNamed(store, made[0]!).plan, 'free')
        }
        if (left === 4096) {
          await store.close()
          free()
          store = new Store(folder)
        }
        free()
      }
      createAccount(store, 'later', 'free', 0)
      const names = [...store.allAccounts()].map(({ name }) => name)
      assert.deepEqual(names, [...made, 'later'])
      assert.equal(failed, 80)
      assert.equal(store.database.damage('integrity_check'), undefined)
    } finally {
      await store.close()
    }
  })
})
