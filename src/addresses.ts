/** Addresses of this server, as those who open them write them. */
import { isIPv6 } from 'node:net'
import type { Settings } from './settings.ts'

/** `http://HOST:PORT`, or https where the server speaks TLS itself. */
export function addressOf(host: string, port: number, { TLS_CERT }: Pick<Settings, 'TLS_CERT'>): string {
  return `${TLS_CERT === undefined ? 'http' : 'https'}://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** The address of a sign-in link. */
export const signInAddress = (pages: string, token: string): string => `${pages}/sign-in/${token}`

const anyHost: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where this machine reaches its own server, which may listen on all addresses. */
export const hostHere = (host: string): string => anyHost[host] ?? host
