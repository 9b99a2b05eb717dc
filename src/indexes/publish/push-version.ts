/**
 * Pushes the current version to another folder, from which servers download it: a web server's folder, or a mount of
 * one.
 *
 *   DIR/.pushing-XXXX/                 1. each file is copied here, verified, synced, then renamed to its place
 *   DIR/VERSION/…                      2. the manifest is the last of them
 *   DIR/current                        3. replaced when all files are there
 *
 * A push skips files that are already there, so a retry continues after a crash. A push never replaces a file by other
 * bytes, because a version's name identifies its bytes. A report depends on the version that was current before the
 * build, so reports may differ, and the first one stays. So several pushes may run at once, from any machine: `current`
 * always names a complete version. A lock would not work across machines.
 *
 * Everyone who can read DIR, such as a web server, can read the pushed files and folders, whatever the umask is. In a
 * DIR of mode 2750, files get 640 and folders 2750. In a DIR of mode 755, files get 644. DIR's setgid bit gives DIR's
 * group to files and folders. A chmod by a user outside that group would clear the bit on folders, so the push sets the
 * umask instead.
 */
import { randomBytes } from 'node:crypto'
import { createWriteStream, type Stats } from 'node:fs'
import { chmod, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { IndexError, unlessDamaged } from '../format.ts'
import { reportOf } from '../load.ts'
import {
  currentName,
  isVersionName,
  type Manifest,
  manifestName,
  manifestText,
  readCurrent,
  readManifest,
  reportName,
} from '../manifest.ts'
import { checksumOfFile, isSameSum, openPlain, type Sum } from '../plain-file.ts'
import { inFolder, replaceFile, sync, writeSynced } from './durable.ts'

export interface Pushed {
  readonly version: string
  /** The number of files that DIR did not have before. */
  readonly files: number
  readonly bytes: number
}

export const pushText = ({ version, files, bytes }: Pushed, target: string): string =>
  `version ${version} is current in ${target}; copied ${files} files, ${(bytes / 1e6).toFixed(1)} MB`

const stagingPrefix = '.pushing-'
/** A staging folder that did not change for this long belongs to a killed push. */
const leftMsMax = 86_400_000

/**
 * Pushes the current version. Throws an Error of one line if there is no version, a file is damaged, or the target has
 * a different file.
 */
export async function push(indexDir: string, target: string): Promise<Pushed> {
  const version = await readCurrent(indexDir)
  if (version === undefined) throw new Error(`no version is published in ${indexDir} yet`)
  const manifest = await readManifest(indexDir, version)
  return inFolder(target, 'what is current there is as it was', async () => {
    await checkTarget(target)
    const { mode } = await stat(target)
    const before = process.umask(umaskFor(mode))
    const staging = join(target, `${stagingPrefix}${randomBytes(6).toString('hex')}`)
    try {
      await makeFolder(join(target, version), mode)
      await removeRemains(target)
      await mkdir(staging)
      const pushed = await pushFiles(indexDir, target, staging, manifest)
      await checkRights(target, version)
      // A damaged `current` is replaced.
      if ((await unlessDamaged(readCurrent(target))) !== version) {
        await replaceFile(join(target, currentName), Buffer.from(`${version}\n`), join(staging, currentName))
      }
      return { version, ...pushed }
    } finally {
      process.umask(before)
      await rm(staging, { recursive: true, force: true })
    }
  })
}

const writableByOthers = 0o022
const umaskFor = (mode: number): number => (~mode & 0o777) | writableByOthers
const fileMode = (mode: number): number => 0o666 & ~umaskFor(mode)

/** Makes the folder. If an earlier push made it with too few permissions, adds them. */
async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true })
  const before = (await stat(path)).mode
  if ((before & mode & 0o055) !== (mode & 0o055)) await chmod(path, before | (mode & 0o055))
}

/**
 * Throws an Error of one line if someone who can read the folder can't read the version. An earlier push may have
 * caused this.
 */
async function checkRights(target: string, version: string): Promise<void> {
  const folder = await stat(target)
  for (const [path, wanted] of [
    [join(target, version), folder.mode & 0o055],
    [join(target, version, manifestName), fileMode(folder.mode) & 0o044],
  ] as const) {
    const { mode, gid } = await stat(path)
    const lacksGroup = (wanted & 0o070) > 0 && (wanted & 0o007) === 0 && gid !== folder.gid
    if ((mode & wanted) === wanted && !lacksGroup) continue
    const found = `mode ${(mode & 0o7777).toString(8)}, group ${gid}`
    const expected = `${(folder.mode & 0o7777).toString(8)}, group ${folder.gid}`
    throw new Error(
      `${path} can't be read by all who can read ${target} (${found}; the folder: ${expected}): remove ${join(target, version)}, ` +
        'set the folder’s setgid bit (chmod g+s), and push again',
    )
  }
}

/**
 * Rejects a missing folder, and a folder with files but without a version: the operator may have mistyped its name.
 * Throws the system's error if the path is not a folder.
 */
