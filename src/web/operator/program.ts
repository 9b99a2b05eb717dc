/**
 * Runs commands of the program in a process of its own. So a page does exactly what the command does, and long work
 * does not hold up the pages.
 */
import { execFile } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Ran {
  /** The command's exit code: 0, 1 or 2. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const program = fileURLToPath(new URL(`../../cli/main${extname(import.meta.url)}`, import.meta.url))
const outputBytesMax = 1024 * 1024
const runMsMax = 60_000

/**
 * Runs a command with the settings of this process. Rejects if the command can't be run, or does not end within a
 * minute.
 */
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
