/** With every hostile file server a download ends, logs one line if it fails, and the next one succeeds. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { RemotePointer } from '../../src/indexes/origins/remote-pointer.ts'
import { WebFolder } from '../../src/indexes/origins/web-folder.ts'
import { amount, someOf } from '../support/amount.ts'
import { temporaryFolder } from '../support/command.ts'
import { FileServer, wrongBytes } from '../support/file-server.ts'
import { bytesOf, publishMade } from '../support/made-versions.ts'
import { randomFrom } from '../support/random.ts'
import { drawPath, type End, hostiles } from './hostile-file-servers.ts'

const folder = temporaryFolder()
const contents = {
  'cards-000.msgpack': bytesOf(1, 2_000_000),
  'ids.msgpack': bytesOf(2, 150_000),
  'search.msgpack': bytesOf(3, 100_000),
}
const version = publishMade(folder, contents)

/** Steps that succeed have time on a busy machine; steps that fail have little. */
const patienceMs: Readonly<Record<End, number>> = { succeeds: 20_000, 'succeeds or fails': 500, fails: 300 }
const endMsMax = 60_000

/** Undefined if it came, or why not. */
async function fetched(server: Pick<FileServer, 'url'>, indexDir: string, end: End): Promise<string | undefined> {
  const web = new WebFolder(server.url, undefined, { ms: patienceMs[end], bytes: 16 * 1024, resumeMs: 50 })
  const outcome = new RemotePointer(web).download(indexDir, new AbortController().signal).then(
    () => undefined,
    (error: Error) => error.message,
  )
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${endMsMax} ms`)), endMsMax)
  })
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer))
}

function assertWhole(indexDir: string): void {
  assert.equal(readFileSync(join(indexDir, 'current'), 'utf8'), `${version}\n`)
  for (const [file, content] of Object.entries(contents)) {
    assert.ok(readFileSync(join(indexDir, version, file)).equals(content), file)
  }
  assert.deepEqual(readdirSync(indexDir).sort(), ['.lock.db', version, 'current'])
}

describe('a file server', { concurrency: 4 }, () => {
  for (const hostile of someOf(hostiles, 10)) {
    it(`${hostile.what}: the fetch ${hostile.end}`, async () => {
      const server = await FileServer.start(folder)
      const random = randomFrom(hostile.what)
      try {
        const path = drawPath(hostile, random, version, Object.keys(contents))
        const indexDir = temporaryFolder()
        server.failures[path] = hostile.fault(random)
        const refusal = await fetched(server, indexDir, hostile.end)
        if (hostile.end !== 'succeeds or fails')
          assert.equal(refusal === undefined, hostile.end === 'succeeds', `${path}: ${refusal}`)
        if (refusal === undefined) assertWhole(indexDir)
        else {
          assert.match(refusal, /^http:\/\/127\.0\.0\.1:\d+\/\S+ [^\n]+$/, path)
          assert.ok(!existsSync(join(indexDir, 'current')))
        }
        server.beginAnew()
        assert.equal(await fetched(server, indexDir, 'succeeds'), undefined)
        assertWhole(indexDir)
      } finally {
        await server.stop()
      }
    })
  }
})

it('a file that fails ends the other one at any step', async () => {
  const damaged = temporaryFolder()
  const files = { 'cards-000.msgpack': bytesOf(4, 300_000), 'ids.msgpack': bytesOf(5, 600_000) }
  const name = publishMade(damaged, files)
  const server = await FileServer.start(damaged)
  try {
    server.failures[`${name}/cards-000.msgpack`] = wrongBytes
    for (let round = 0; round < amount(3, 100); round++) {
      assert.match((await fetched(server, temporaryFolder(), 'succeeds'))!, /cards-000\.msgpack has a wrong checksum$/)
    }
  } finally {
    await server.stop()
  }
})