export async function checkTarget(target: string): Promise<void> {
  const names = await unlessMissing(readdir(target))
  if (names === undefined) throw new Error(`the folder ${target} does not exist: create it if versions belong there`)
  const others = names.filter((name) => !name.startsWith('.') && name !== 'lost+found')
  if (others.length > 0 && !others.some((name) => name === currentName || isVersionName(name))) {
    throw new Error(`${target} has other files and no version: name the folder of versions, or an empty one`)
  }
}

async function pushFiles(indexDir: string, target: string, staging: string, manifest: Manifest) {
  const [from, to] = [join(indexDir, manifest.version), join(target, manifest.version)]
  const like = { mode: fileMode((await stat(target)).mode), gid: (await stat(staging)).gid }
  let files = 0
  let bytes = 0
  for (const file of manifest.files) {
    const path = join(to, file.name)
    const there = await unlessMissing(checksumOfFile(path))
    if (there !== undefined && !isSameSum(there, file)) throw new Error(differs(path))
    if (there !== undefined && hasRights(await stat(path), like)) continue
    await putVerified(join(from, file.name), join(staging, file.name), file, like)
    await rename(join(staging, file.name), path)
    if (there !== undefined) continue
    files++
    bytes += file.bytes
  }
  const report = await pushReport({ indexDir, target, staging, like }, manifest)
  if (report?.isNew) {
    files++
    bytes += report.file.bytes
  }
  await pushManifest(target, staging, { ...manifest, report: report?.file }, like)
  await sync(to)
  await sync(target)
  return { files, bytes }
}

type Rights = Pick<Stats, 'mode' | 'gid'>

const hasRights = ({ mode, gid }: Rights, wanted: Rights): boolean =>
  (mode & 0o777) === wanted.mode && gid === wanted.gid

/**
 * Links the file if both folders are on one disk and the file has the right permissions. Otherwise copies it. Verifies
 * the checksum in both cases.
 */
async function putVerified(from: string, to: string, file: Sum, rights: Rights): Promise<void> {
  const isLinked =
    hasRights(await stat(from), rights) &&
    (await link(from, to)
      .then(() => true)
      .catch(() => false))
  // copyFile is not used, because it gives the copy the permissions and the group of the file, not those of the folder.
  if (!isLinked) await pipeline((await openPlain(from)).createReadStream(), createWriteStream(to))
  if (!isSameSum(await checksumOfFile(to), file)) throw new IndexError(`${from} has a wrong checksum`)
  await sync(to)
}

interface Pushing {
  readonly indexDir: string
  readonly target: string
  readonly staging: string
  readonly like: Rights
}

type Report = NonNullable<Manifest['report']>

/** Pushes the report. Returns the version's report in the target; undefined if it has none. */
async function pushReport(
  { indexDir, target, staging, like }: Pushing,
  manifest: Manifest,
): Promise<{ readonly file: Report; readonly isNew: boolean } | undefined> {
  const { version } = manifest
  const path = join(target, version, reportName)
  const staged = join(staging, reportName)
  const [ours] = reportOf(indexDir, manifest)
  const isWhole = (await unlessMissing(stat(join(target, version, manifestName)))) !== undefined
  const expected = isWhole ? (await readManifest(target, version)).report : ours
  if (expected === undefined) return undefined
  const isNew = ours !== undefined && isSameSum(ours, expected) && (await unlessMissing(stat(path))) === undefined
  if (isNew) {
    await putVerified(join(indexDir, version, reportName), staged, ours, like)
    await renameIfFirst(staged, path)
  }
  const found = await unlessMissing(checksumOfFile(path))
  if (found === undefined || (isWhole && !isSameSum(found, expected))) throw new Error(differs(path))
  if (!hasRights(await stat(path), like)) {
    await putVerified(path, staged, found, like)
    await rename(staged, path)
  }
  return { file: { name: reportName, ...found }, isNew }
}

/**
 * If two pushes run at once, the file of the first stays. In a file system without links, the file of the last stays.
 */
async function renameIfFirst(staged: string, path: string): Promise<void> {
  try {
    await link(staged, path)
    await rm(staged)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rename(staged, path)
  }
}

async function pushManifest(target: string, staging: string, manifest: Manifest, rights: Rights): Promise<void> {
  const { version, files } = manifest
  const path = join(target, version, manifestName)
  const before = await unlessMissing(stat(path))
  if (before !== undefined) {
    const there = await readManifest(target, version)
    if (JSON.stringify(there.files) !== JSON.stringify(files)) throw new Error(differs(path))
    if (hasRights(before, rights)) return
  }
  const staged = join(staging, manifestName)
  await writeSynced(staged, [manifestText(manifest)])
  await rename(staged, path)
}

const differs = (path: string): string =>
  `${path} lies there with other content, and a version is never changed: remove its folder, unless it is current`

/** Removes staging folders of killed pushes. Each of them contains at most one file. */
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
