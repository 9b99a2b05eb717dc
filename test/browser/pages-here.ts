/** Shared by the browser's tests of a file: one server with pages over the small snapshot, one browser, and accounts. */
import { after, before } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { accounts, build, temporaryFolder } from '../support/command.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type Service, send, startService } from '../support/service.ts'
import { launchBrowser, type Visitor, visit } from './browser.ts'

export interface Shop {
  readonly name: string
  readonly key: string
  readonly keyId: string
}

export class PagesHere {
  readonly storeDir = temporaryFolder()
  readonly indexDir = temporaryFolder()
  service!: Service
  #browser!: Browser
  #shops = 0

  /** To be called in a group of tests. @param snapshots the fixture's by default */
  constructor(snapshots = fixtureSnapshot(), env: NodeJS.ProcessEnv = {}) {
    before(async () => {
      await build(snapshots, this.indexDir)
      const dirs = { STORE_DIR: this.storeDir, INDEX_DIR: this.indexDir }
      const [service, browser] = await Promise.all([
        startService({ ...dirs, WEB_PORT: '0', LOG_LEVEL: 'debug', ...env }),
        launchBrowser(),
      ])
      this.service = service
      this.#browser = browser
    })
    after(async () => {
      await this.#browser?.close()
      await this.service?.stop()
    })
  }

  /** A new account with one key, named `default`. */
  async shop(plan = 'trader', name = `shop ${++this.#shops}`): Promise<Shop> {
    const { key, keyId } = await accounts(this.storeDir, 'create', name, '--plan', plan)
    return { name, key, keyId }
  }

  /** @param options `baseURL`: where the pages are, if a proxy stands before them */
  visit(action: (visitor: Visitor) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    return visit(this.#browser, options.baseURL ?? this.service.pages, action, options)
  }

  /** A visit to a new account's dashboard. */
  async visitShop(
    action: (visitor: Visitor, shop: Shop) => Promise<void>,
    options: BrowserContextOptions & { readonly plan?: string; readonly name?: string } = {},
  ): Promise<void> {
    const { plan, name, ...others } = options
    const shop = await this.shop(plan, name)
    await this.visit(async (visitor) => {
      await visitor.signIn(this.storeDir, shop.name)
      await action(visitor, shop)
    }, others)
  }

  /** How PORT answers a request with that key. */
  async statusWith(key: string): Promise<number> {
    return (await send(this.service.address, '/v1/games', { headers: { 'x-api-key': key } })).status
  }
}
