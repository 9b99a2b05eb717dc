/**
 * Pushes the current version to another folder, from which servers download it: a web server's folder, or a mount of one.
 *
 *   DIR/.pushing-HOST-PID-START-XXXX/   1. each file is copied here, verified, synced, then renamed to its place
 *   DIR/VERSION/…                       2. the manifest is the last of them
 *   DIR/current                         3. replaced when all files are there
 *
 * A push skips files that are already there, so a retry continues after a crash. It never changes a different file, because a
 * version's name stands for its bytes. So several pushes may run at once, from any machine: `current` always names a complete
 * version. A lock would not work across machines.
 */
import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Sum } from '../../checksum.ts'
import { pushLeftMsMax } from '../../limits.ts'
import { isAlive, startOf } from '../../platform/process-start.ts'
import { IndexError, unlessDamaged } from '../format.ts'
import {
  currentName,
  isVersionName,
  type Manifest,
  manifestName,
  manifestText,
  readCurrent,
  readManifest,
} from '../manifest.ts'
import { checksumOfFile } from '../plain-file.ts'
import { inFolder } from './disk-errors.ts'
import { replaceFile, syncFolder, writeSynced } from './durable.ts'

export interface Pushed {
  readonly version: string
  /** Files that were not there before. */
  readonly files: number
  readonly bytes: number
}

const stagingName = /^\.pushing-(.+)-(\d+)-(\d+)-[0-9a-f]{8}$/

/** Throws Error with one line if there is no version, a file is damaged, or the target has a different file. */
export async function push(indexDir: string, target: string): Promise<Pushed> {
  const version = await readCurrent(indexDir)
  if (version === undefined) throw new Error(`no version is published in ${indexDir} yet`)
  const manifest = await readManifest(indexDir, version)
  return inFolder(target, 'what is current there is as it was', async () => {
    checkTarget(target, await unlessMissing(readdir(target)))
    await mkdir(join(target, version), { recursive: true })
    await removeRemains(target)
    const id = `${hostname()}-${process.pid}-${startOf(process.pid) || 0}-${randomBytes(4).toString('hex')}`
    const staging = join(target, `.pushing-${id}`)
    await mkdir(staging)
    try {
      const pushed = await pushFiles(indexDir, target, staging, manifest)
      // A damaged `current` is replaced.
      if ((await unlessDamaged(readCurrent(target))) !== version) {
        await replaceFile(join(target, currentName), Buffer.from(`${version}\n`), join(staging, currentName))
      }
      return { version, ...pushed }
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  })
}

/** Rejects a folder that has files but no version, because its name may be mistyped. */
function checkTarget(target: string, names: readonly string[] | undefined): void {
  if (names === undefined) throw new Error(`the folder ${target} does not exist: create it if versions belong there`)
  const others = names.filter((name) => !name.startsWith('.') && name !== 'lost+found')
  if (others.length > 0 && !others.some((name) => name === currentName || isVersionName(name))) {
    throw new Error(`${target} has other files and no version: name the folder of versions, or an empty one`)
  }
}

async function pushFiles(indexDir: string, target: string, staging: string, manifest: Manifest) {
  const [from, to] = [join(indexDir, manifest.version), join(target, manifest.version)]
  let files = 0
  let bytes = 0
  for (const file of manifest.files) {
    const path = join(to, file.name)
    const there = await unlessMissing(checksumOfFile(path))
    if (there === undefined) {
      await putVerified(join(from, file.name), join(staging, file.name), file)
      await rename(join(staging, file.name), path)
      files++
      bytes += file.bytes
    } else if (!isSame(there, file)) throw new Error(differs(path))
  }
  await pushManifest(target, staging, manifest)
  await syncFolder(to)
  await syncFolder(target)
  return { files, bytes }
}

/** Links the file if both folders are on one disk, else copies it, and verifies the checksum. */
async function putVerified(from: string, to: string, file: Sum): Promise<void> {
  const linked = await link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw error
      return false
    },
  )
  if (!linked) {
    await copyFile(from, to)
    const handle = await open(to, 'r+')
    await handle.sync().finally(() => handle.close())
  }
  if (!isSame(await checksumOfFile(to), file)) throw new IndexError(`${from} has a wrong checksum`)
}

async function pushManifest(target: string, staging: string, manifest: Manifest): Promise<void> {
  const { version, files } = manifest
  const path = join(target, version, manifestName)
  if ((await unlessMissing(stat(path))) !== undefined) {
    const there = await readManifest(target, version)
    if (JSON.stringify(there.files) !== JSON.stringify(files)) throw new Error(differs(path))
    return
  }
  const staged = join(staging, manifestName)
  await writeSynced(staged, [manifestText(manifest)])
  await rename(staged, path)
}

const isSame = (a: Sum, b: Sum): boolean => a.bytes === b.bytes && a.sha256 === b.sha256

const differs = (path: string): string =>
  `${path} lies there with other content, and a version is never changed: remove its folder, unless it is current`

/** Removes staging folders of dead processes of this machine, and old ones of other machines. */
async function removeRemains(target: string): Promise<void> {
  for (const name of await readdir(target)) {
    const [, host, pid, start] = stagingName.exec(name) ?? []
    if (host === undefined) continue
    const path = join(target, name)
    const mtimeMs = (await unlessMissing(stat(path)))?.mtimeMs ?? 0
    const isGone = host === hostname() && !isAlive(Number(pid), start!)
    if (isGone || Date.now() - mtimeMs > pushLeftMsMax) await rm(path, { recursive: true, force: true })
  }
}

async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}
