/** Checks a store's file for damage. SQLite reads all of it, some 2 ms a MB, so a thread checks a large file while the server starts. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { startThread } from '../platform/start-thread.ts'
import { Database, storeFileName } from './database.ts'

/** Starting a thread takes as long as checking this much. */
const inlineBytesMax = 16 * 1024 * 1024

/** Returns the damage of a small file. @param onLate called with the damage of a large one */
export function integrityOf(storeDir: string, onLate: (damage: string) => void): string | undefined {
  const path = join(storeDir, storeFileName)
  if (statSync(path).size <= inlineBytesMax) return damageOf(path)
  const worker = startThread('./integrity', import.meta.url, { workerData: { integrityOf: path } })
  worker.unref()
  worker.once('message', (damage?: string) => damage !== undefined && onLate(damage))
  worker.once('error', ({ message }) => onLate(`it could not be checked (${message})`))
  return undefined
}

function damageOf(path: string): string | undefined {
  const database = new Database(path)
  try {
    return database.damage('quick_check')
  } finally {
    database.close()
  }
}

const path = (workerData as { readonly integrityOf?: string } | null)?.integrityOf
if (path !== undefined) parentPort!.postMessage(damageOf(path))
