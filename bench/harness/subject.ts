/**
 * Prepares the subject of a run: a version that is built from the snapshot, and a store of accounts, both in a
 * temporary folder. Requests are made from its cards' ids and names, and from its keys.
 */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccount } from '../../src/accounts/registry.ts'
import { Catalog } from '../../src/catalog/catalog.ts'
import { loadVersion, type VersionFiles } from '../../src/indexes/load.ts'
import { readCurrent } from '../../src/indexes/manifest.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from './folder.ts'
import { cardPrices, projectDir, runToEnd } from './process.ts'

export interface Subject {
  /** The folder of the source code: this project's, or another commit's. */
  readonly tree: string
  readonly folder: string
  readonly indexDir: string
  readonly storeDir: string
  readonly version: VersionFiles
  /** Ids and names, by the card's index. */
  readonly ids: readonly string[]
  readonly names: readonly string[]
  /** The fields by which lists are filtered, by the card's index. */
  readonly listed: readonly ListedBy[]
  /** API keys, each of its own account on the Business plan. No run uses up that plan's quota. */
  readonly keys: readonly string[]
  /** The API key of an account on the Free plan. */
  readonly freeKey: string
}

export interface ListedBy {
  readonly game: string
  readonly setCode: string
  readonly number: string | null
}

/**
 * Prepares a subject. Its folder is removed when the process ends.
 * @param ready an index folder to measure, instead of one that is built from the snapshot
 */
export async function prepare(snapshots: string, keyCount: number, ready?: string): Promise<Subject> {
  const folder = temporaryFolder()
  const indexDir = ready ?? join(folder, 'indexes')
  const storeDir = join(folder, 'store')
  if (ready === undefined) await buildVersion(snapshots, indexDir)
  const current = await readCurrent(indexDir)
  if (current === null || current === undefined) throw new Error(`${indexDir} has no version`)
  const version = await loadVersion(indexDir, current)
  const { ids, names, listed } = cardsOf(version)
  const { keys, freeKey } = await makeAccounts(storeDir, keyCount)
  return { tree: projectDir, folder, indexDir, storeDir, version, ids, names, listed, keys, freeKey }
}

/** Returns the subject with a copy of its store. Services that run at the same time can't share a store. */
export async function withOwnStore(subject: Subject, name: string): Promise<Subject> {
  const storeDir = join(subject.folder, `store ${name}`)
  await cp(subject.storeDir, storeDir, { recursive: true })
  return { ...subject, storeDir }
}

/** Builds a version with the source code of `tree`, and returns the index folder. */
export async function buildVersion(snapshots: string, indexDir: string, tree = projectDir): Promise<string> {
  await runToEnd(cardPrices(tree, 'build', '--snapshots', snapshots, '--out', indexDir))
  return indexDir
}

function cardsOf(version: VersionFiles): Pick<Subject, 'ids' | 'names' | 'listed'> {
  const catalog = new Catalog(version)
  const ids: string[] = []
  const names: string[] = []
  const listed: ListedBy[] = []
  for (let number = 0; number < version.manifest.counts.cards; number++) {
    const { id, name, ...card } = JSON.parse(Buffer.from(catalog.details(number)).toString()).data
    ids.push(id)
    names.push(name)
    listed.push({ game: card.game, setCode: card.setCode, number: card.number })
  }
  return { ids, names, listed }
}

/** Creates all accounts in one change of the store. Separate changes would each wait for the disk. */
export async function makeAccounts(storeDir: string, count: number): Promise<Pick<Subject, 'keys' | 'freeKey'>> {
  const store = new Store(storeDir)
  try {
    return store.change(() => {
      const now = Date.now()
      const business = Array.from({ length: count }, (_, i) => createAccount(store, `bench ${i}`, 'business', now))
      return {
        keys: business.map(({ key }) => key),
        freeKey: createAccount(store, 'bench free', 'free', now).key,
      }
    })
  } finally {
    await store.close()
  }
}
