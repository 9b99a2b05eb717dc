/**
 * Finds and loads uWebSockets.js; no other file does. The registry does not have it under its own name, so there are
 * three candidates, and the first that loads is used. Only loading a binary shows whether it runs on this machine:
 *
 *   1. upstream's own package, if the operator has installed it in place of the third
 *   2. v20.57, which needs glibc 2.38
 *   3. v20.49, which needs glibc 2.27, and answers 505 to a request whose first line arrives in several packets
 *
 * Other people have uploaded the last two, with upstream's binaries. So a file of these is loaded only if its SHA-256
 * is the one below.
 */

import type * as Uws from 'uWebSockets.js'
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { packageFolders } from '../../platform/packages.ts'

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js'

export interface Library {
  readonly api: typeof Uws
  /** The path of the loaded module. */
  readonly path: string
  /** Package and version. */
  readonly name: string
  /** True if this version has the bug of v20.49. */
  readonly failsOnPieces: boolean
  /** The reasons why earlier candidates did not load, one line each. */
  readonly passedOver: readonly string[]
}

/** The message is one line: what was tried, why each candidate failed, and what to do. */
export class LibraryError extends Error {}

interface Candidate {
  readonly folder: string
  /** The folder of the package's binaries; undefined if the package finds them itself. */
  readonly binaries?: string
  /** SHA-256 by platform, processor and the version of Node's binary interface. */
  readonly sums: Readonly<Record<string, string>>
  readonly failsOnPieces: boolean
}

const upstreamName = 'uWebSockets.js'
const thisBinary = `${process.platform}_${process.arch}_${process.versions.modules}`
const require = createRequire(import.meta.url)
/**
 * The key under which the main thread passes the chosen path to the other threads. So only one thread searches and
 * hashes.
 */
const chosenPath = 'http-library'

let library: Library | undefined

/** Loads the library. Throws LibraryError if no candidate loads. */
export function loadLibrary(): Library {
  library ??= findLibrary(packageFolders(upstreamName))
  if (isMainThread) setEnvironmentData(chosenPath, library.path)
  return library
}

/** The library, in any thread. Throws LibraryError if no candidate loads. */
export function uws(): typeof Uws {
  const path = getEnvironmentData(chosenPath)
  return typeof path === 'string' ? require(path) : loadLibrary().api
}

interface ListensWithOptions {
  listen(host: string, port: number, options: number, onListen: (socket: us_listen_socket | false) => void): void
}

const sharedPort = 0
const exclusivePort = 1

/**
 * Listens on a host with options. The library has this overload, but its types lack it.
 * @param port 0 for any free port
 * @param exclusive true if the port is not shared with other threads
 * @returns false if the port is in use
 */
export function listenOn(
  app: TemplatedApp,
  host: string,
  port: number,
  exclusive: boolean,
): Promise<us_listen_socket | false> {
  return new Promise((resolve) => {
    ;(app as TemplatedApp & ListensWithOptions).listen(host, port, exclusive ? exclusivePort : sharedPort, resolve)
  })
}

/**
 * Finds the first candidate that loads. Throws LibraryError if none does.
 * @param folders folders of packages, the nearest first
 */
export function findLibrary(folders: readonly string[]): Library {
  const passedOver: string[] = []
  for (const candidate of candidates) {
    const folder = folders.map((parent) => join(parent, candidate.folder)).find((path) => existsSync(manifestOf(path)))
    if (folder === undefined) {
      if (candidate.binaries !== undefined) passedOver.push(`${candidate.folder} is not installed`)
      continue
    }
    const manifest = JSON.parse(readFileSync(manifestOf(folder), 'utf8'))
    const isUpstream = manifest.name === upstreamName
    if (isUpstream !== (candidate.binaries === undefined)) continue
    const name = `${manifest.name} ${manifest.version}`
    const path = candidate.binaries === undefined ? folder : join(folder, candidate.binaries, `uws_${thisBinary}.node`)
    try {
      if (candidate.binaries !== undefined) checkSum(path, candidate.sums)
      const { failsOnPieces } = candidate
      return { api: require(path), path, name, failsOnPieces, passedOver }
    } catch (error) {
      passedOver.push(`${name}: ${(error as Error).message.split('\n', 1)[0]}`)
    }
  }
  throw new LibraryError(
    `No HTTP library loads in Node.js ${process.versions.node} on ${process.platform} ${process.arch}: ` +
      `${passedOver.join('; ')}. Use Node.js 22 on Linux with glibc or on macOS, or install upstream's own in its ` +
      'place, a release that covers this machine (github.com/uNetworking/uWebSockets.js)',
  )
}

const manifestOf = (folder: string) => join(folder, 'package.json')

function checkSum(path: string, sums: Candidate['sums']): void {
  const expected = sums[thisBinary]
  if (expected === undefined) throw new Error(`has no binary for ${thisBinary}`)
  const found = hash('sha256', readFileSync(path))
  if (found !== expected) throw new Error(`${path} has the SHA-256 ${found} and not ${expected}, so it is not loaded`)
}

// The checksums of the binaries in the versions that package-lock.json names.
const sumsOf57 = {
  darwin_arm64_127: '6180345d453e2e113feb2b0d76376493cd6a90056c3483fc22de7b0c340dc231',
  darwin_arm64_137: '2187391c702fa7ad3bf685eff7712c15cf24fa7cf324a131dfcbae3fd0f20a9a',
  darwin_arm64_141: '8555586f69116620ac17540b2a7a2459c5db1cebee5c36fd77157dd352fabf82',
  darwin_x64_127: 'fd551673f3ce1f104d7cec3ba8f628d9d04853eff1045c9d95983372ed90bca0',
  darwin_x64_137: '98fd7e9456e2d37d3262b05b053d673830927f91c63c0c2ae73bde8d19eef293',
  darwin_x64_141: 'e64e8a42347b5f9861b0f2bfa0981d8e48914e9b26ec73e133ba454d9a580777',
  linux_arm64_127: '82b79bd18d1e3563de336156005bd01b7f39fc387b65173d69a29da4ee79f895',
  linux_arm64_137: '88618b30ddf6b2b62310db89f40a701616676352aac5e0f6184dd8ef876199ce',
  linux_arm64_141: '81d0186dd1549ed6a7f47e68e323573fc27d69d2920527654ce2dd993af2b0ec',
  linux_x64_127: '4b55b1f2cb7a7913febbb65a89496412b96af77e838552980092ba6b33723aac',
  linux_x64_137: '98128405dba2fb608448e921a979530f70c946a2cc9889c15f2fa70c2d00ab05',
  linux_x64_141: '813d788b347c6fd76b779d8932311ec05a044e612b4b83af220f16e6ea789683',
}
const sumsOf49 = {
  darwin_arm64_127: 'abbeea53d48e21c01808203e9f9835728f2cea720d2e5b154837ee3045b513be',
  darwin_x64_127: 'afd992dc1ca1e33cdc7ce0c72a60baf236e590a257fcecbbbce7bc1a35451387',
  linux_arm64_127: 'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
  linux_arm_127: '0e1d4024b629a1fe17ec76cde8fe7e320101eb8bdcf7b2c4086933932e3cea23',
  linux_x64_127: '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
}

const candidates: readonly Candidate[] = [
  { folder: upstreamName, sums: {}, failsOnPieces: false },
  { folder: '@btc-vision/uwebsockets.js', binaries: '.', sums: sumsOf57, failsOnPieces: false },
  { folder: upstreamName, binaries: join('dist', 'bin'), sums: sumsOf49, failsOnPieces: true },
]
