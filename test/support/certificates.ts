/**
 * Makes certificates, replaces their files in several ways, and opens TLS connections that show which certificate is
 * served.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { temporaryFolder } from './command.ts'
import { requestText, Wire } from './proxy-wire.ts'

export interface Pair {
  readonly name: string
  readonly cert: string
  readonly key: string
}

const openssl = (...args: string[]) => promisify(execFile)('openssl', args)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/**
 * Makes a self-signed certificate with this common name, for 127.0.0.1, and its key.
 * @param keyOf a pair whose key is used; by default, a new key is made
 */
export async function makePair(name: string, keyOf?: Pick<Pair, 'key'>, days = 1): Promise<Pair> {
  const folder = temporaryFolder()
  const [cert, key] = [join(folder, 'cert.pem'), keyOf?.key ?? join(folder, 'key.pem')]
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1']
  const ofKey = keyOf === undefined ? [...newKey, '-keyout', key] : ['-key', key]
  await openssl('req', '-x509', ...ofKey, '-days', `${days}`, ...names, '-out', cert)
  return { name, cert, key }
}

/** Makes a certificate with a curve that Node.js supports and the HTTP library does not. */
export async function makeForeignPair(name: string): Promise<Pair> {
  const key = join(temporaryFolder(), 'key.pem')
  await openssl('ecparam', '-name', 'secp256k1', '-genkey', '-noout', '-out', key)
  return makePair(name, { key })
}

/**
 * Makes a certificate that was valid only on 2020-01-01. Of openssl's commands, only `ca` takes a start and an end
 * date.
 */
export async function makeExpiredPair(name: string): Promise<Pair> {
  const folder = temporaryFolder()
  const [cert, key, request] = [join(folder, 'cert.pem'), join(folder, 'key.pem'), join(folder, 'request.pem')]
  await openssl('req', '-new', ...newKey, '-subj', `/CN=${name}`, '-keyout', key, '-out', request)
  const authority = join(folder, 'authority.conf')
  const lines = ['[ca]', 'default_ca=own', '[own]', `new_certs_dir=${folder}`, `database=${folder}/issued`]
  writeFileSync(
    authority,
    [...lines, 'rand_serial=yes', 'default_md=sha256', 'policy=any', '[any]', 'CN=supplied'].join('\n'),
  )
  writeFileSync(join(folder, 'issued'), '')
  const days = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z']
  const own = ['-batch', '-selfsign', '-notext', '-config', authority, '-keyfile', key]
  await openssl('ca', ...own, ...days, '-in', request, '-out', cert)
  return { name, cert, key }
}

/** @param apartMs the time between the two replacements, for a way that replaces one file after the other */
export type Replacing = (folder: string, pair: Pick<Pair, 'cert' | 'key'>, apartMs?: number) => Promise<void> | void

/** Longer than a server waits for the second file. */
const usuallyApartMs = 700

const put = (folder: string, name: string, from: string) => {
  copyFileSync(from, join(folder, `${name}.new`))
  renameSync(join(folder, `${name}.new`), join(folder, name))
}

let generations = 0

/** The ways to replace cert.pem and key.pem in a folder. Each works, whichever way replaced the files before. */
export const ways: Readonly<Record<string, Replacing>> = {
  'by renaming': (folder, { cert, key }) => {
    put(folder, 'cert.pem', cert)
    put(folder, 'key.pem', key)
  },
  'in place': (folder, { cert, key }) => {
    copyFileSync(key, join(folder, 'key.pem'))
    copyFileSync(cert, join(folder, 'cert.pem'))
  },
  'one after the other': async (folder, { cert, key }, apartMs = usuallyApartMs) => {
    put(folder, 'key.pem', key)
    await pause(apartMs)
    put(folder, 'cert.pem', cert)
  },
  'links to an archive, as certbot does': (folder, { cert, key }) => {
    const generation = ++generations
    for (const [name, from] of [['cert', cert] as const, ['key', key] as const]) {
      copyFileSync(from, join(folder, `${name}${generation}.archived`))
      symlinkSync(join(folder, `${name}${generation}.archived`), join(folder, `${name}.link`))
      renameSync(join(folder, `${name}.link`), join(folder, `${name}.pem`))
    }
  },
  'the folder’s link, as Kubernetes does': (folder, { cert, key }) => {
    const data = join(folder, `..data${++generations}`)
    mkdirSync(data)
    copyFileSync(cert, join(data, 'cert.pem'))
    copyFileSync(key, join(data, 'key.pem'))
    symlinkSync(data, join(folder, '..link'))
    renameSync(join(folder, '..link'), join(folder, '..data'))
    for (const name of ['cert.pem', 'key.pem']) {
      symlinkSync(join('..data', name), join(folder, `${name}.link`))
      renameSync(join(folder, `${name}.link`), join(folder, name))
    }
  },
}

/** Mistakes in the files of a pair that is served, each with the server's message. */
export const spoilings: Readonly<Record<string, { readonly spoil: Replacing; readonly says: RegExp }>> = {
  'the key of another': {
    spoil: (folder, { cert }) => put(folder, 'cert.pem', cert),
    says: /cert\.pem is not a certificate for \S+key\.pem/,
  },
  'no certificate at all': {
    spoil: (folder) => writeFileSync(join(folder, 'cert.pem'), 'no certificate\n'),
    says: /cert\.pem is not a certificate for/,
  },
  'an empty file': { spoil: (folder) => writeFileSync(join(folder, 'key.pem'), ''), says: /is not a certificate for/ },
  'a file that is gone': {
    spoil: (folder) => rmSync(join(folder, 'key.pem')),
    says: /key\.pem can't be read \(ENOENT\)/,
  },
  'a folder': {
    spoil: (folder) => {
      rmSync(join(folder, 'cert.pem'))
      mkdirSync(join(folder, 'cert.pem'))
    },
    says: /cert\.pem can't be read \(EISDIR\)/,
  },
}

/** Sends requests over one TLS connection, one after the other. */
export class TlsCaller {
  readonly #wire: Wire
  readonly name: string

  private constructor(wire: Wire) {
    this.#wire = wire
    this.name = wire.certificateName
  }

  static async open(port: number): Promise<TlsCaller> {
    return new TlsCaller(await Wire.open(port, true))
  }

  /** Resolves with the status. Rejects if the connection ends before the response. */
  async ask(path: string, key: string): Promise<number> {
    const answer = await this.#wire.ask(requestText(path, key))
    if (answer === undefined) throw new Error('the connection was closed')
    return answer.status
  }

  close(): void {
    this.#wire.close()
  }
}

/** Returns the name in the certificate that a new connection gets. */
export async function nameServed(port: number): Promise<string> {
  const caller = await TlsCaller.open(port)
  const { name } = caller
  caller.close()
  return name
}
