/** A disk without room: lmdb must not be the one to find out, since writes that fail can make it overwrite memory. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { accountNamed, createAccount } from '../../src/accounts/registry.ts'
import { storeSpareBytesMin } from '../../src/limits.ts'
import { AccountsError } from '../../src/store/accounts-error.ts'
import { Store } from '../../src/store/store.ts'
import { mountDisk } from '../support/disk.ts'
import { skipWithoutMounting } from '../support/programs.ts'

const skip = skipWithoutMounting()

describe('a store on a disk that fills up', { skip }, () => {
  const disk = skip === false ? mountDisk(4 * storeSpareBytesMin) : undefined
  after(() => disk?.unmount())

  it('refuses to be written in one line, is read on, and is written when there is room again', async () => {
    const { folder, fill, free } = disk!
    const store = new Store(folder)
    try {
      createAccount(store, 'before', 'free', 0)
      for (const left of [storeSpareBytesMin - 64 * 1024, 4096, 0]) {
        fill(left)
        for (let attempt = 0; attempt < 100; attempt++) {
          assert.throws(
            () => createAccount(store, 'meanwhile', 'free', 0),
            (error: Error) =>
              error instanceof AccountsError &&
              error.message === `the store ${folder} can't be written: its disk has less than 8 MB left`,
          )
        }
        assert.equal(accountNamed(store, 'before').plan, 'free')
        assert.equal(store.accountNumber('meanwhile'), undefined)
      }
      free()
      createAccount(store, 'later', 'free', 0)
      assert.equal(accountNamed(store, 'later').number, 1)
    } finally {
      await store.close()
    }
  })
})
