/** The version of this software. */
import { readFileSync } from 'node:fs'

const packageFile = readFileSync(new URL('../package.json', import.meta.url), 'utf8')

export const softwareVersion = (JSON.parse(packageFile) as { version: string }).version
