/** Addresses of this server. */
import { isIPv6 } from 'node:net'
import type { Settings } from './settings.ts'

/** `http://HOST:PORT`, or https if the server speaks TLS itself. */
export function addressOf(host: string, port: number, { TLS_CERT }: Pick<Settings, 'TLS_CERT'>): string {
  return `${TLS_CERT === undefined ? 'http' : 'https'}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

export const signInAddress = (pages: string, token: string): string => `${pages}/sign-in/${token}`

const anyHost: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address at which this machine reaches a server that listens on `host`, which may be all addresses. */
export const hostHere = (host: string): string => anyHost[host] ?? host
