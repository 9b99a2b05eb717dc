/** Accounts commands that are typed wrongly, or ask for what can't be done: one message, the right exit code, and nothing is changed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { expiry } from '../../src/cli/accounts/commands.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'

const storeDir = temporaryFolder()
before(() => accounts(storeDir, 'create', 'acme', '--plan', 'free'))

const long = 'x'.repeat(101)
const freePlan = ['--plan', 'free']

/** Exit code 2: what was typed is no command. */
const wrongUsage: [args: string[], message: RegExp][] = [
  [[], /a command is missing/],
  [['frobnicate'], /unknown command frobnicate/],
  [['create'], /create takes NAME/],
  [['create', 'x'], /--plan is missing/],
  [['create', 'x', '--plan', 'gold'], /unknown plan gold: use one of free, trader, business/],
  [['create', 'x', ...freePlan, '--colour'], /--colour/],
  [['set-plan', 'acme', 'gold'], /unknown plan gold/],
  [['list', ...freePlan], /list takes no --plan/],
  [['list', '--all'], /list takes no --all/],
  [['suspend'], /suspend takes NAME/],
  [['suspend', 'acme', '--name', 'x'], /suspend takes no --name/],
  [['rename', 'acme'], /rename takes NAME NEW/],
  [['delete', 'acme'], /confirm with --yes/],
  [['log', '--csv', '--json'], /log takes --csv or --json/],
  [['usage'], /usage takes NAME, or --all/],
  [['usage', 'acme', '--all'], /usage takes NAME, or --all/],
  [['usage', 'acme', '--csv'], /--csv goes with --all/],
  [['usage', '--all', '--csv', '--json'], /--csv or --json/],
  [['usage', 'a', 'b'], /usage takes \[NAME\]/],
  ...['', 'yesterday', '2026-13-01', '2026-02-30', '2027-02-29', '2026-00-10', '2026-01-01T25:00:00Z'].map(
    (text): [string[], RegExp] => [['log', '--since', text], /--since takes 2027-01-31 or/],
  ),
  ...['2026-13', '2026-00', '2026', '2026-1', '2026-01-01', ''].flatMap((text): [string[], RegExp][] => [
    [['usage', '--all', '--month', text], /--month takes 2027-01, not/],
    [['usage', 'acme', '--month', text], /--month takes 2027-01, not/],
  ]),
  [['create-key', 'acme', '--expires', 'soon'], /--expires takes 2027-01-31 or/],
]

/** Exit code 1. */
const refused: [args: string[], message: RegExp][] = [
  [['create', 'acme', ...freePlan], /the account acme already exists/],
  [['create', ' acme', ...freePlan], /begins with no blank/],
  [['create', 'acme ', ...freePlan], /ends with no blank/],
  [['create', ...freePlan, '--', '-acme'], /begins with no blank or hyphen/],
  [['create', 'a\tb', ...freePlan], /no control characters/],
  [['create', '', ...freePlan], /1 to 100 characters/],
  [['create', long, ...freePlan], /1 to 100 characters/],
  [['rename', 'acme', ' x'], /begins with no blank/],
  [['rename', 'acme', 'a\tb'], /no control characters/],
  [['rename', 'acme', ''], /1 to 100 characters/],
  [['rename', 'acme', long], /1 to 100 characters/],
  [['create-key', 'acme', '--expires', '2020-01-01'], /is in the past/],
  [['create-key', 'acme', '--name', 'a\nb'], /no control characters/],
  [['usage', '--all', '--month', '9000-01'], /has not begun/],
  [['import', join(storeDir, 'nothing')], /nothing can't be read \(no such file or directory\)\n$/],
  [['export', join(storeDir, 'no', 'file')], /no\/file can't be written \(no such file or directory\)\n$/],
  ...['create-key', 'delete --yes', 'keys', 'log', 'resume', 'suspend', 'usage'].map((text): [string[], RegExp] => {
    const [command, ...options] = text.split(' ')
    return [[command!, 'nobody', ...options], /there is no account nobody/]
  }),
  [['rename', 'nobody', 'x'], /there is no account nobody/],
  [['set-plan', 'nobody', 'free'], /there is no account nobody/],
  [['revoke', 'key_0000000000'], /there is no key key_0000000000/],
  [['regenerate', 'key_0000000000'], /there is no key key_0000000000/],
  [['usage', 'x'.repeat(5000)], /there is no account x/],
]

for (const [code, table] of [
  [2, wrongUsage],
  [1, refused],
] as const) {
  describe(`exits with ${code}, and changes nothing:`, () => {
    for (const [args, message] of table) {
      it(args.map((word) => word.slice(0, 30) || '""').join(' '), async () => {
        const before = [await accounts(storeDir, 'list'), await accounts(storeDir, 'log')]
        const outcome = await runAccountsHere(storeDir, ...args)
        assert.deepEqual([outcome.code, outcome.stdout], [code, ''], outcome.stderr)
        assert.match(outcome.stderr, message)
        assert.equal(outcome.stderr.trim().split('\n').length, code, 'one line, and where to find help')
        assert.deepEqual([await accounts(storeDir, 'list'), await accounts(storeDir, 'log')], before)
      })
    }
  })
}

describe('--expires', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const cases: [text: string, expected: string | RegExp][] = [
    ['2026-11-21', '2026-11-22T00:00:00.000Z'],
    ['2026-12-31', '2027-01-01T00:00:00.000Z'],
    ['2026-11-21T12:00:01Z', '2026-11-21T12:00:01.000Z'],
    ['2026-11-21T14:00+01:00', '2026-11-21T13:00:00.000Z'],
    ['2026-11-20', /is in the past/],
    ['2026-11-21T12:00:00Z', /is in the past/],
    ['2026-11-21T13:00:00', /takes/],
    ['2026-02-30', /takes/],
    ['2027-02-29T00:00:00Z', /takes/],
    ['tomorrow', /takes/],
    ['', /takes/],
  ]
  for (const [text, expected] of cases) {
    it(`${text || 'nothing'}: ${expected}`, () => {
      if (typeof expected === 'string') assert.equal(new Date(expiry(text, now)).toISOString(), expected)
      else assert.throws(() => expiry(text, now), expected)
    })
  }
})
