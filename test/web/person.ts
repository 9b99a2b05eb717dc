/** A person with a browser that runs no scripts: it keeps the cookie, follows a redirect, and sends forms as they stand. */
import assert from 'node:assert/strict'
import { decodeHTMLStrict } from 'entities'
import { accounts } from '../support/command.ts'
import { type Reply, send } from '../support/service.ts'

export interface Form {
  readonly method: string
  readonly action: string
  /** The texts of its buttons. */
  readonly buttons: readonly string[]
  readonly fields: Readonly<Record<string, string>>
}

export class Person {
  readonly pages: string
  /** As their browser knows them. */
  readonly #origin: string
  /** By name, as they are sent, and where. */
  readonly #cookies = new Map<string, { readonly pair: string; readonly path: string }>()
  /** Every text of a page, a header or an address. */
  readonly seen: string[] = []
  /** The last opened page. */
  page: Reply | undefined
  /** Its address, behind the redirects. */
  path = ''

  constructor(pages: string, origin = pages) {
    this.pages = pages
    this.#origin = origin
  }

  /** The cookies that pages of an account get. */
  get cookie(): string {
    return this.cookieFor('/dashboard/keys')
  }

  set cookie(pairs: string) {
    this.#cookies.clear()
    for (const pair of pairs.split('; ')) this.#cookies.set(pair.split('=')[0]!, { pair, path: '/' })
  }

  /** With a link that an operator's command makes. */
  static async signedIn(pages: string, storeDir: string, account: string, origin = pages): Promise<Person> {
    const person = new Person(pages, origin)
    const { url } = await accounts(storeDir, 'sign-in', account)
    await person.open(new URL(url).pathname)
    const reply = await person.press('Sign in')
    assert.equal(reply.status, 200)
    return person
  }

  /** GET, and where it leads. */
  open(path: string): Promise<Reply> {
    return this.#ask(path, 'GET', {})
  }

  /** The form on the page whose button that is. @param which among several */
  press(button: string, fields: Record<string, string> = {}, which = 0): Promise<Reply> {
    const form = formsIn(this.page!.body).filter(({ buttons }) => buttons.includes(button))[which]
    assert.ok(form !== undefined, `there is no button ${button}`)
    return this.submit(form, fields)
  }

  submit(form: Form, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const body = new URLSearchParams({ ...form.fields, ...fields }).toString()
    if (form.method === 'get') return this.open(`${form.action.split('#')[0]}?${body}`)
    return this.post(form.action.split('#')[0]!, body, headers)
  }

  post(path: string, body: string, headers: Record<string, string> = {}): Promise<Reply> {
    const type = { 'content-type': 'application/x-www-form-urlencoded', origin: this.#origin }
    return this.#ask(path, 'POST', { ...type, ...headers }, body)
  }

  async #ask(path: string, method: string, headers: Record<string, string>, body?: string): Promise<Reply> {
    const cookie = this.cookieFor(path)
    const sent = { method, headers: { ...(cookie && { cookie }), ...headers } }
    const reply = await send(this.pages, path, body === undefined ? sent : { ...sent, body })
    this.seen.push(path, JSON.stringify(reply.headers), reply.body)
    for (const given of reply.headers['set-cookie'] ?? []) this.#keep(given)
    const { location } = reply.headers
    if (reply.status === 303) return this.open(location!.split('#')[0]!)
    this.page = reply
    this.path = path
    return reply
  }

  #keep(given: string): void {
    const [pair = '', ...attributes] = given.split('; ')
    const name = pair.split('=')[0]!
    const path = attributes.find((each) => each.startsWith('Path='))?.slice('Path='.length) ?? '/'
    if (attributes.includes('Max-Age=0')) this.#cookies.delete(name)
    else this.#cookies.set(name, { pair, path })
  }

  /** What a browser sends to that path. */
  cookieFor(path: string): string {
    const sent = [...this.#cookies.values()].filter((one) => path.startsWith(one.path))
    return sent.map(({ pair }) => pair).join('; ')
  }
}

export function formsIn(page: string): Form[] {
  return [...page.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, attributes, inside]) => ({
    method: attribute(attributes!, 'method') ?? 'get',
    action: attribute(attributes!, 'action') ?? '',
    buttons: [...inside!.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, text]) => text!),
    fields: Object.fromEntries(
      [...inside!.matchAll(/<input([^>]*)>/g)].map(([, input]) => [
        attribute(input!, 'name')!,
        attribute(input!, 'value') ?? '',
      ]),
    ),
  }))
}

const attribute = (text: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1]

/** The rows of a table, each as the texts of its cells. */
export function rowsOf(page: string, caption: string): string[][] {
  const table = [...page.matchAll(/<table[^>]*>.*?<\/table>/gs)].find(([text]) =>
    text.includes(`>${caption}</caption>`),
  )
  assert.ok(table !== undefined, `there is no table ${caption}`)
  return [...table[0].matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => textOf(cell!)),
  )
}

/** The text that a reader sees. */
export const textOf = (markup: string): string =>
  decodeHTMLStrict(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

/** The responses that a browser loads for a page, and their bytes as sent: also the modules that its scripts import. @param cookie of a session */
export async function weightOf(
  pages: string,
  path: string,
  cookie = '',
): Promise<{ responses: number; bytes: number }> {
  const { body } = await send(pages, path, { headers: { cookie } })
  const parts = new Set([...body.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, part]) => part!))
  const headers = { 'accept-encoding': 'gzip', cookie }
  // A set's iteration goes on to what is added meanwhile.
  for (const part of parts) {
    if (!part.endsWith('.js')) continue
    const { body: script } = await send(pages, part)
    for (const [, name] of script.matchAll(/ from '\.\/([a-z-]+\.js)'/g)) parts.add(part.replace(/[^/]*$/, name!))
  }
  const replies = await Promise.all([path, ...parts].map((each) => send(pages, each, { headers })))
  for (const { status } of replies) assert.equal(status, 200)
  return { responses: replies.length, bytes: replies.reduce((sum, { bytes }) => sum + bytes.length, 0) }
}

/** The key that the page shows. */
export const shownKey = (page: string): string | undefined => /cpl_live_[0-9A-Za-z]{38}/.exec(page)?.[0]
