/** Accounts commands that are typed wrongly, or ask for what can't be done: one message, the right exit code, and nothing is changed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { expiry } from '../../src/cli/accounts/commands.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'

const storeDir = temporaryFolder()
const listed = async () => [await accounts(storeDir, 'list'), await accounts(storeDir, 'log')]
let unchanged: unknown[]
before(async () => {
  await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  unchanged = await listed()
})

const long = 'x'.repeat(101)
const forms = '2027-01-31 or 2027-01-31T12:00:00Z'
const freePlan = ['--plan', 'free']
const noPlan = 'unknown plan gold: use one of free, trader, business'

/** Exit code 2: what was typed is no command. */
const wrongUsage: [args: string[], message: string][] = [
  [[], 'a command is missing'],
  [['frobnicate'], 'unknown command frobnicate'],
  [['create'], 'create takes NAME'],
  [['create', 'x'], '--plan is missing: one of free, trader, business'],
  [['create', 'x', '--plan', 'gold'], noPlan],
  [['set-plan', 'acme', 'gold'], noPlan],
  [['list', 'acme'], 'list takes nothing more'],
  [['list', ...freePlan], 'list takes no --plan'],
  [['list', '--all'], 'list takes no --all'],
  [['suspend', 'acme', '--name', 'x'], 'suspend takes no --name'],
  [['rename', 'acme'], 'rename takes NAME NEW'],
  [['delete', 'acme'], 'delete ends an account for good: confirm with --yes'],
  [['log', '--csv', '--json'], 'log takes --csv or --json'],
  [['usage'], 'usage takes NAME, or --all'],
  [['usage', 'acme', '--all'], 'usage takes NAME, or --all'],
  [['usage', 'acme', '--csv'], '--csv goes with --all'],
  [['usage', '--all', '--csv', '--json'], 'usage takes --csv or --json'],
  [['usage', 'a', 'b'], 'usage takes [NAME]'],
  [['restore', 'file', '--force'], '--force is for restoring to ACCOUNTS_STORE'],
  [['move', 'nowhere'], 'move takes redis://… or rediss://…'],
  [['push'], 'push needs ACCOUNTS_STORE'],
  ...['', 'yesterday', '2026-13-01', '2026-02-30', '2027-02-29', '2026-00-10', '2026-01-01T25:00:00Z'].map(
    (text): [string[], string] => [['log', '--since', text], `--since takes ${forms}, not "${text}"`],
  ),
  ...['2026-13', '2026-00', '2026', '2026-1', '2026-01-01', ''].flatMap((text): [string[], string][] => [
    [['usage', '--all', '--month', text], `--month takes 2027-01, not "${text}"`],
    [['usage', 'acme', '--month', text], `--month takes 2027-01, not "${text}"`],
  ]),
  [['create-key', 'acme', '--expires', 'soon'], `--expires takes ${forms}, not "soon"`],
]

const [blank, control, length] = [
  'begins with no blank or hyphen and ends with no blank',
  'holds no control characters',
  'is 1 to 100 characters long',
].map((rule) => `the name of an account ${rule}`) as [string, string, string]
const [missing, noFile] = ['nothing', 'no/file'].map((name) => join(storeDir, name)) as [string, string]

/** Exit code 1. */
const refused: [args: string[], message: string][] = [
  [['create', 'acme', ...freePlan], 'the account acme already exists'],
  [['create', ...freePlan, '--', '-acme'], blank],
  ...[' acme', 'acme '].map((name): [string[], string] => [['create', name, ...freePlan], blank]),
  [['create', 'a\tb', ...freePlan], control],
  ...['', long].map((name): [string[], string] => [['create', name, ...freePlan], length]),
  [['rename', 'acme', ' x'], blank],
  [['rename', 'acme', 'a\tb'], control],
  ...['', long].map((name): [string[], string] => [['rename', 'acme', name], length]),
  [['create-key', 'acme', '--expires', '2020-01-01'], '--expires 2020-01-01 is in the past'],
  [['create-key', 'acme', '--name', 'a\nb'], 'the name of a key holds no control characters'],
  [['usage', '--all', '--month', '9000-01'], '--month 9000-01 has not begun'],
  [['import', missing], `${missing} can't be read (no such file or directory)`],
  [['export', noFile], `${noFile} can't be written (no such file or directory)`],
  ...['create-key', 'delete --yes', 'keys', 'log', 'resume', 'suspend', 'usage'].map((text): [string[], string] => {
    const [command, ...options] = text.split(' ')
    return [[command!, 'nobody', ...options], 'there is no account nobody']
  }),
  [['rename', 'nobody', 'x'], 'there is no account nobody'],
  [['set-plan', 'nobody', 'free'], 'there is no account nobody'],
  [['revoke', 'key_0000000000'], 'there is no key key_0000000000'],
  [['regenerate', 'key_0000000000'], 'there is no key key_0000000000'],
]

