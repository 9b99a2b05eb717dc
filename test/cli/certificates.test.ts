/** An authority of one's own, NODE_EXTRA_CA_CERTS in the settings file: for the server, every command, and card-prices-as. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { someOf } from '../support/amount.ts'
import { makePair, type Pair } from '../support/certificates.ts'
import { collect, documentText, outcomeOf, projectDir, start, temporaryFolder } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { Postgres } from '../support/postgres.ts'
import { skipWithout } from '../support/programs.ts'
import { fixtureIndex } from '../support/sample.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('openssl') || skipWithout('postgres')

describe('An own certificate authority in the settings file', { skip }, () => {
  let pair: Pair
  let server: FileServer
  let settings: Record<string, string>
  before(async () => {
    pair = await makePair('authority')
    const tls = { cert: readFileSync(pair.cert), key: readFileSync(pair.key) }
    server = await FileServer.start(await fixtureIndex(), tls)
    const postgres = await Postgres.start({ tls })
    settings = { DATABASE_URL: `${postgres.url()}?sslmode=verify-full`, INDEX_URL: server.url, PORT: '0' }
  })

  /** A settings file, and an environment that has nothing else of ours. */
  function given(more: Record<string, string>): { readonly file: string; readonly env: NodeJS.ProcessEnv } {
    const folder = temporaryFolder()
    const file = join(folder, 'card-prices.env')
    const lines = Object.entries({ ...settings, INDEX_DIR: join(folder, 'i'), STORE_DIR: join(folder, 's'), ...more })
    writeFileSync(file, lines.map(([name, value]) => `${name}="${value}"\n`).join(''))
    return { file, env: { CARD_PRICES_ENV: file, NODE_EXTRA_CA_CERTS: '' } }
  }

  const commands: readonly (readonly [what: string, args: () => readonly string[], trusted: RegExp])[] = [
    ['pull', () => ['pull', server.url], /is current in /],
    ['fetch', () => ['fetch', 'tcgcsv', '--from', server.url, '--out', temporaryFolder()], /answered 404/],
    ['accounts', () => ['accounts', 'create', 'shop', '--plan', 'free'], /cpl_live_/],
    ['doctor', () => ['doctor'], /PostgreSQL \S+ answers at /],
  ]
  for (const [what, args, trusted] of someOf(commands, 2)) {
    // Without it, the others wait, and try again.
    it(`The command ${what} trusts a private certificate authority from the settings file`, async () => {
      for (const names of what === 'pull' ? [true, false] : [true]) {
        const { env } = given(names ? { NODE_EXTRA_CA_CERTS: pair.cert } : {})
        const { stdout, stderr } = await outcomeOf(start('src/cli/main.ts', args(), env))
        assert.equal(trusted.test(stdout + stderr), names, stdout + stderr)
        if (!names) assert.match(stdout + stderr, /SELF_SIGNED|self-signed/)
      }
    })
  }

  it('The server trusts a private certificate authority from the settings file', async () => {
    const { env } = given({ NODE_EXTRA_CA_CERTS: pair.cert })
    const child = start('src/cli/main.ts', ['serve'], env)
    const output = collect(child)
    after(() => child.kill('SIGKILL'))
    await until('it listens', () => /^listening on /m.test(output.stdout()))
    const [, address] = /^listening on (\S+)$/m.exec(output.stdout())!
    await until('it serves what it has downloaded', async () => (await fetch(`${address}/healthz`)).status === 200)
    assert.doesNotMatch(output.stderr(), /SELF_SIGNED|self-signed|away/)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'close'), [0, null])
  })

  it('The script card-prices-as passes a private certificate authority on to the command', async () => {
    const { file } = given({ NODE_EXTRA_CA_CERTS: pair.cert })
    const folder = temporaryFolder()
    const script = documentText('deploy/card-prices-as')
      .replace('cd /var/lib/card-prices', `cd ${folder}`)
      .replace('runuser -u card-prices -- ', '')
    const path = join(folder, 'card-prices-as')
    writeFileSync(path, script, { mode: 0o755 })
    const PATH = `${join(projectDir, 'bin')}:${process.env['PATH']}`
    const args = ['-c', `PATH=${PATH} ${path} --env-file ${file} accounts create other --plan free`]
    const { code, stdout, stderr } = await outcomeOf(spawn('sh', args))
    assert.equal(code, 0, stderr)
    assert.match(stdout, /cpl_live_/)
  })
})
