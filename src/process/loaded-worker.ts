/** Threads that run TypeScript. */
import { Worker } from 'node:worker_threads'

/** Starts a thread with a file of the project. A worker does not inherit the loader, so it starts with it. */
export function startWorker(file: URL, workerData: unknown): Worker {
  const code = `
    import('tsx/esm/api').then(({ register }) => {
      register()
      return import(${JSON.stringify(file.href)})
    })`
  return new Worker(code, { eval: true, workerData })
}
