/** One server a store, and commands beside it: a living server is never taken for a dead one, nor a dead one for living. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { backUp } from '../../src/accounts/backup.ts'
import { claimStore, tellServer } from '../../src/accounts/control.ts'
import { AccountsHost } from '../../src/accounts/host.ts'
import { createAccount, regenerateKey, revokeKey } from '../../src/accounts/registry.ts'
import { lifeOf, noteOfThisProcess } from '../../src/accounts/server-life.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, collect, start, temporaryFolder } from '../support/command.ts'
import { send, startService } from '../support/service.ts'
import { unreapedProcess } from '../support/unreaped.ts'

const log = pino({ level: 'silent' })
const indexDir = temporaryFolder()
const running: ChildProcess[] = []
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** The server that `npm run serve` starts, without a version: a key that is let in gets 503, another 401. */
async function serve(storeDir: string) {
  const service = await startService({ STORE_DIR: storeDir, INDEX_DIR: indexDir })
  running.push(service.child)
  const isLetIn = async (key: string) => {
    const { status } = await send(service.address, '/v1/games', { headers: { 'x-api-key': key } })
    assert.ok(status === 401 || status === 503, `${status}`)
    return status === 503
  }
  return { ...service, isLetIn }
}

/** A server process that may refuse to start: its exit code, or undefined if it listens. */
async function tryServe(storeDir: string) {
  const child = start('src/main.ts', [], { STORE_DIR: storeDir, INDEX_DIR: indexDir, PORT: '0', LOG_LEVEL: 'silent' })
  running.push(child)
  const output = collect(child)
  const listening = new Promise<undefined>((resolve) => {
    child.stdout?.on('data', () => output.stdout().includes('listening on') && resolve(undefined))
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, code: await Promise.race([listening, ended]), stderr: output.stderr() }
}

describe('one server a store', () => {
  it('refuses a second one with one line, and the first goes on', async () => {
    const storeDir = temporaryFolder()
    const { key } = await accounts(storeDir, 'create', 'acme', '--plan', 'free')
    const first = await serve(storeDir)
    const second = await tryServe(storeDir)
    assert.equal(second.code, 1)
    assert.equal(second.stderr.trim().split('\n').length, 1, second.stderr)
    assert.match(second.stderr, new RegExp(`process ${first.child.pid} `))
    assert.ok(second.stderr.includes(storeDir))
    assert.equal(readdirSync(join(storeDir, 'servers')).length, 1)
    assert.ok(await first.isLetIn(key))
    await accounts(storeDir, 'set-plan', 'acme', 'trader')
    assert.equal(await first.stop(), 0)
    assert.deepEqual(readdirSync(join(storeDir, 'servers')), [])
    const next = await AccountsHost.open({ storeDir, log })
    await next.close()
  })

  it('of several that start at once, exactly one serves', async () => {
    const storeDir = temporaryFolder()
    for (let round = 0; round < 2; round++) {
      const tries = await Promise.all([1, 2].map(() => tryServe(storeDir)))
      const serving = tries.filter(({ code }) => code === undefined)
      assert.equal(serving.length, 1, tries.map(({ stderr }) => stderr).join(''))
      for (const { code, stderr } of tries) if (code !== undefined) assert.match(stderr, /is served by the process/)
      // The next round finds what a killed one has left.
      serving[0]!.child.kill('SIGKILL')
      await serving[0]!.ended
    }
  })

  it('of several that find a dead one’s note at the same moment, exactly one gets the store', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    store.replaceServer(undefined, gone)
    const notes = ['1', '2', '3'].map((name) => noteOfThisProcess(`1-00000${name}.sock`))
    const claims = await Promise.allSettled(notes.map((note) => claimStore(store, storeDir, note)))
    const winners = notes.filter((_, i) => claims[i]!.status === 'fulfilled')
    assert.deepEqual(winners, [store.setting('server')])
    await store.close()
  })

  it('is not kept from starting by one that was killed and of whose end nobody has taken notice', async () => {
    const { pid, parent } = await unreapedProcess()
    running.push(parent)
    const started = readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[21]!
    assert.equal(lifeOf({ ...noteOfThisProcess('1-000000.sock'), pid, started }), 'gone')
    parent.kill('SIGKILL')
  })

  const gone = { ...noteOfThisProcess('1-000000.sock'), started: '1' }
  const elsewhere = { ...gone, place: 'another machine’s pid:[1]' }
  for (const [what, note] of [
    ['a process whose number another one has now', gone],
    ['a process of another container that is gone', elsewhere],
  ] as const) {
    it(`is not kept from starting by the note of ${what}`, async () => {
      const storeDir = temporaryFolder()
      const store = new Store(storeDir)
      store.replaceServer(undefined, note)
      createAccount(store, 'acme', 'free', Date.now())
      assert.equal(await tellServer(store, storeDir), undefined)
      const host = await AccountsHost.open({ storeDir, log })
      await host.close()
      assert.equal(store.setting('server'), undefined)
      await store.close()
    })
  }

  it('refuses where a process of another container answers', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    store.replaceServer(undefined, elsewhere)
    mkdirSync(join(storeDir, 'servers'))
    const answering = createServer((socket) => socket.end('ok\n')).listen(join(storeDir, 'servers', elsewhere.socket))
    await once(answering, 'listening')
    await assert.rejects(AccountsHost.open({ storeDir, log }), /is served by the process/)
    assert.deepEqual(store.setting('server'), elsewhere)
    await store.close()
    answering.close()
  })

  // That the process ends then, with one line, is in failing-starts.test.ts.
  it('is refused with one line if its socket can not be made, and leaves the store to the next', async () => {
    const storeDir = temporaryFolder()
    const servers = join(storeDir, 'servers')
    writeFileSync(servers, '')
    await assert.rejects(
      AccountsHost.open({ storeDir, log }),
      ({ message }: Error) => message.includes(servers) && !message.includes('\n'),
    )
    rmSync(servers)
    const next = await AccountsHost.open({ storeDir, log })
    await next.close()
  })
})

