/** The service with its pages in the test's own process: for what they show and do, not for the threads that serve them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { noReplication } from '../../src/accounts/replication/replication.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { describeInterface } from '../../src/api/description/document.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { withoutKeys } from '../../src/log/secrets.ts'
import type { BoundedServer } from '../../src/node-http/bounded-server.ts'
import { freePort } from '../../src/process/free-port.ts'
import { openQuota } from '../../src/quota/open-quota.ts'
import { Store } from '../../src/store/store.ts'
import { makeApp, pagesServer } from '../../src/web/app.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { Description } from '../../src/web/docs/description.ts'
import { makeLookUps } from '../../src/web/shared/look-ups.ts'
import { type App, CurrentData, type Site } from '../../src/web/site.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { Person } from './person.ts'

export interface HereOptions {
  readonly storeDir: string
  /** Without one, no version is there. */
  readonly indexDir?: string
  readonly trustsProxy?: boolean
}

export interface ServiceHere {
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  /** The same of its pages. */
  readonly pages: string
  /** The data that its pages show. */
  readonly data: CurrentData
  log(): string
  stop(): Promise<void>
}

const host = '127.0.0.1'

export async function startServiceHere({ storeDir, indexDir, trustsProxy = false }: HereOptions): Promise<ServiceHere> {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(withoutKeys(line)) })
  const accounts = await AccountsHost.open({ storeDir, log })
  const authenticator = new Authenticator(accounts.shared)
  const server = new Server({ settings: { API_FORM: 'A', TLS_CERT: undefined }, authenticator: authenticator, log })
  const [data, description] = [new CurrentData(), new Description()]
  const current = indexDir === undefined ? '' : join(indexDir, 'current')
  if (existsSync(current)) {
    const version = await loadVersion(indexDir!, readFileSync(current, 'utf8').trim())
    server.data = await openDataset(version)
    data.show(version, Date.now())
    const games = JSON.parse(Buffer.from(server.data.catalog.gamesBody()).toString())
    description.show(describeInterface('A', data.about, games))
  }
  const address = `http://${host}:${await server.apps.listen({ host, port: 0, exclusive: true })}`
  const store = new Store(storeDir)
  const parts = { accounts: accounts.shared, trustsProxy, api: address, data, description, log }
  const { pages, url } = await listenPages(store, parts)
  accounts.notePages(url)
  return {
    address,
    pages: url,
    data,
    log: () => lines.join(''),
    async stop() {
      await pages.close(0)
      await server.stop()
      await store.close()
      await authenticator.close()
      await accounts.close()
    },
  }
}

/** A person who is signed in, with the name and the key of their account. */
interface Shop {
  readonly person: Person
  readonly name: string
  readonly key: string
  readonly keyId: string
}

/**
 * The service runs during the tests of the file or `describe` that calls this.
 * @param publish publishes a version in the folder; by default no version is there
 */
export function servePages(publish?: (indexDir: string) => Promise<unknown>, trustsProxy = false) {
  const [storeDir, indexDir] = [temporaryFolder(), temporaryFolder()]
  let here: ServiceHere
  let shops = 0
  before(async () => {
    await publish?.(indexDir)
    here = await startServiceHere({ storeDir, indexDir, trustsProxy })
  })
  after(() => here.stop())
  return {
    storeDir,
    get address() {
      return here.address
    },
    get pages() {
      return here.pages
    },
    get data() {
      return here.data
    },
    log: () => here.log(),
    /** Makes an account, and opens that page of it. */
    async shop(plan = 'free', path = '/dashboard'): Promise<Shop> {
      const name = `shop ${++shops}`
      const { key, keyId } = await accounts(storeDir, 'create', name, '--plan', plan)
      const person = await Person.signedIn(here.pages, storeDir, name)
      await person.open(path)
      return { person, name, key, keyId }
    },
  }
}

/** The pages of `appOf` on a port of their own, which their links must have. */
export async function listenPages(
  store: Store,
  parts: Partial<Site> & Pick<Site, 'accounts'>,
): Promise<{ readonly pages: BoundedServer; readonly url: string }> {
  for (;;) {
    const port = await freePort(host, 0)
    const url = `http://${host}:${port}`
    const pages = pagesServer(appOf(store, { ...parts, url }), undefined)
    try {
      await pages.listen(host, port)
      return { pages, url }
    } catch (error) {
      // Another process has taken the port meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/** The pages of a server that shares its accounts with none. */
export function appOf(store: Store, parts: Partial<Site> & Pick<Site, 'accounts' | 'url'>): App {
  // Authenticators learn from the pages themselves, as threads do.
  const replication = parts.replication ?? noReplication()
  const quota = openQuota(parts.accounts.quota, store, parts.clock ?? Date.now)
  return makeApp({
    quota,
    store,
    replication,
    signIns: new SignIns(store, replication),
    others: undefined,
    api: parts.url,
    apiPort: undefined,
    trustsProxy: false,
    lookUps: makeLookUps(),
    assets: loadAssets(),
    clock: Date.now,
    data: new CurrentData(),
    description: new Description(),
    log: pino({ level: 'silent' }),
    desk: undefined,
    ...parts,
  })
}
