/** A caller's way to a typed client: types made from the served description, a program compiled with them, and run. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import openapiTypes, { astToString } from 'openapi-typescript'
import type { ApiForm } from '../../src/settings.ts'
import { serveSample } from '../description/exchanges.ts'
import { someOf } from '../support/amount.ts'
import { type Outcome, outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import { forms, type ServersHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'

let here: ServersHere
/** A caller's program, as text: the types that it imports are made from what a server describes. */
const start = `
import createClient from 'openapi-fetch'
import type { paths } from './card-prices.d.ts'

const { ADDRESS = '', KEY = '' } = process.env
const client = createClient<paths, 'application/json'>({ baseUrl: ADDRESS, headers: { 'X-API-Key': KEY } })
const id = 'pokemon-base1-004'
`

const good = `
const card = await client.GET('/v1/cards/{id}', { params: { path: { id } } })
const market: number | null | undefined = card.data?.data.prices.market
console.log(card.data?.data.name, market)

const found = await client.GET('/v1/search', { params: { query: { q: 'charizard', game: 'pokemon', sort: 'price', limit: 1 } } })
const [first] = found.data?.data ?? []
console.log(first?.name, 'of', found.data?.total)

const missing = await client.GET('/v1/cards/{id}', { params: { path: { id: 'nobody' } } })
if (missing.error !== undefined) console.log(missing.response.status, missing.error.error.code)

const tag = card.response.headers.get('ETag') ?? ''
const again = await client.GET('/v1/cards/{id}', { params: { path: { id }, header: { 'If-None-Match': tag } } })
console.log(again.response.status, again.data === undefined ? 'the same' : 'another')

const ids = [id, 'mtg-unh-023', 'nobody']
const batch = await client.POST('/v1/cards/batch', { body: { ids } })
console.log(batch.data?.data.length, 'of', ids.length)

const extended = await client.POST('/v1/cards/batch', { body: { ids, view: 'extended' } })
const number: string | null | undefined = extended.data?.data[0]?.number
const printing: string | null | undefined = extended.data?.data[0]?.printing
const unknown: string[] | undefined = extended.data?.missing
console.log(number, printing, unknown)

const line = await client.POST('/v1/match', { body: { cards: [{ name: 'Charizard', number: '4/102', set: 'base1' }] } })
console.log(line.data?.data[0]?.match, line.data?.data[0]?.card?.number)
`

/** Each line is wrong, as the types tell. */
const wrong = [
  "await client.GET('/v1/nowhere')",
  "await client.GET('/v1/search')",
  "await client.GET('/v1/search', { params: { query: { q: 'a', limit: 'ten' } } })",
  "await client.GET('/v1/sets', { params: { query: { game: 'chess' } } })",
  "await client.POST('/v1/cards/batch', { body: { ids: [1] } })",
  "console.log((await client.GET('/v1/cards/{id}', { params: { path: { id } } })).data?.data.price)",
  "console.log((await client.GET('/v1/cards/{id}', { params: { path: { id } } })).data!.data.prices.market.toFixed(2))",
]

/** A folder for each form's types and programs. */
const folder = temporaryFolder()
const tried = someOf(forms, 1)
/** The compiler's output for all programs. */
let compiled: Outcome

before(async () => {
  here = await serveSample()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
  for (const form of tried) await addProject(form)
  compiled = await compile(tried.flatMap((form) => [`${form}/program.ts`, `${form}/wrong.ts`]))
})
after(() => here.close())

const run = (file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  outcomeOf(spawn(process.execPath, [file, ...args], { cwd, env: { ...process.env, ...env } }))

/** Programs of a caller's beside the types that the description gives. */
async function addProject(form: ApiForm): Promise<void> {
  mkdirSync(join(folder, form))
  const { json } = await send(here.address(form), '/openapi.json')
  writeFileSync(join(folder, form, 'card-prices.d.ts'), astToString(await openapiTypes(json)))
  writeFileSync(join(folder, form, 'program.ts'), start + good)
  writeFileSync(join(folder, form, 'wrong.ts'), start + wrong.join('\n'))
}

const compile = (programs: readonly string[]) => {
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
  ]
  const modules = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--allowImportingTsExtensions']
  return run(join(projectDir, 'node_modules/typescript/bin/tsc'), [...options, ...modules, ...programs], folder)
}

for (const form of tried) {
  describe(`a typed client of form ${form}`, () => {
    it('is compiled, and talks to the server', async () => {
      // Every error of a wrong program is reported.
      const others = compiled.stdout.split('\n').filter((line) => !/^([AB]\/wrong\.ts\(|\s|$)/.test(line))
      assert.deepEqual([others, compiled.stderr], [[], ''])
      const env = { ADDRESS: here.address(form), KEY: here.keys.business }
      const { code, stdout, stderr } = await run(`${form}/program.ts`, [], folder, env)
      assert.equal(code, 0, stderr)
      assert.deepEqual(stdout.trim().split('\n'), [
        'Charizard 241.6',
        'Charizard ex of 9',
        '404 CARD_NOT_FOUND',
        '304 the same',
        '2 of 3',
        "004 null [ 'nobody' ]",
        'exact 004',
      ])
    })

    it('is not compiled where it asks for what there is not', async () => {
      const { code, stdout } = compiled
      assert.notEqual(code, 0)
      const refused = new Set(
        stdout.split('\n').flatMap((line) => {
          const [, ofForm, number] = /^([AB])\/wrong\.ts\((\d+),/.exec(line) ?? []
          return ofForm === form ? [number!] : []
        }),
      )
      const firstLine = start.split('\n').length
      assert.deepEqual(
        [...refused].map(Number),
        wrong.map((_, i) => firstLine + i),
        stdout,
      )
    })
  })
}