describe('a command beside a server', () => {
  const removals: readonly (readonly [what: string, remove: (folder: string, name: string) => void])[] = [
    ['was removed by hand', (folder, name) => rmSync(join(folder, name))],
    ['was removed with its folder', (folder) => rmSync(folder, { recursive: true })],
    [
      'is another’s',
      (folder, name) => {
        rmSync(join(folder, name))
        writeFileSync(join(folder, name), '')
      },
    ],
  ]
  it('whose socket is gone, or another’s: the old key is not let in after it returns', async () => {
    const storeDir = temporaryFolder()
    const server = await serve(storeDir)
    const store = new Store(storeDir)
    for (const [what, remove] of removals) {
      const { key, keyId } = createAccount(store, what, 'free', Date.now())
      assert.equal(await tellServer(store, storeDir), undefined)
      assert.ok(await server.isLetIn(key))
      const folder = join(storeDir, 'servers')
      remove(folder, readdirSync(folder)[0]!)
      const { key: next } = regenerateKey(store, keyId, Date.now())
      assert.equal(await tellServer(store, storeDir), undefined)
      assert.deepEqual([await server.isLetIn(key), await server.isLetIn(next)], [false, true], what)
    }
    await store.close()
    assert.equal(await server.stop(), 0)
  })

  it('that is out of descriptors: it fails and says so, or the key is refused from then on', async () => {
    const storeDir = temporaryFolder()
    const server = await serve(storeDir)
    const pid = server.child.pid!
    const port = Number(new URL(server.address).port)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    /** Over one connection that is open from before. */
    const status = (key: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'x-api-key': key }
        request(`${server.address}/v1/games`, { agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode!))
        })
          .on('error', reject)
          .end()
      })
    const held: Socket[] = []
    const store = new Store(storeDir)
    const hard = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))![1]!
    const limit = (files: number | string) => {
      assert.equal(spawnSync('prlimit', [`--nofile=${files}:`, '--pid', `${pid}`]).status, 0)
    }
    let unconfirmed = 0
    for (let round = 0; round < 3; round++) {
      limit(hard)
      const { key, keyId } = createAccount(store, `acme ${round}`, 'free', Date.now())
      assert.equal(await tellServer(store, storeDir), undefined)
      assert.equal(await status(key), 503)
      // Connections take the few that are left, and more of them wait.
      const used = readdirSync(`/proc/${pid}/fd`).length
      limit(used + round)
      for (let i = 0; i < 40; i++) held.push(connect(port, '127.0.0.1').on('error', () => {}))
      await until(() => readdirSync(`/proc/${pid}/fd`).length >= used + round)
      revokeKey(store, keyId, Date.now())
      const silent = await tellServer(store, storeDir)
      if (silent === undefined) assert.equal(await status(key), 401, 'it has confirmed')
      else {
        assert.equal(silent, pid)
        unconfirmed++
      }
      for (const socket of held) socket.destroy()
    }
    assert.ok(unconfirmed > 0, 'it was out of descriptors')
    limit(hard)
    assert.equal(readdirSync(join(storeDir, 'servers')).length, 1, 'its socket is where it was')
    createAccount(store, 'last', 'free', Date.now())
    assert.equal(await tellServer(store, storeDir), undefined)
    agent.destroy()
    await store.close()
    assert.equal(await server.stop(), 0)
  })

  it('that can not write its counts has confirmed a change, and lets no backup be made', async () => {
    const storeDir = temporaryFolder()
    const store = new Store(storeDir)
    const note = noteOfThisProcess('1-000001.sock')
    store.replaceServer(undefined, note)
    mkdirSync(join(storeDir, 'servers'))
    const answer = (socket: Socket) => socket.end('unwritten\n')
    const server = createServer(answer).listen(join(storeDir, 'servers', note.socket))
    await once(server, 'listening')
    const file = join(temporaryFolder(), 'backup')
    assert.equal(await tellServer(store, storeDir), undefined)
    await assert.rejects(backUp(storeDir, file), /did not write down its counts within 3 s: nothing is backed up/)
    assert.ok(!existsSync(file))
    await store.close()
    server.close()
  })

  const answers = [(socket: Socket) => socket.end(), () => {}, (socket: Socket) => socket.end('no\n')]
  it('that closes what it accepts, or is silent, has not confirmed', async () => {
    await Promise.all(
      answers.map(async (answer) => {
        const storeDir = temporaryFolder()
        const store = new Store(storeDir)
        const note = noteOfThisProcess('1-000001.sock')
        store.replaceServer(undefined, note)
        mkdirSync(join(storeDir, 'servers'))
        const server = createServer(answer).listen(join(storeDir, 'servers', note.socket))
        await once(server, 'listening')
        const begun = performance.now()
        assert.equal(await tellServer(store, storeDir), process.pid)
        assert.ok(performance.now() - begun > 2900)
        await store.close()
        server.close()
      }),
    )
  })
})

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!holds()) {
    assert.ok(performance.now() < deadline, 'it never held')
    await pause(20)
  }
}
