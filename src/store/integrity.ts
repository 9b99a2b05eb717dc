/**
 * Whether a store's file is whole. SQLite reads all of it for that, some 2 ms a MB: a large file is checked in a thread of its
 * own, and the start waits for it only for a while.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { integrityWaitMsMax } from '../limits.ts'
import { threadFlags } from '../process/thread-flags.ts'
import { Database, storeFileName } from './database.ts'

/** To start a thread takes as long as to check so much. */
const inlineBytesMax = 16 * 1024 * 1024

/**
 * Resolves with what is wrong with the file; undefined if nothing was found yet.
 * @param onLate hears what is found later
 */
export async function integrityOf(storeDir: string, onLate: (damage: string) => void): Promise<string | undefined> {
  const path = join(storeDir, storeFileName)
  if (statSync(path).size <= inlineBytesMax) return damageOf(path)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      timer = undefined
      resolve(undefined)
    }, integrityWaitMsMax)
  })
  const worker = new Worker(new URL(import.meta.url), { workerData: { integrityOf: path }, execArgv: threadFlags })
  worker.unref()
  const found = new Promise<string | undefined>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  )
  const told = found.then(
    (damage) => {
      if (timer === undefined && damage !== undefined) onLate(damage)
      return damage
    },
    (error: Error) => {
      onLate(`it could not be checked (${error.message})`)
      return undefined
    },
  )
  return Promise.race([told, late]).finally(() => clearTimeout(timer))
}

function damageOf(path: string): string | undefined {
  const database = new Database(path)
  try {
    return database.damage('quick_check')
  } finally {
    database.close()
  }
}

const asked = (workerData as { readonly integrityOf?: string } | null)?.integrityOf
if (asked !== undefined) parentPort!.postMessage(damageOf(asked))
