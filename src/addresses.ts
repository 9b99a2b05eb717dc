/** Addresses of this server, and the networks of its visitors. */
import { isIPv6 } from 'node:net'
import type { Settings } from './settings.ts'

/** `http://HOST:PORT`, or https if the server speaks TLS itself. */
export function addressOf(host: string, port: number, { TLS_CERT }: Pick<Settings, 'TLS_CERT'>): string {
  return `${TLS_CERT === undefined ? 'http' : 'https'}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

export const signInAddress = (pages: string, token: string): string => `${pages}/sign-in/${token}`
export const operatorSignInAddress = (pages: string, token: string): string => `${pages}/operator/sign-in/${token}`

const anyHost = new Map(Object.entries({ '0.0.0.0': '127.0.0.1', '::': '::1' }))

/**
 * The address at which this machine reaches a server of its own that listens on `host`. `host` may stand for all
 * addresses.
 */
export const hostHere = (host: string): string => anyHost.get(host) ?? host

const groupsMax = 8
const zone = /%.*$/
/** The start of an IPv4 address written as IPv6: `::ffff:192.0.2.1`. */
const mapped = /^0:0:0:0:0:ffff:/

/**
 * The network of a visitor: all addresses that the visitor can choose from. For an IPv6 address, it is the /64. For an
 * IPv4 address, which may be written as IPv6, it is the address itself.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const shortest = new URL(`http://[${address.replace(zone, '')}]`).hostname.slice(1, -1)
  const [start, end] = shortest.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: groupsMax - start!.length - (end?.length ?? 0) }, () => '0')
  const groups = [...start!, ...zeros, ...(end ?? [])]
  if (!mapped.test(groups.join(':'))) return `${groups.slice(0, groupsMax / 2).join(':')}::/64`
  return groups
    .slice(-2)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
    .join('.')
}
