/**
 * A person's real browser: Debian's Chromium, with an empty profile. A visit is one person's. It fails if
 *
 *   the browser asks another origin for anything, or a policy keeps it from doing so
 *   a script throws, the browser complains in its console, or a page opens a dialog
 *   an answer is an error that the test has not announced
 */
import assert from 'node:assert/strict'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { accounts } from '../support/command.ts'
import { pathOf } from '../support/programs.ts'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A loaded machine may take its time, half a minute to draw an operation of the reference. Only a fault takes longer. */
const actionMsMax = 150_000

/** @param ignoreDefaultArgs what the driver would switch off */
export const launchBrowser = (ignoreDefaultArgs: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: pathOf('chromium')!, args: flags, ignoreDefaultArgs, timeout: 300_000 })

/** The console's message for an answer that is an error; the answer itself is looked at. */
const ofAnAnswer = /^Failed to load resource: the server responded with a status of \d+ /

export class Visitor {
  readonly page: Page
  readonly context: BrowserContext
  /** Events that must not happen and did. */
  readonly failures: string[] = []
  readonly #announced = new Set<number>()
  readonly #origins: Set<string>

  constructor(page: Page, origin: string) {
    this.page = page
    this.context = page.context()
    this.#origins = new Set([origin])
    const { context, failures } = this
    context.on('request', (request) => {
      if (!this.#origins.has(new URL(request.url()).origin)) failures.push(`it asked for ${request.url()}`)
    })
    context.on('response', (response) => {
      const status = response.status()
      if (status >= 400 && !this.#announced.has(status))
        failures.push(`${new URL(response.url()).pathname} is ${status}`)
    })
    context.on('console', (message) => {
      if (message.type() === 'error' && !ofAnAnswer.test(message.text())) failures.push(`console: ${message.text()}`)
    })
    context.on('weberror', (error) => failures.push(`a script threw ${error.error().message}`))
    context.on('dialog', (dialog) => {
      failures.push(`a dialog says ${dialog.message()}`)
      dialog.dismiss().catch(() => undefined)
    })
  }

  /** Answers with that status belong to the test. */
  announce(status: number): void {
    this.#announced.add(status)
  }

  /** Pages may ask this origin, too. */
  expectFrom(origin: string): void {
    this.#origins.add(origin)
  }

  /** Opens a page, whose status must be that. */
  async open(path: string, status = 200): Promise<void> {
    if (status >= 400) this.announce(status)
    const response = await this.page.goto(path)
    assert.equal(response?.status(), status, path)
  }

  /** By a link of the operator's and the button. */
  async signIn(storeDir: string, account: string): Promise<void> {
    const { url } = await accounts(storeDir, 'sign-in', account)
    await this.open(new URL(url).pathname)
    await this.press('Sign in')
    await this.heading(account).waitFor()
    await this.page.waitForLoadState()
  }

  /** One of the account's, with its scripts. */
  async tab(name: 'Usage' | 'Keys' | 'Look up' | 'Value a list'): Promise<void> {
    const link = this.page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name, exact: true })
    await link.click()
    await this.heading(name).waitFor()
    await this.page.waitForLoadState()
  }

  /** On the tab of keys. @param expires YYYY-MM-DD */
  async createKey(name: string, expires = ''): Promise<void> {
    await this.tab('Keys')
    await this.fillKey(name, expires)
    await this.press('Create key')
  }

  async fillKey(name: string, expires = ''): Promise<void> {
    await this.page.getByLabel('Name', { exact: true }).fill(name)
    await this.page.getByLabel('Expires', { exact: true }).fill(expires)
  }

  /** On the tab that looks up. */
  async lookUp(name: string): Promise<void> {
    if (new URL(this.page.url()).pathname !== '/dashboard/look-up') await this.open('/dashboard/look-up')
    await this.page.getByLabel('Card name', { exact: true }).fill(name)
    await this.press('Search')
    await this.page.waitForURL((url) => url.searchParams.get('q') === name)
  }

  /** The text of the key that was just made. */
  async shownKey(): Promise<string> {
    return (await this.page.getByRole('status').innerText()).match(/cpl_live_[0-9A-Za-z]{38}/)![0]
  }

  press(button: string): Promise<void> {
    return this.button(button).click()
  }

  /** A button of a key's row; what is dangerous is in its menu. */
  async pressIn(key: string, button: 'Rename' | 'Regenerate' | 'Revoke'): Promise<void> {
    const row = this.row(key)
    if (button !== 'Rename') await row.getByText('More').click()
    await row.getByRole('button', { name: button, exact: true }).click()
  }

  button(name: string) {
    return this.page.getByRole('button', { name, exact: true })
  }

  heading(name: string) {
    return this.page.getByRole('heading', { name, exact: true })
  }

  /** The row of a table that has a cell with that text as its head. */
  row(name: string) {
    return this.page.getByRole('row').filter({ has: this.page.getByRole('rowheader', { name, exact: true }) })
  }

  /** The texts of a table's rows, its head's first. */
  async rows(caption: string): Promise<string[][]> {
    const table = this.page.getByRole('table', { name: caption, exact: true })
    await table.waitFor()
    const rows = await table.getByRole('row').all()
    return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
  }

  async leaves(): Promise<void> {
    await this.context.close()
    assert.deepEqual(this.failures, [])
  }
}

/** A visit from its first page to its end. */
export async function visit(
  browser: Browser,
  origin: string,
  action: (visitor: Visitor) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', timezoneId: 'Asia/Tokyo', ...options })
  context.setDefaultTimeout(actionMsMax)
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
       console.error('against the policy: ' + effectiveDirective + ' ' + blockedURI))`,
  )
  const visitor = new Visitor(await context.newPage(), origin)
  try {
    await action(visitor)
  } catch (error) {
    await visitor.context.close()
    if (visitor.failures.length === 0) throw error
    throw new Error(`${(error as Error).message}\n${visitor.failures.join('\n')}`, { cause: error })
  }
  await visitor.leaves()
}
