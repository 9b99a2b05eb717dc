/** Which compiler made a version: what another one left is not reused, since it may compile the same sources otherwise. */
import { readFileSync } from 'node:fs'
import { formatVersion } from '../src/indexes/format.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

export const compiler = `${version}, format ${formatVersion}`
