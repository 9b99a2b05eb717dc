/**
 * Pushes the current version to another folder, from which servers download it: a web server's folder, or a mount of one.
 *
 *   DIR/.pushing-XXXX/                 1. each file is copied here, verified, synced, then renamed to its place
 *   DIR/VERSION/…                      2. the manifest is the last of them
 *   DIR/current                        3. replaced when all files are there
 *
 * A push skips files that are already there, so a retry continues after a crash. It never changes a different file, because a
 * version's name stands for its bytes. So several pushes may run at once, from any machine: `current` always names a complete
 * version. A lock would not work across machines.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
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
import { checksumOfFile, isSameSum, type Sum } from '../plain-file.ts'
import { inFolder, replaceFile, sync, writeSynced } from './durable.ts'
import { linkOrCopy } from './versions.ts'

export interface Pushed {
  readonly version: string
  /** Files that were not there before. */
  readonly files: number
  readonly bytes: number
}

export const pushText = ({ version, files, bytes }: Pushed, target: string): string =>
  `version ${version} is current in ${target}; copied ${files} files, ${(bytes / 1e6).toFixed(1)} MB`

const stagingPrefix = '.pushing-'
/** A staging folder that did not change for this long is abandoned. */
const leftMsMax = 86_400_000

/** Throws Error with one line if there is no version, a file is damaged, or the target has a different file. */
export async function push(indexDir: string, target: string): Promise<Pushed> {
  const version = await readCurrent(indexDir)
  if (version === undefined) throw new Error(`no version is published in ${indexDir} yet`)
  const manifest = await readManifest(indexDir, version)
  return inFolder(target, 'what is current there is as it was', async () => {
    checkTarget(target, await unlessMissing(readdir(target)))
    await mkdir(join(target, version), { recursive: true })
    await removeRemains(target)
    const staging = join(target, `${stagingPrefix}${randomBytes(6).toString('hex')}`)
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
    } else if (!isSameSum(there, file)) throw new Error(differs(path))
  }
  await pushManifest(target, staging, manifest)
  await sync(to)
  await sync(target)
  return { files, bytes }
}

/** Links the file if both folders are on one disk, else copies it, and verifies the checksum. */
async function putVerified(from: string, to: string, file: Sum): Promise<void> {
  await linkOrCopy(from, to)
  if (!isSameSum(await checksumOfFile(to), file)) throw new IndexError(`${from} has a wrong checksum`)
  await sync(to)
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

const differs = (path: string): string =>
  `${path} lies there with other content, and a version is never changed: remove its folder, unless it is current`

/** Removes what killed pushes left: staging folders that did not change for a day. They hold a file each, at most. */
async function removeRemains(target: string): Promise<void> {
  for (const name of await readdir(target)) {
    if (!name.startsWith(stagingPrefix)) continue
    const path = join(target, name)
    const mtimeMs = (await unlessMissing(stat(path)))?.mtimeMs ?? 0
    if (Date.now() - mtimeMs > leftMsMax) await rm(path, { recursive: true, force: true })
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
