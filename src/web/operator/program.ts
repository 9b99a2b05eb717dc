/**
 * Runs commands of the program in a process of its own, so that they are the commands themselves, and work that takes long does not
 * hold up the pages.
 */
import { execFile } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Ran {
  /** 0, or 1 and 2 as the command says. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const program = fileURLToPath(new URL(`../../cli/main${extname(import.meta.url)}`, import.meta.url))
const outputBytesMax = 1024 * 1024
const runMsMax = 60_000

/** With this process's settings. Rejects if the command can't be run or does not end within a minute. */
export function runProgram(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: outputBytesMax, timeout: runMsMax }
    execFile(process.execPath, [...process.execArgv, program, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr })
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr })
      else reject(error)
    })
  })
}
