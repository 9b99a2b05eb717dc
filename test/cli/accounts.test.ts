/** The accounts commands as an operator runs them: processes, exit codes, what they print. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pino from 'pino'
import { AccountsHost } from '../../src/accounts/accounts-host.ts'
import { hashOf, isWellFormed, makeKey, randomBase62 } from '../../src/accounts/keys.ts'
import { addAccount, addKey } from '../../src/accounts/registry.ts'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { accountsCommand } from '../../src/cli/accounts/accounts-command.ts'
import { folderAction } from '../../src/cli/accounts/store-action.ts'
import { ProgramCommand } from '../../src/command/command.ts'
import { Store } from '../../src/store/store.ts'
import { AccountsServer } from '../support/accounts-server.ts'
import {
  accounts,
  cardPrices,
  collectHere,
  run,
  runAccountsHere,
  runAccountsOf,
  runMadeHere,
  temporaryFolder,
  withLimits,
} from '../support/command.ts'

const folder = temporaryFolder()
const storeDir = join(folder, 'store')
const commands = accountsCommand(collectHere().output).commands.map((each) => ({
  name: each.name(),
  parameters: each.registeredArguments.map((argument) =>
    argument.required ? argument.name() : `[${argument.name()}]`,
  ),
}))
const command = (...args: string[]) => runAccountsHere(storeDir, ...args)

const secrets: string[] = []
const issue = async (...args: string[]) => {
  const issued = await accounts(storeDir, ...args)
  secrets.push(issued.key)
  return issued
}

describe('The accounts commands', () => {
  it('The accounts command creates accounts and keys, and shows each key once', async () => {
    const created = await issue('create', 'acme', '--plan', 'free')
    assert.deepEqual(Object.keys(created), ['account', 'plan', 'keyId', 'key'])
    assert.deepEqual([created.account, created.plan], ['acme', 'free'])
    assert.ok(isWellFormed(created.key))

    const tomorrow = dateOfDay(dayOfMs(Date.now()) + 1)
    const second = await issue('create-key', 'acme', '--name', 'staging', '--expires', tomorrow)
    const again = await issue('regenerate', second.keyId)
    assert.equal(again.keyId, second.keyId)
    assert.notEqual(again.key, second.key)
    const keys = await accounts(storeDir, 'keys', 'acme')
    const fields = ['keyId', 'name', 'prefix', 'createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt']
    for (const key of keys) assert.deepEqual(Object.keys(key), fields)
    const expiresAt = `${dateOfDay(dayOfMs(Date.now()) + 2)}T00:00:00.000Z`
    const found = keys.map(({ createdAt, ...key }: Record<string, unknown>) => Object.values(key))
    assert.deepEqual(found, [
      [created.keyId, 'default', created.key.slice(0, 13), null, null, null],
      [second.keyId, 'staging', again.key.slice(0, 13), expiresAt, null, null],
    ])

    await accounts(storeDir, 'set-plan', 'acme', 'business')
    await accounts(storeDir, 'revoke', second.keyId)
    const [listed, ...others] = await accounts(storeDir, 'list')
    const { createdAt, ...row } = listed
    const expected = { account: 'acme', plan: 'business', keys: 1, usedToday: 0, number: 0, suspended: false }
    assert.deepEqual([row, others], [expected, []])
    assert.equal(new Date(createdAt).toISOString(), createdAt)
    assert.ok((await accounts(storeDir, 'keys', 'acme'))[1].revokedAt)
    assert.deepEqual(await accounts(storeDir, 'usage', 'acme'), [
      { date: dateOfDay(dayOfMs(Date.now())), requests: 0, plan: 'free', planChangedTo: 'business' },
    ])
    for (const shown of await Promise.all([command('list'), command('keys', 'acme'), command('usage', 'acme')])) {
      assert.equal(shown.code, 0)
      assert.ok(secrets.every((secret) => !shown.stdout.includes(secret)))
    }
  })

  it('An accounts command with --help prints its help, even with other arguments', async () => {
    const { code, stdout } = await command('create', 'acme', '--help')
    assert.equal(code, 0)
    assert.match(stdout, /^Usage: card-prices accounts create /)
  })

  it('An accounts command fails if STORE_DIR is a file', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const stderr = `accounts: there is no store in ${file}: is STORE_DIR right?\n`
    assert.deepEqual(await runAccountsHere(file, 'list'), { code: 1, stdout: '', stderr })
  })

  it('An export that can’t be written leaves no file with hashes behind', async () => {
    const place = join(folder, 'place')
    mkdirSync(join(place, 'taken', 'by a folder'), { recursive: true })
    const { code, stderr } = await command('export', join(place, 'taken'))
    const refused = `accounts: ${place}/taken can't be written (illegal operation on a directory)\n`
    assert.deepEqual([code, stderr], [1, refused])
    assert.deepEqual(readdirSync(place), ['taken'])
  })

  it('An export and an import copy accounts to another store by a file without secrets', async () => {
    const file = join(folder, 'accounts.json')
    const other = join(folder, 'other')
    await issue('create', 'second', '--plan', 'free')
    const umask = process.umask(0o026)
    await accounts(storeDir, 'export', file)
    assert.deepEqual([statSync(file).mode & 0o777, process.umask(umask)], [0o600, 0o026])
    const first = await accounts(other, 'import', file)
    assert.equal(first.changed, first.accounts + first.keys)
    assert.equal((await accounts(other, 'import', file)).changed, 0)
    const strip = (keys: { lastUsedAt: unknown }[]) => keys.map((key) => ({ ...key, lastUsedAt: null }))
    for (const name of ['acme', 'second']) {
      assert.deepEqual(strip(await accounts(other, 'keys', name)), strip(await accounts(storeDir, 'keys', name)))
    }
    const text = readFileSync(file, 'latin1')
    for (const secret of secrets) assert.ok(!text.includes(secret.slice(13, 25)))

    writeFileSync(file, text.replace('"plan": "free"', '"plan": "gold"'))
    const wrong = await runAccountsHere(other, 'import', file)
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /account second: plan: /)
  })

  it('An import refuses a file with a key of another account, or with a name that a terminal should not show', async () => {
    const file = join(folder, 'wrong.json')
    const dir = join(folder, 'wrong')
    const { keyId, key } = await accounts(dir, 'create', 'owner', '--plan', 'free')
    await accounts(dir, 'export', file)
    const exported = JSON.parse(readFileSync(file, 'utf8'))
    const [owner] = exported.accounts
    const thief = { ...owner, id: 'another', name: 'thief' }
    const withKey = (changes: object, account = owner) => ({ ...account, keys: [{ ...owner.keys[0], ...changes }] })
    const isOfAnother = new RegExp(`the key ${keyId} belongs to another account`)
    const before = [await accounts(dir, 'list'), await accounts(dir, 'keys', 'owner')]
    const newcomer = { name: 'newcomer', plan: 'free', createdAt: 1, keys: [] }
    for (const [account, reason] of [
      [thief, isOfAnother],
      [withKey({ name: 'x' }, thief), isOfAnother],
      ...['', ' x', '-x', '\u001b[2J', 'a\u202eb', 'x'.repeat(101)].flatMap((name) =>
        [{ ...owner, name }, withKey({ name }), withKey({ name, keyId: 'key_0000000000', hash: 'a'.repeat(64) })].map(
          (wrong) => [wrong, /^accounts: [^\n]+\n$/] as const,
        ),
      ),
    ] as const) {
      writeFileSync(file, JSON.stringify({ ...exported, accounts: [newcomer, account] }))
      const { code, stderr } = await runAccountsHere(dir, 'import', file)
      assert.deepEqual([code, [await accounts(dir, 'list'), await accounts(dir, 'keys', 'owner')]], [1, before], stderr)
      assert.match(stderr, reason)
    }
    const store = new Store(dir)
    const inUse = { key: 0, account: 0, plan: 'free', expiresAt: null, isSuspended: false }
    assert.deepEqual(store.keyInUse(hashOf(key)), inUse)
    await store.close()
  })

  it('A store holds no secret, and only its owner can read it', () => {
    assert.ok(secrets.length >= 4)
    assert.equal(statSync(storeDir).mode & 0o777, 0o700)
    for (const name of readdirSync(storeDir)) {
      assert.equal(statSync(join(storeDir, name)).mode & 0o777, 0o600, name)
      const bytes = readFileSync(join(storeDir, name)).toString('latin1')
      // The first 13 characters are public; no 8 in a row of the others may be there.
      for (const secret of secrets) {
        for (let from = 13; from + 8 <= secret.length; from++) assert.ok(!bytes.includes(secret.slice(from, from + 8)))
      }
    }
  })
})

describe('A key that has ended', () => {
  const [dir, other] = [join(folder, 'ended'), join(folder, 'ended there')]
  const file = join(folder, 'ended.json')
  const day = 86_400_000
  const now = Date.now()
  const ended = { revoked: 'revokedAt', expired: 'expiresAt' } as const

  it('A revoked or expired key is listed and exported for 90 days', async () => {
    await accounts(dir, 'create', 'acme', '--plan', 'free')
    const store = new Store(dir)
    store.change(() => {
      for (const [how, field] of Object.entries(ended)) {
        for (const days of [89, 91]) {
          const { prefix, hash } = makeKey()
          const end = { expiresAt: null, revokedAt: null, [field]: now - days * day }
          const key = { name: `${how} ${days}`, prefix, hash: hash.toString('hex'), createdAt: 0, ...end }
          addKey(store, store.account(0), { keyId: `key_${randomBase62(10)}`, ...key }, now)
        }
      }
    })
    await store.close()
    const names = (await accounts(dir, 'keys', 'acme')).map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['default', 'revoked 89', 'expired 89'])
    const shown = (await runAccountsHere(dir, 'keys', 'acme')).stdout
    const end = new Date(now - 89 * day).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
    for (const how of Object.keys(ended)) assert.match(shown, new RegExp(` 1970-01-01 00:00  never +${how} ${end}\n`))
    assert.equal((await accounts(dir, 'export', file)).keys, 3)
  })

  it('A key revoked or expired over 90 days ago is not imported, so a second import changes nothing', async () => {
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(/"(revokedAt|expiresAt)": \d+/g, `"$1": ${now - 91 * day}`),
    )
    assert.equal((await accounts(other, 'import', file)).changed, 2)
    assert.equal((await accounts(other, 'import', file)).changed, 0)
    const store = new Store(other)
    assert.equal(store.contents().keys, 1)
    await store.close()
  })
})

describe('The name of an account', () => {
  const dir = join(folder, 'alike')
  const composed = 'Caf\u00c9 Cards'
  const decomposed = 'CafE\u0301 Cards'
  const names = async (storeDir: string) =>
    (await accounts(storeDir, 'list')).map(({ account }: { account: string }) => account)

  it('An account’s name is stored in composed Unicode form, and is found in either form', async () => {
    assert.equal((await accounts(dir, 'create', decomposed, '--plan', 'free')).account, composed)
    await accounts(dir, 'set-plan', decomposed, 'trader')
    const [{ account, plan, keys }] = await accounts(dir, 'list')
    assert.deepEqual([account, plan, keys], [composed, 'trader', 1])
    await accounts(dir, 'create', 'other', '--plan', 'free')
  })

  for (const like of [composed, decomposed, 'CAFÉ CARDS', 'cafe-cards']) {
    it(`The account name ${JSON.stringify(like)} is refused if another account has a similar name`, async () => {
      const stderr = `accounts: the account ${composed} already exists\n`
      for (const args of [
        ['create', like, '--plan', 'free'],
        ['rename', 'other', like],
      ])
        assert.deepEqual(await runAccountsHere(dir, ...args), { code: 1, stdout: '', stderr })
    })
  }

  it('A mistyped account name changes nothing, and the error suggests a similar name', async () => {
    const { code, stderr } = await runAccountsHere(dir, 'set-plan', 'cafe cards', 'business')
    assert.deepEqual([code, stderr], [1, `accounts: there is no account cafe cards; did you mean ${composed}?\n`])
    await accounts(dir, 'create', '***', '--plan', 'free')
    await accounts(dir, 'create', '+++', '--plan', 'free')
    await accounts(dir, 'rename', 'other', 'OTHER')
    assert.deepEqual(await names(dir), [composed, 'OTHER', '***', '+++'])
  })

  it('An older store with two similar names opens, and its accounts can be exported to an empty store', async () => {
    const [old, next, file] = [join(folder, 'old'), join(folder, 'next'), join(folder, 'old.json')]
    const store = new Store(old)
    store.change(() => [composed, decomposed].map((name, i) => addAccount(store, name, 'free', i)))
    await store.close()
    await accounts(old, 'set-plan', decomposed, 'trader')
    await accounts(old, 'export', file)
    await accounts(next, 'import', file)
    assert.equal((await accounts(next, 'import', file)).changed, 0)
    assert.deepEqual(await names(next), [composed, decomposed])
    const { code, stderr } = await runAccountsHere(dir, 'import', file)
    assert.equal(code, 1)
    assert.match(stderr, /^accounts: the account .* of the file is too similar to .*, which exists here\n$/)
  })
})

describe('The accounts commands without a store', { concurrency: true }, () => {
  const makers = ['create', 'import', 'restore']
  const given: Record<string, string> = { DATABASE_URL: 'postgres://127.0.0.1:1', PLAN: 'free', FILE: '' }
  const confirmed: Record<string, string[]> = { delete: ['--yes'] }
  const away = 'postgres://127.0.0.1:1'

  /** Runs the command in a folder that is not there, over the export of another store. */
  async function runIn(what: string, name: string, parameters: readonly string[], env: NodeJS.ProcessEnv) {
    const place = join(folder, what)
    mkdirSync(place)
    const file = join(place, 'file')
    writeFileSync(file, 'a good one')
    const words = parameters.map((parameter) => (parameter === 'FILE' ? file : (given[parameter] ?? 'acme')))
    const all = [name, ...words, ...(confirmed[name] ?? [])]
    const outcome = await runAccountsOf({ STORE_DIR: join(place, 'mistyped'), ...env }, ...all)
    assert.equal(readFileSync(file, 'utf8'), 'a good one')
    assert.deepEqual([outcome.code, outcome.stdout], [1, ''], outcome.stderr)
    return { place, stderr: outcome.stderr }
  }

  for (const { name, parameters } of commands.filter((each) => !makers.includes(each.name))) {
    it(`The command ${name} refuses to run without a store, and makes none`, async () => {
      const env = name === 'push' ? { DATABASE_URL: away } : {}
      const { place, stderr } = await runIn(`without ${name}`, name, parameters, env)
      assert.equal(stderr, `accounts: there is no store in ${place}/mistyped: is STORE_DIR right?\n`)
      assert.deepEqual(readdirSync(place), ['file'])
    })
  }

  // These four ask the store's folder first.
  const others = [...makers, 'backup', 'move', 'push']
  for (const { name, parameters } of commands.filter((each) => !others.includes(each.name))) {
    it(`The command ${name} fails without a store if the database can’t be reached`, async () => {
      const env = { DATABASE_URL: away }
      const { stderr } = await runIn(`shared ${name}`, name, parameters, env)
      assert.match(stderr, /^accounts: the database at 127\.0\.0\.1:1 [^\n]+\n$/)
    })
  }
})

