/** `npm run client-types`: after a change of routes or shapes. A test compares. */
import { writeFileSync } from 'node:fs'
import { describeInterface } from '../../src/api/description/document.ts'
import { typesFile, typesOf } from './description-types.ts'

writeFileSync(typesFile, await typesOf(JSON.parse(Buffer.from(describeInterface('A', {})).toString())))
