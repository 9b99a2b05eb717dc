/**
 * Whether a store's file is whole. SQLite reads all of it for that, some 2 ms a MB, so a large file is checked in a thread beside
 * the start.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { startThread } from '../process/start-thread.ts'
import { Database, storeFileName } from './database.ts'

/** To start a thread takes as long as to check so much. */
const inlineBytesMax = 16 * 1024 * 1024

/** Returns what is wrong with a small file. @param onLate hears what is found in a large one */
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

const asked = (workerData as { readonly integrityOf?: string } | null)?.integrityOf
if (asked !== undefined) parentPort!.postMessage(damageOf(asked))
