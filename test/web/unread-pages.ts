/** A server with pages and metrics, and a request for each route of both. */
import { addAccount } from '../../src/accounts/registry.ts'
import { startSession } from '../../src/accounts/sign-ins.ts'
import { Store } from '../../src/store/store.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { makePair } from '../support/certificates.ts'
import { temporaryFolder } from '../support/command.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Service, startService } from '../support/service.ts'
import { textOf } from '../support/unread.ts'

export interface UnreadHere {
  readonly service: Service
  /** By what they are called, each as it is sent. */
  readonly pages: Readonly<Record<string, string>>
}

export const metricsRequests = {
  metrics: textOf('/metrics'),
  health: textOf('/healthz'),
  'no such path': textOf('/none'),
  'a wrong method': textOf('/metrics', '', 'DELETE'),
  'HEAD of the metrics': textOf('/metrics', '', 'HEAD'),
} as const

export async function startUnread(isTls: boolean): Promise<UnreadHere> {
  const [indexDir, storeDir] = [temporaryFolder(), temporaryFolder()]
  await fixtureIndex(indexDir)
  const store = new Store(storeDir)
  const now = Date.now()
  const session = store.change(() => startSession(store, addAccount(store, 'acme', 'trader', now).number, now))
  await store.close()
  const dirs = { INDEX_DIR: indexDir, STORE_DIR: storeDir }
  const pair = isTls ? await makePair('localhost') : undefined
  const tls = pair && { TLS_CERT: pair.cert, TLS_KEY: pair.key }
  const service = await startService({ ...dirs, WEB_PORT: '0', METRICS_PORT: '0', ...tls })
  return { service, pages: pagesRequests(`Cookie: cpl_session=${session}\r\n`) }
}

function pagesRequests(cookie: string): UnreadHere['pages'] {
  const assets = loadAssets()
  const gzip = 'Accept-Encoding: gzip\r\n'
  const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4\r\n'
  return {
    'the largest asset': textOf(assets.path('uplot.js')),
    'the largest asset, compressed': textOf(assets.path('uplot.js'), gzip),
    'the description': textOf('/openapi.json'),
    'the description, compressed': textOf('/openapi.json', gzip),
    'the first page': textOf('/'),
    'the guide': textOf('/docs'),
    'the reference': textOf('/docs/reference'),
    'the style': textOf(assets.path('style.css')),
    'HEAD of the largest asset': textOf(assets.path('uplot.js'), '', 'HEAD'),
    'no such page': textOf('/none'),
    'no such asset': textOf('/assets/none'),
    'no such link': textOf('/sign-in/none'),
    'a dashboard': textOf('/dashboard', cookie),
    'its keys': textOf('/dashboard/keys', cookie),
    'a dashboard of nobody': textOf('/dashboard'),
    'what was used': textOf('/dashboard/usage.json', cookie),
    'a look-up': textOf('/dashboard/look-up?q=charizard', cookie),
    'a card': textOf('/dashboard/cards/pokemon-base1-004', cookie),
    'a form': `${textOf('/sign-out', form, 'POST')}a=b&`,
    'a request without a host': 'GET / HTTP/1.1\r\n\r\n',
    'an expectation': textOf('/', 'Expect: all\r\n'),
    'empty lines': '\r\n'.repeat(20),
  }
}
