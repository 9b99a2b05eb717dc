/** Requests whose answers are left unread: to each route of the interface, in each way that is answered in another way. */
import { patternOf, routes } from '../../src/api/routes.ts'
import { addressOf } from '../api/route-requests.ts'

/** For each route and each way to ask for it, what it is called and the request. */
export function unreadRequests(key: string): ReadonlyMap<string, string> {
  const requests = new Map<string, string>()
  const head = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const withKey = `X-API-Key: ${key}\r\n`
  for (const route of routes) {
    const path = addressOf(route, { ...longest[route.operation] })
    const name = `${route.method} ${patternOf(route.path)}`
    if (route.method === 'POST') {
      const type = 'Content-Type: application/json\r\n'
      requests.set(name, `${head('POST', path, `${withKey}${type}Content-Length: 10\r\n`)}{"ids":[]}`)
      requests.set(`${name} without a key`, `${head('POST', path, `${type}Content-Length: 10\r\n`)}{"ids":[]}`)
    } else {
      requests.set(name, head('GET', path, withKey))
      requests.set(`${name} again`, head('GET', path, `${withKey}If-None-Match: *\r\n`))
      requests.set(`${name} without a key`, head('GET', path))
      requests.set(`HEAD ${patternOf(route.path)}`, head('HEAD', path))
    }
    requests.set(`OPTIONS ${patternOf(route.path)}`, head('OPTIONS', path))
    requests.set(`DELETE ${patternOf(route.path)}`, head('DELETE', path))
  }
  requests.set('no route', head('GET', '/nothing'))
  return requests
}

/** Parameters of the longest answer, by operation. */
const longest: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  searchCards: { limit: '100', view: 'full' },
  listCards: { limit: '100', view: 'full' },
  listSets: { limit: '200' },
  getCardHistory: { period: 'all' },
  getCardPrices: { days: '90' },
}