for (const [code, table] of [
  [2, wrongUsage],
  [1, refused],
] as const) {
  describe(`exits with ${code}, and changes nothing:`, () => {
    for (const [args, message] of table) {
      it(args.map((word) => word.slice(0, 30) || '""').join(' '), async () => {
        const help = code === 2 ? 'Try: card-prices accounts --help\n' : ''
        const outcome = await runAccountsHere(storeDir, ...args)
        assert.deepEqual(outcome, { code, stdout: '', stderr: `accounts: ${message}\n${help}` })
        assert.deepEqual(await listed(), unchanged)
      })
    }
  })
}

it('an option that does not exist, or a name that is far too long, is refused', async () => {
  const { code, stderr } = await runAccountsHere(storeDir, 'list', '--colour')
  assert.equal(code, 2)
  assert.match(stderr, /^accounts: Unknown option '--colour'.*\nTry: card-prices accounts --help\n$/)
  assert.match((await runAccountsHere(storeDir, 'usage', 'x'.repeat(5000))).stderr, /^accounts: there is no account x/)
})

it('each command prints what it did', async () => {
  const [dir, folder] = [temporaryFolder(), temporaryFolder()]
  process.env['WEB_URL'] = 'https://prices.example'
  const issued = 'key id   ID\nkey      KEY\nKeep the key now: it is not shown again.'
  const keys =
    'KEY ID          NAME     BEGINS WITH    CREATED           LAST USED  STATE\nID  default  KEY  TIME  never      '
  const another = 'ID  x        KEY  TIME  never      live until TIME'
  const logged =
    'TIME                      ACTOR                     ACTION                ACCOUNT               KEY ID          DETAIL'
  const transcript: [command: string, stdout: string, stderr?: string][] = [
    ['create acme --plan free', `account  acme (free)\n${issued}`],
    ['set-plan acme trader', 'acme is on the plan trader now'],
    ['create-key acme --name x --expires 2099-12-31T12:30Z', `account  acme (trader)\n${issued}`],
    ['regenerate ID', `account  acme (trader)\n${issued}`],
    ['keys acme', `${keys}live\n${another}`],
    ['usage acme', 'DATE        REQUESTS  PLAN\nDAY         0  free, then trader\ntotal              0'],
    ['suspend acme --reason unpaid', 'acme is suspended'],
    [
      'list',
      'ACCOUNT  PLAN    KEYS  USED TODAY  STATE      CREATED     NUMBER\nacme     trader  2     0           suspended  DAY  0',
    ],
    ['resume acme', 'acme is resumed'],
    [
      'sign-in acme',
      'https://prices.example/sign-in/TOKEN\nIt works once, until TIME UTC. Anyone who opens it can sign in as acme.',
      'accounts: no server with pages runs on this store: the link works when one runs\n',
    ],
    ['sign-out acme', '0 sessions of acme are ended, and all links to sign in'],
    ['rename acme new', 'acme is new now'],
    ['revoke ID', 'ID of new is revoked'],
    ['keys new', `${keys}revoked TIME\n${another}`],
    ['log new --since 2099-01-01', logged],
    ['export DIR/file', '1 accounts and 2 keys are in DIR/file'],
    ['import DIR/file', '1 accounts and 2 keys read, 3 of them new or changed'],
    ['backup DIR/db', '1 accounts and 2 keys are in DIR/db'],
    ['backup DIR/', '1 accounts and 2 keys are in DIR/accounts-TIME.db; 0 old backups are removed'],
    ['restore DIR/db', '1 accounts and 2 keys are restored'],
    ['delete new --yes', 'new is deleted, with 1 live keys'],
  ]
  let keyId = ''
  for (const [command, text, stderr = ''] of transcript) {
    const args = command.replace('DIR', folder).replace('ID', keyId).split(' ')
    const outcome = await runAccountsHere(/^(import|restore)/.test(command) ? temporaryFolder() : dir, ...args)
    keyId ||= /key_\w+/.exec(outcome.stdout)![0]
    const stdout = [
      ...([
        [folder, 'DIR'],
        [/key_\w{10}/g, 'ID'],
        [/cpl_live_\w+/g, 'KEY'],
        [/sign-in\/[\w-]+/g, 'sign-in/TOKEN'],
      ] as const),
      ...([
        [/\d{8}T\d{6}Z|\d+-\d\d-\d\d[T ][\d:.]+Z?/g, 'TIME'],
        [/\d{4}-\d\d-\d\d/g, 'DAY'],
      ] as const),
    ].reduce((shown, [found, name]) => shown.replaceAll(found, name), outcome.stdout)
    assert.deepEqual({ ...outcome, stdout }, { code: 0, stdout: `${text}\n`, stderr }, command)
  }
  delete process.env['WEB_URL']
})

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
