/** Clients that callers' tools generate from the served description: they compile, send the key in the header alone, and have types. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { serveSample } from '../description/exchanges.ts'
import { outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'
import { type ProgramName, pathOf, skipWithout } from '../support/programs.ts'
import type { ServersHere } from '../support/servers-here.ts'
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

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const options = { cwd: folder, env: { ...process.env, ...env } }
  const { code, stdout, stderr } = await outcomeOf(
    spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  assert.equal(code, 0, stdout + stderr)
}
const runTool = (tool: ProgramName, ...args: string[]) => run(pathOf(tool)!, args)

/** Compiles the program with what it imports, and runs it. */
async function compileAndRun(name: string, program: string): Promise<void> {
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, program)
  const options = ['--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext']
  const more = ['--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable', '--noEmit']
  const tsc = join(projectDir, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, ...options, ...more, file])
  const tsx = join(projectDir, 'node_modules/tsx/dist/cli.mjs')
  await run(process.execPath, [tsx, file], { ADDRESS: address, KEY: key })
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

describe('a client', () => {
  it('by hey-api', { skip: skipWithout('openapi-ts') }, async () => {
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

  it('by orval', { skip: skipWithout('orval') }, async () => {
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

  it('by Postman, as newman runs the description', {
    skip: skipWithout('openapi2postmanv2') || skipWithout('newman'),
  }, async () => {
    const [collection, report] = [join(folder, 'collection.json'), join(folder, 'newman.json')]
    await runTool('openapi2postmanv2', '-s', description, '-o', collection, '-O', 'parametersResolution=Example')
    const variables = ['--env-var', `baseUrl=${here.address('A')}`, '--env-var', `apiKey=${here.keys.business}`]
    await runTool('newman', 'run', collection, ...variables, '--reporters', 'json', '--reporter-json-export', report)
    const { executions } = JSON.parse(readFileSync(report, 'utf8')).run
    assert.ok(executions.length > 10)
    for (const { item, request, response } of executions) {
      // Values that the tool makes up for parameters without an example may be wrong.
      assert.ok([200, 400, 404].includes(response.code), `${item.name}: ${response.code}`)
      assert.ok(!JSON.stringify(request.url).includes(here.keys.business), item.name)
    }
  })
})
