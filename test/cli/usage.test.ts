/** The report of all accounts' usage, in its three forms. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { addAccount, setPlan } from '../../src/accounts/registry.ts'
import { dateOfDay, dayMs, dayOfMs } from '../../src/calendar.ts'
import { csvField } from '../../src/catalog/card-fields.ts'
import { usageRows } from '../../src/cli/accounts/report-commands.ts'
import type { PlanName } from '../../src/plans.ts'
import { Store } from '../../src/store/store.ts'
import { accounts, projectDir, runAccountsHere, temporaryFolder } from '../support/command.ts'
import { drawBelow, randomFrom } from '../support/random.ts'

const storeDir = temporaryFolder()
const today = dayOfMs(Date.now())
const month = dateOfDay(today).slice(0, 7)
const lastMonth = dateOfDay(today - Number(dateOfDay(today).slice(8))).slice(0, 7)
const names = ['acme', 'a, b', 'the "best"', '=1+1', '+49', '@shop', '＝２', "'quoted", 'ポケモン', 'semi;colon']

interface Row {
  readonly account: string
  readonly plan: string
  readonly date: string
  readonly requests: number
}

const expected: Row[] = []

before(async () => {
  const store = new Store(storeDir)
  const random = randomFrom(3)
  store.change(() => {
    for (let i = 0; i < 600; i++) {
      const plan: PlanName = i % 2 === 0 ? 'free' : 'trader'
      const account = addAccount(store, names[i] ?? `account ${i}`, plan, 0)
      for (let day = today - 45; day <= today; day++) {
        const requests = drawBelow(random, 40) < 8 ? drawBelow(random, 10_000) : 0
        if (requests === 0) continue
        store.addUsage(day, account.number, requests)
        expected.push({ account: account.name, plan, date: dateOfDay(day), requests })
      }
    }
    store.addUsage(today - 400, 0, 5)
    store.addUsage(today + 1, 0, 5)
  })
  await store.close()
})

const ofMonth = (which: string) => expected.filter(({ date }) => date.startsWith(which))

describe('The command usage --all', () => {
  const table: readonly (readonly [args: readonly string[], rows: () => readonly Row[]])[] = [
    [[], () => expected],
    [['--month', month], () => ofMonth(month)],
    [['--month', lastMonth], () => ofMonth(lastMonth)],
    [['--month', '2020-02'], () => []],
  ]
  for (const [args, rows] of table) {
    it(`The command usage --all ${args.join(' ')} prints a row for each account and day with requests`, async () => {
      const command = ['usage', '--all', ...args]
      assert.deepEqual(await accounts(storeDir, ...command), rows())
      const csv = (await runAccountsHere(storeDir, ...command, '--csv')).stdout
      const read = parse(csv, { columns: true, relax_column_count: false }) as Record<keyof Row, string>[]
      const unguarded = read.map(({ account, requests, ...row }) => ({
        account: account.replace(/^'(?=[=+@＝])/, ''),
        ...row,
        requests: Number(requests),
      }))
      assert.deepEqual(unguarded, rows())
      const lines = (await runAccountsHere(storeDir, ...command)).stdout.trimEnd().split('\n')
      assert.match(lines[0]!, /^ACCOUNT +PLAN +DATE +REQUESTS +PLAN CHANGED TO$/)
      assert.equal(lines.length, rows().length + 1)
      for (const [i, { account, requests }] of rows().entries()) {
        assert.ok(lines[i + 1]!.startsWith(`${account} `) && lines[i + 1]!.endsWith(` ${requests}`), lines[i + 1])
      }
    })
  }

  it('The CSV of usage has no cell that a spreadsheet would evaluate', async () => {
    const { stdout } = await runAccountsHere(storeDir, 'usage', '--all', '--csv')
    for (const [account] of parse(stdout, { from: 2 }) as string[][])
      assert.doesNotMatch(account!, /^[=+\-@\t\r＝＋－＠]/)
    for (const text of ["'=1+1,", "'+49,", "'@shop,", "'＝２,", '"a, b",', '"the ""best""",']) {
      assert.ok(stdout.includes(`\n${text}`), text)
    }
  })

  it('The CSV of usage quotes any name', async () => {
    for (const name of ['a\nb', 'a\r\nb', '\t=1', '-1', ' a ', '"', 'a,"b"\n,']) {
      assert.deepEqual(parse(`${csvField(name)},1\n`), [[/^[\t-]/.test(name) ? `'${name}` : name, '1']])
    }
  })

  it('The command usage --all holds no transaction open while its reader is slow', async () => {
    const store = new Store(storeDir)
    const batches = usageRows(store, today - 45, today)
    await batches.next()
    const other = new Store(storeDir)
    other.change(() => {
      other.putAccount({ ...other.account(599), name: 'renamed' })
      other.addUsage(today, 599, 1)
    })
    const rest: string[] = []
    for await (const rows of batches) rest.push(...rows.map(({ account }) => account))
    assert.ok(rest.includes('renamed'))
    other.change(() => {
      other.putAccount({ ...other.account(599), name: 'account 599' })
      other.addUsage(today, 599, -1)
    })
    await other.close()
    await store.close()
  })

  it('The command usage --all ends silently when its reader closes the pipe', () => {
    const script = 'set -o pipefail; bin/card-prices accounts usage --all --csv | head -n 1'
    const env = { ...process.env, STORE_DIR: storeDir }
    // Its input is a socket. Without --norc, the shell may take that for ssh, and read the user's files.
    const words = ['--norc', '-c', script]
    const { status, stdout, stderr } = spawnSync('bash', words, { cwd: projectDir, env, encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, 'account,plan,date,requests\n', ''])
  })
})

it('The command usage NAME --month prints the days of one account’s month', async () => {
  const rows = ofMonth(lastMonth).filter(({ account }) => account === 'acme')
  const days = await accounts(storeDir, 'usage', 'acme', '--month', lastMonth)
  const found = days.filter(({ requests }: Row) => requests > 0)
  assert.deepEqual(
    found,
    rows.map(({ date, requests, plan }) => ({ date, requests, plan })),
  )
  assert.equal(days.at(-1).date, dateOfDay(today - Number(dateOfDay(today).slice(8))))
})

it('The usage of a day shows the plan at the start of the day, and the plan it changed to on that day', async () => {
  const [storeDir, now] = [temporaryFolder(), Date.now()]
  const store = new Store(storeDir)
  store.change(() => {
    const { number } = addAccount(store, 'acme', 'free', now - 9 * dayMs)
    addAccount(store, 'other', 'business', now - 9 * dayMs)
    addAccount(store, 'idle', 'free', now)
    for (let day = today - 9; day <= today; day++) {
      store.addUsage(day, number, 1)
      store.addUsage(day, number + 1, 2)
    }
  })
  setPlan(store, 'acme', 'business', now - 6 * dayMs)
  setPlan(store, 'acme', 'free', now - 3 * dayMs)
  setPlan(store, 'acme', 'trader', now - 3 * dayMs)
  setPlan(store, 'acme', 'free', now - 2 * dayMs)
  setPlan(store, 'acme', 'trader', now - 2 * dayMs)
  // On the day of its creation.
  setPlan(store, 'other', 'trader', now - 9 * dayMs)
  await store.close()
  const days = Array.from({ length: 10 }, (_, i) => today - 9 + i)
  const ofAcme = days.map((day) => ({
    date: dateOfDay(day),
    requests: 1,
    plan: day <= today - 6 ? 'free' : day <= today - 3 ? 'business' : 'trader',
    ...(day === today - 6 && { planChangedTo: 'business' }),
    ...(day === today - 3 && { planChangedTo: 'trader' }),
  }))
  assert.deepEqual(await accounts(storeDir, 'usage', 'acme'), ofAcme)
  assert.deepEqual(await accounts(storeDir, 'usage', 'idle'), [{ date: dateOfDay(today), requests: 0, plan: 'free' }])
  assert.deepEqual(await accounts(storeDir, 'usage', '--all'), [
    ...ofAcme.map((day) => ({ account: 'acme', ...day })),
    ...days.map((day, i) => ({
      account: 'other',
      plan: i === 0 ? 'business' : 'trader',
      date: dateOfDay(day),
      requests: 2,
      ...(i === 0 && { planChangedTo: 'trader' }),
    })),
  ])
  const { stdout } = await runAccountsHere(storeDir, 'usage', 'acme')
  assert.match(stdout, /^\d{4}-\d\d-\d\d +1 {2}free, then business$/m)
  assert.match(stdout, /^\d{4}-\d\d-\d\d +1 {2}trader\n(.*\n)*total +10$/m)
  assert.match((await runAccountsHere(storeDir, 'usage', '--all')).stdout, /^acme +business +\S+ +1 {2}trader$/m)
  const csv = (await runAccountsHere(storeDir, 'usage', '--all', '--csv')).stdout
  assert.ok(csv.includes(`\nacme,free,${dateOfDay(today - 6)},1\nacme,business,${dateOfDay(today - 5)},1\n`))
})
