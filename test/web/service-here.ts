/** The service with its pages in the test's own process: for what they show and do, not for the threads that serve them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { Authenticator } from '../../src/accounts/authenticator.ts'
import { AccountsHost } from '../../src/accounts/host.ts'
import { openReplication } from '../../src/accounts/replication/replication.ts'
import { SignIns } from '../../src/accounts/sign-ins.ts'
import { openDataset } from '../../src/api/dataset.ts'
import { describeInterface } from '../../src/api/description/document.ts'
import { Server } from '../../src/http/server.ts'
import { loadVersion } from '../../src/indexes/load.ts'
import { withoutKeys } from '../../src/log/secrets.ts'
import { freePort } from '../../src/process/port.ts'
import { Store } from '../../src/store/store.ts'
import { makeApp, pagesServer } from '../../src/web/app.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { CurrentData } from '../../src/web/current-data.ts'
import { Description } from '../../src/web/description.ts'
import { LookUps } from '../../src/web/look-ups.ts'
import { HeldNewKeys } from '../../src/web/new-keys.ts'

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
    description.show(describeInterface('A', data.about))
  }
  const address = `http://${host}:${await server.apps.listen({ host, port: 0, exclusive: true })}`
  const store = new Store(storeDir)
  // Its authenticator learns from the pages themselves, as threads do.
  const replication = await openReplication(store, undefined, async () => undefined)
  const port = await freePort(host, 0)
  const url = `http://${host}:${port}`
  const parts = { newKeys: new HeldNewKeys(), lookUps: new LookUps(), others: undefined, assets: loadAssets() }
  const people = {
    store,
    accounts: accounts.shared,
    replication,
    signIns: new SignIns(store, replication),
    trustsProxy,
  }
  const app = makeApp({
    ...people,
    ...parts,
    url,
    api: address,
    apiPort: undefined,
    data,
    description,
    log,
    clock: Date.now,
  })
  const pages = pagesServer(app, undefined)
  await pages.listen(host, port)
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
