/**
 * A process of people who click through the pages, and of one who floods them. Its argument is PeopleOptions as JSON; it
 * goes on until it is ended, and its last line is what it has seen.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Person } from '../support/person.ts'
import { randomFrom } from '../support/random.ts'
import { send } from '../support/service.ts'

export interface PeopleOptions {
  readonly pages: string
  /** `cpl_session=…`, a person each. */
  readonly cookies: readonly string[]
  /** Of cards that are there. */
  readonly ids: readonly string[]
  /** How many connections ask for pages as fast as they get them. */
  readonly flood: number
}

export interface Seen {
  readonly pages: number
  /** Statuses other than 200, and how often each came; 0 is none. */
  readonly others: Readonly<Record<number, number>>
  readonly flooded: number
}

const thinkMsMax = 2000

async function main({ pages, cookies, ids, flood }: PeopleOptions): Promise<void> {
  const random = randomFrom(3)
  const others: Record<number, number> = {}
  const addresses = [
    '/',
    '/dashboard',
    '/dashboard/keys',
    '/dashboard/usage.json',
    '/dashboard/look-up?q=charizard',
    ...ids.slice(0, 50).map((id) => `/dashboard/cards/${id}`),
  ]
  let [seen, flooded] = [0, 0]
  const floods = ['/sign-in/wrong', '/dashboard', '/look-up?q=charizard', `/cards/${ids[0]}`]
  const click = async (cookie: string) => {
    const person = new Person(pages)
    person.cookie = cookie
    for (;;) {
      const opened = person.open(addresses[Math.floor(random() * addresses.length)]!)
      // 0: the thread that made it has died.
      const { status } = await opened.catch(() => ({ status: 0 }))
      seen++
      if (status !== 200) others[status] = (others[status] ?? 0) + 1
      person.seen.length = 0
      await pause(random() * thinkMsMax)
    }
  }
  const stuff = async (cookie: string) => {
    for (;;) {
      const path = floods[Math.floor(random() * floods.length)]!
      const address = `10.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}.1`
      const headers = path.startsWith('/dashboard') ? { cookie } : { 'x-forwarded-for': address }
      await send(pages, path, { headers }).catch(() => undefined)
      flooded++
    }
  }
  for (const cookie of cookies) click(cookie)
  for (let i = 0; i < flood; i++) stuff(cookies[0]!)
  process.once('SIGTERM', () => {
    console.log(JSON.stringify({ pages: seen, others, flooded } satisfies Seen))
    process.exit(0)
  })
}

await main(JSON.parse(process.argv[2]!) as PeopleOptions)
