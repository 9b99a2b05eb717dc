/**
 * Makes command lines of this program for messages. They run in the folder in which this process was started. The
 * program's path is absolute, because records store such lines for readers that started elsewhere.
 */
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

let envFile: string | undefined

/**
 * Stores the file of `--env-file`. Printed commands name the file, because without it they would have other settings.
 */
export function useEnvFile(file: string | undefined): void {
  envFile = file
}

/**
 * The command line of `card-prices NAME WORDS`, called as this process was: by `npm run` in a clone, by
 * `card-prices-as`, or by a path if `card-prices` is not in PATH.
 */
export function commandLine(name: string, ...words: readonly string[]): string {
  const given = [...(envFile === undefined ? [] : ['--env-file', envFile]), ...words].map(quoted)
  const isByNpm = process.env['npm_lifecycle_script']?.includes(' bin/card-prices ')
  if (isByNpm === true) return ['npm run', name, ...(given.length > 0 ? ['--', ...given] : [])].join(' ')
  return [process.env['CARD_PRICES_PROGRAM'] ?? program(), name, ...given].join(' ')
}

/** Quotes a word for a POSIX shell, if necessary. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

const programName = 'card-prices'

/** The path of bin/card-prices, if it exists. In a package, compiled modules are one folder deeper, in dist/. */
const ownProgram = ['../../bin', '../../../bin']
  .map((folder) => fileURLToPath(new URL(`${folder}/${programName}`, import.meta.url)))
  .find((path) => existsSync(path))

function program(): string {
  if (ownProgram === undefined) return programName
  const inPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, programName))
    .find((path) => existsSync(path))
  if (inPath !== undefined && realpathSync(inPath) === realpathSync(ownProgram)) return programName
  return quoted(ownProgram)
}
