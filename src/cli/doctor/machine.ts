/** Examines the machine: Node.js, the HTTP library, the certificate, disks and descriptors. */
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { dayMs } from '../../calendar.ts'
import { loadLibrary } from '../../http/connections/uws.ts'
import { descriptorsForCallers, descriptorsMax, descriptorsOpen } from '../../platform/descriptors.ts'
import { expiryOf, readPair, wrongNow } from '../../process/certificate.ts'
import type { Pair } from '../../process/certificate-files.ts'
import { bad, type Found, type Look, ok, warn } from './finding.ts'
import { serverProcess } from './stored.ts'

const majors = [22, 24, 26]
/** A value below `low` gets the state `warn`, and a value below `min` gets `bad`. */
const certificateDays = { low: 21, min: 3 }
const diskBytes = { low: 2 * 1024 ** 3, min: 256 * 1024 ** 2 }
/** Each connection takes a descriptor. */
const descriptorsMin = 4096

export const lookAtNode: Look = async () => {
  const { node } = process.versions
  const found = `${node} on ${process.platform} ${process.arch}`
  try {
    loadLibrary()
  } catch {
    return bad(`${found}, in which no HTTP library loads`, 'docs/versions.md lists what the server runs on')
  }
  return majors.includes(Number.parseInt(node, 10)) ? ok(found) : warn(found, `use Node.js ${majors.join(', ')}`)
}

export const lookAtLibrary: Look = async () => {
  try {
    const { name, failsOnPieces } = loadLibrary()
    if (!failsOnPieces) return ok(name)
    return warn(
      `${name}, which answers 505 to requests whose first line arrives in pieces`,
      'use a machine with glibc 2.38 or later, or a proxy in front that sends requests whole',
    )
  } catch (error) {
    return bad((error as Error).message, 'no server can run here')
  }
}

export const lookAtCertificate: Look = async ({ TLS_CERT, TLS_KEY }) => {
  const renew = 'renew it, or check the clock; a running server notices the new files'
  let pair: Pair
  try {
    pair = await readPair({ cert: TLS_CERT!, key: TLS_KEY! })
  } catch (error) {
    return bad((error as Error).message, 'correct the files')
  }
  const wrong = wrongNow(pair)
  if (wrong !== undefined) return bad(wrong, renew)
  const days = Math.floor((expiryOf(pair) - Date.now()) / dayMs)
  return graded(days, certificateDays, `${days} days are left`, renew)
}

export const lookAtDisks: Look = async ({ INDEX_DIR, STORE_DIR }) => {
  const folders = Object.entries({ INDEX_DIR, STORE_DIR })
  const free = await Promise.all(folders.map(async ([name, folder]) => ({ name, bytes: await freeBytes(folder) })))
  const found = free.map(({ name, bytes }) => `${name} ${(bytes / 1e9).toFixed(1)} GB free`).join(', ')
  const advice = 'make room: a build needs as much as a version, and counts of requests must be written'
  return graded(Math.min(...free.map(({ bytes }) => bytes)), diskBytes, found, advice)
}

function graded(value: number, { low, min }: typeof diskBytes, found: string, advice: string): Found {
  if (value < min) return bad(found, advice)
  return value < low ? warn(found, advice) : ok(found)
}

/** The free bytes on the disk where the folder is, or would be created. */
async function freeBytes(folder: string): Promise<number> {
  let path = resolve(folder)
  while (!existsSync(path)) path = dirname(path)
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

export const lookAtDescriptors: Look = async ({ STORE_DIR }) => {
  const server = serverProcess(STORE_DIR)
  return (
    (server === undefined ? undefined : descriptorsOf(server, 'the server')) ??
    descriptorsOf(process.pid, 'a process started here') ??
    ok('this system does not report their limit')
  )
}

/** Compares the descriptors that the process has open with its limit. Undefined if the system does not report them. */
function descriptorsOf(pid: number, whose: string): Found | undefined {
  const used = descriptorsOpen(pid)
  // The process belongs to another user, or this is not Linux.
  if (used === undefined) return undefined
  const most = descriptorsMax(pid)
  const found = `${whose} has ${used} open and may have ${most}`
  const advice = 'each connection takes one: raise the limit (LimitNOFILE= in the unit, or ulimit -n)'
  if (used > descriptorsForCallers(most) * 0.9) return bad(found, advice)
  return most < descriptorsMin ? warn(found, advice) : ok(found)
}