it('A command on the whole store prints its result and exits with 1 if it has a warning', async () => {
  const outcome = (warning?: string) =>
    runMadeHere(
      (output) =>
        new ProgramCommand('upload', output).option('--json', '', false).action(
          folderAction({ storeDir, output, env: {} }, { makesStore: true }, async () => ({
            value: {},
            text: 'done',
            warning,
          })),
        ),
      [],
    )
  assert.deepEqual(await outcome(), { code: 0, stdout: 'done\n', stderr: '' })
  assert.deepEqual(await outcome('not by all'), { code: 1, stdout: 'done\n', stderr: 'accounts: not by all\n' })
})

it('A command prints its result but fails if a frozen server does not confirm, and succeeds if the server is dead', async () => {
  const dir = join(folder, 'stuck')
  const server = await AccountsServer.start({ STORE_DIR: dir })
  await server.kill('SIGSTOP')
  const env = { STORE_DIR: dir, ...withLimits({ confirmMsMax: 500 }) }
  const stuck = await run(cardPrices, ['accounts', 'create', 'acme', '--plan', 'free', '--json'], env)
  await server.kill('SIGKILL')
  assert.equal(stuck.code, 1)
  assert.ok(isWellFormed(JSON.parse(stuck.stdout).key))
  assert.match(stuck.stderr, new RegExp(`process id ${server.pid} did not confirm`))
  await accounts(dir, 'create', 'bcme', '--plan', 'free')
  const next = await AccountsHost.open({ storeDir: dir, log: pino({ level: 'silent' }) })
  assert.equal((await runAccountsHere(dir, 'create', 'ccme', '--plan', 'free')).code, 0)
  await next.close()
})
