/** Asks real servers of both forms, over the sample snapshot, what was asked of the version before. */
import { createHash } from 'node:crypto'
import { cpSync } from 'node:fs'
import type { ApiForm } from '../../src/settings.ts'
import { accounts, temporaryFolder } from '../support/command.ts'
import { sampleIndex } from '../support/sample.ts'
import { type Reply, type Service, send, startService } from '../support/service.ts'
import { type OldRequest, oldRequests } from './requests.ts'

export interface OldAnswer {
  readonly asked: OldRequest
  readonly reply: Reply
  /** Of status and body: 36 bits in base64, which tell a changed answer as well as more would. */
  readonly digest: string
}

const requestsAtOnce = 20

/** In the order of the requests, by default all. */
export async function answersNow(requests: readonly OldRequest[] = oldRequests()): Promise<OldAnswer[]> {
  const { indexDir, storeDir, keys } = await prepare()
  const services = { A: await serve('A', indexDir, storeDir), B: await serve('B', indexDir, storeDir) }
  try {
    const answers: OldAnswer[] = []
    for (let at = 0; at < requests.length; at += requestsAtOnce) {
      const some = requests.slice(at, at + requestsAtOnce)
      answers.push(...(await Promise.all(some.map((asked) => ask(asked, services, keys)))))
    }
    return answers
  } finally {
    await Promise.all([services.A.stop(), services.B.stop()])
  }
}

async function prepare() {
  const storeDir = temporaryFolder()
  const indexDir = await sampleIndex()
  const keys: Record<string, string> = { wrong: 'cpl_live_wrong' }
  for (const plan of ['business', 'trader', 'free']) {
    keys[plan] = (await accounts(storeDir, 'create', plan, '--plan', plan)).key
  }
  keys['spent'] = (await accounts(storeDir, 'create', 'spent', '--plan', 'free')).key
  return { indexDir, storeDir, keys }
}

/** A store has one server, so each gets a copy. */
async function serve(form: ApiForm, indexDir: string, from: string): Promise<Service> {
  const storeDir = temporaryFolder()
  cpSync(from, storeDir, { recursive: true })
  return startService({ INDEX_DIR: indexDir, STORE_DIR: storeDir, API_FORM: form })
}

/** By server: until its quota is used up. Requests are asked at the same time. */
const spending = new Map<string, Promise<void>>()

async function spend(address: string, key: string): Promise<void> {
  while ((await send(address, '/v1/games', { headers: { 'x-api-key': key } })).status === 200);
}

async function ask(
  asked: OldRequest,
  services: Readonly<Record<ApiForm, Service>>,
  keys: Readonly<Record<string, string>>,
): Promise<OldAnswer> {
  const { form, who, path, sent } = asked
  const { address } = services[form]
  const key = keys[who]
  if (who === 'spent') {
    if (!spending.has(address)) spending.set(address, spend(address, key!))
    await spending.get(address)
  }
  const headers = { ...sent.headers, ...(key === undefined ? {} : { 'x-api-key': key }) }
  const reply = await send(address, path, { ...sent, headers })
  return { asked, reply, digest: digestOf(reply) }
}

/** A version is named after the bytes of its files, which are not what a caller is answered; that of the software came later. */
const withoutVersion = (body: string) =>
  body.replace(/^(\{"status":"ok","version":")[^"]*(.*),"software":"[^"]*"/, '$1$2')

const digestOf = ({ status, body }: Reply): string =>
  createHash('sha256')
    .update(`${status} ${withoutVersion(body)}`)
    .digest('base64url')
    .slice(0, 6)
