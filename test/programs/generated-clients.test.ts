/** Clients that callers' tools generate from the served description: they compile, send the key in the header alone, and have types. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openApi, postmanOptions, stable } from '../../build/format/documents.ts'
import { generatedTypes } from '../client/description-types.ts'
import { serveSample } from '../description/exchanges.ts'
import { outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import { type ProgramName, pathOf, skipWithout } from '../support/programs.ts'
import { forms, type ServersHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'

const folder = temporaryFolder()
const description = join(folder, 'openapi.json')
const key = 'a-key-that-must-stand-in-a-header'

let here: ServersHere
/** Notes what is asked of it, and answers nothing. */
let listener: Server
let address: string
const seen: { url: string; key: string | undefined }[] = []

before(async () => {
  here = await serveSample()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(description, (await send(here.address('A'), '/openapi.json')).body)
  listener = createServer((request, response) => {
    seen.push({ url: request.url!, key: request.headers['x-api-key'] as string | undefined })
    response.setHeader('Content-Type', 'application/json').end('{"data":[]}')
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
})
after(async () => {
  listener.close()
  await here.close()
})

/** Returns its output. */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, wanted = 0): Promise<string> {
  const options = { cwd: folder, env: { ...process.env, ...env } }
  const { code, stdout, stderr } = await outcomeOf(
    spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  assert.equal(code, wanted, stdout + stderr)
  return stdout
}
const runTool = (tool: ProgramName, ...args: string[]) => run(pathOf(tool)!, args)

/** Compiles the program with what it imports; returns the compiler's output. */
function compile(name: string, program: string, code = 0): Promise<string> {
  const file = `${name}.ts`
  writeFileSync(join(folder, file), program)
  const options = ['--strict', '--skipLibCheck', '--target', 'es2022']
  const modules = [
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--lib',
    'es2022,dom,dom.iterable',
    '--noEmit',
  ]
  const tsc = join(projectDir, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, ...options, ...modules, file], {}, code)
}

/** Compiles the program and runs it; returns its output. */
async function compileAndRun(name: string, program: string, env = { ADDRESS: address, KEY: key }): Promise<string> {
  await compile(name, program)
  return run(process.execPath, [join(projectDir, 'node_modules/tsx/dist/cli.mjs'), `${name}.ts`], env)
}

/** Of the requests since then: the key is in each header, and in no address. */
function checkKeys(requests: typeof seen): void {
  assert.ok(requests.length > 0)
  for (const one of requests) {
    assert.equal(one.key, key, one.url)
    assert.ok(!one.url.includes(key) && !one.url.includes('api_key'), one.url)
  }
}

/** A caller's reads of answers without a cast. */
const typed = (search: string, batch: string) => `
const number: string | null | undefined = ${search}.data[0]?.number
const printing: string | null | undefined = ${search}.data[0]?.printing
const missing: string[] | undefined = ${batch}.missing
console.log(number, printing, missing)
`

/** A caller's program with types that openapi-typescript makes. */
const typedStart = `import createClient from 'openapi-fetch'
import type { paths } from './card-prices'
declare const process: { env: Record<string, string> }
const { ADDRESS: baseUrl, KEY } = process.env
const client = createClient<paths, 'application/json'>({ baseUrl: baseUrl!, headers: { 'X-API-Key': KEY! } })
const id = 'pokemon-base1-004'
`
const typedProgram = `${typedStart}
const card = await client.GET('/v1/cards/{id}', { params: { path: { id } } })
const market: number | null | undefined = card.data?.data.prices.market
const found = await client.GET('/v1/search', { params: { query: { q: 'charizard', sort: 'price', limit: 1 } } })
const missing = await client.GET('/v1/cards/{id}', { params: { path: { id: 'nobody' } } })
const tag = card.response.headers.get('ETag') ?? ''
const again = await client.GET('/v1/cards/{id}', { params: { path: { id }, header: { 'If-None-Match': tag } } })
const { data: batch } = await client.POST('/v1/cards/batch', { body: { ids: [id, 'nobody'], view: 'extended' } })
const number: string | null | undefined = batch?.data[0]?.number
const { data: line } = await client.POST('/v1/match', { body: { cards: [{ name: 'Charizard', set: 'base1' }] } })
console.log(card.data?.data.name, market, found.data?.data.length, missing.error?.error.code, again.response.status)
console.log(batch?.data.length, number, batch?.missing, line?.data[0]?.match)
`
/** Each line is wrong by the types. */
const wrongLines = [
  "await client.GET('/v1/nowhere')",
  "await client.GET('/v1/search')",
  "await client.GET('/v1/search', { params: { query: { q: 'a', limit: 'ten' } } })",
  "await client.GET('/v1/sets', { params: { query: { game: 'chess' } } })",
  "await client.POST('/v1/cards/batch', { body: { ids: [1] } })",
  "console.log((await client.GET('/v1/cards/{id}', { params: { path: { id } } })).data?.data.price)",
  "console.log((await client.GET('/v1/cards/{id}', { params: { path: { id } } })).data!.data.prices.market.toFixed(2))",
]

describe('The clients generated from the description', () => {
  for (const form of forms) {
    it(`A client generated by openapi-typescript works in form ${form}, and wrong lines do not compile`, async () => {
      const { json } = await send(here.address(form), '/openapi.json')
      writeFileSync(join(folder, 'card-prices.d.ts'), await generatedTypes(json))
      const env = { ADDRESS: here.address(form), KEY: here.keys.business }
      const printed = await compileAndRun('typed-program', typedProgram, env)
      assert.equal(printed, "Charizard 241.6 1 CARD_NOT_FOUND 304\n1 004 [ 'nobody' ] exact\n")
      const errors = await compile('wrong', typedStart + wrongLines.join('\n'), 1)
      const firstLine = typedStart.split('\n').length
      const wanted = wrongLines.map((_, i) => `wrong.ts(${firstLine + i}`)
      assert.deepEqual([...new Set(errors.match(/^wrong\.ts\(\d+/gm))], wanted, errors)
    })
  }

  it('A client generated by hey-api compiles, searches and asks for a batch', {
    skip: skipWithout('openapi-ts'),
  }, async () => {
    await runTool('openapi-ts', '-i', description, '-o', join(folder, 'hey'), '-c', '@hey-api/client-fetch')
    const from = seen.length
    await compileAndRun(
      'hey-program',
      `import { batchCards, searchCards } from './hey/sdk.gen'
import { client } from './hey/client.gen'
declare const process: { env: Record<string, string> }
client.setConfig({ baseUrl: process.env['ADDRESS']!, auth: () => process.env['KEY']! })
const search = (await searchCards({ query: { q: 'charizard', view: 'extended' }, throwOnError: true })).data
const batch = (await batchCards({ body: { ids: ['x'], view: 'extended' }, throwOnError: true })).data
${typed('search', 'batch')}export {}`,
    )
    checkKeys(seen.slice(from))
  })

  it('A client generated by orval compiles, searches and asks for a batch', {
    skip: skipWithout('orval'),
  }, async () => {
    await runTool('orval', '--input', description, '--output', join(folder, 'orval-client.ts'), '--client', 'fetch')
    const from = seen.length
    await compileAndRun(
      'orval-program',
      `import { batchCards, searchCards } from './orval-client'
declare const process: { env: Record<string, string> }
const { fetch: ask } = globalThis
globalThis.fetch = (path, init) => ask(process.env['ADDRESS'] + String(path), init)
const options = { headers: { 'X-API-Key': process.env['KEY']! } }
const search = await searchCards({ q: 'charizard', view: 'extended' }, options)
const batch = await batchCards({ ids: ['x'], view: 'extended' }, options)
if (search.status !== 200 || typeof search.data === 'string' || batch.status !== 200) throw new Error('no JSON')
${typed('search.data', 'batch.data')}export {}`,
    )
    checkKeys(seen.slice(from))
  })

  it('The collection docs/postman.json is what npm run documents writes, and newman runs it', {
    skip: skipWithout('openapi2postmanv2') || skipWithout('newman'),
  }, async () => {
    const collection = join(projectDir, 'docs', 'postman.json')
    const written = join(folder, 'collection.json')
    const source = join(projectDir, 'docs', 'openapi.json')
    await runTool('openapi2postmanv2', '-s', source, '-o', written, '-O', postmanOptions)
    assert.equal(readFileSync(collection, 'utf8'), stable(readFileSync(written, 'utf8'), openApi()))
    const report = join(folder, 'newman.json')
    const variables = ['--env-var', `baseUrl=${here.address('A')}`, '--env-var', `apiKey=${here.keys.business}`]
    await runTool('newman', 'run', collection, ...variables, '--reporters', 'json', '--reporter-json-export', report)
    const { executions } = JSON.parse(readFileSync(report, 'utf8')).run
    assert.ok(executions.length > 10)
    for (const { item, request, response } of executions) {
      assert.ok(response.code === 200, `${item.name}: ${response.code}`)
      assert.ok(!JSON.stringify(request.url).includes(here.keys.business), item.name)
    }
  })
})
