/** Accounts commands that are typed wrongly, or ask for what can't be done: one message, the right exit code, and nothing is changed. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { expiry } from '../../src/cli/accounts/key-commands.ts'
import { accounts, runAccountsHere, temporaryFolder } from '../support/command.ts'

const storeDir = temporaryFolder()
const listed = async () => [await accounts(storeDir, 'list'), await accounts(storeDir, 'log')]
let unchanged: unknown[]
before(async () => {
  await accounts(storeDir, 'create', 'acme', '--plan', 'free')
  unchanged = await listed()
})

const forms = '2027-01-31 or 2027-01-31T12:00:00Z'
const days = ['', '2026-13-01', '2026-02-30', '2027-02-29T00:00:00Z', '2026-00-10', '2026-01-01T25:00:00Z']
const months = ['2026-13', '2026-00', '2026', '2026-1', '2026-01-01', '']

/** Exit code 2: what was typed is no command. The commands are parted by `|`. */
const wrongUsage: [message: string, commands: string][] = [
  ["unknown command 'frobnicate'", 'frobnicate'],
  ["missing required argument 'NAME'", 'create --plan free'],
  ["required option '--plan <PLAN>' not specified", 'create x'],
  [
    "option '--plan <PLAN>' argument 'gold' is invalid. Allowed choices are free, trader, business.",
    'create x --plan gold',
  ],
  [
    "command-argument value 'gold' is invalid for argument 'PLAN'. Allowed choices are free, trader, business.",
    'set-plan acme gold',
  ],
  ["too many arguments for 'list'. Expected 0 arguments but got 1.", 'list acme'],
  ["unknown option '--plan'", 'list --plan free'],
  ["unknown option '--all'", 'list --all'],
  ["unknown option '--name'", 'suspend acme --name x'],
  ["missing required argument 'NEW'", 'rename acme'],
  ['delete ends an account for good: confirm with --yes', 'delete acme'],
  ['log takes --csv or --json', 'log --csv --json'],
  ['usage takes NAME, or --all', 'usage|usage acme --all'],
  ['--csv goes with --all', 'usage acme --csv'],
  ['usage takes --csv or --json', 'usage --all --csv --json'],
  ["too many arguments for 'usage'. Expected 1 argument but got 2.", 'usage a b'],
  ['--force is for restoring to DATABASE_URL', 'restore file --force'],
  ['move takes postgres://… or postgresql://…', 'move nowhere'],
  ['push needs DATABASE_URL', 'push'],
  [`--expires takes ${forms}, not "soon"`, 'create-key acme --expires soon'],
  ...days.map((day): [string, string] => [`--since takes ${forms}, not "${day}"`, `log --since ${day}`]),
  ...months.map((month): [string, string] => [
    `--month takes 2027-01, not "${month}"`,
    `usage --all --month ${month}|usage acme --month ${month}`,
  ]),
]

const ofName = 'the name of an account'
const nobody = 'create-key nobody|delete nobody --yes|keys nobody|log nobody|resume nobody|suspend nobody|usage nobody'

/** Exit code 1. A blank of a name is `·`. */
const refused: [message: string, commands: string][] = [
  ['the account acme already exists', 'create acme --plan free'],
  [
    `${ofName} begins with no blank or hyphen and ends with no blank`,
    'create --plan free -- -acme|create ·acme --plan free|create acme· --plan free|rename acme ·x',
  ],
  [`${ofName} holds no control characters`, 'create a\tb --plan free|rename acme a\tb'],
  [`${ofName} is 1 to 100 characters long`, `create  --plan free|rename acme |rename acme ${'x'.repeat(101)}`],
  ['--expires 2020-01-01 is in the past', 'create-key acme --expires 2020-01-01'],
  ['the name of a key holds no control characters', 'create-key acme --name a\nb'],
  ['--month 9000-01 has not begun', 'usage --all --month 9000-01'],
  [`${storeDir}/none can't be read (no such file or directory)`, `import ${storeDir}/none`],
  [`${storeDir}/no/file can't be written (no such file or directory)`, `export ${storeDir}/no/file`],
  ['there is no account nobody', `${nobody}|rename nobody x|set-plan nobody free`],
  ['there is no key key_0000000000', 'revoke key_0000000000|regenerate key_0000000000'],
]

for (const [code, table] of [wrongUsage, refused].map((each, i) => [2 - i, each] as const)) {
  describe(`The accounts commands that exit with ${code} and change nothing`, () => {
    for (const [message, commands] of table) {
      for (const command of commands.split('|')) {
        it(`The command "accounts ${command}" exits with ${code}`, async () => {
          const name = command.startsWith('frobnicate') ? '' : `${command.split(' ')[0]} `
          const help = code === 2 ? `Try: card-prices accounts ${name}--help\n` : ''
          const outcome = await runAccountsHere(storeDir, ...command.split(' ').map((word) => word.replace('·', ' ')))
          assert.deepEqual(outcome, { code, stdout: '', stderr: `accounts: ${message}\n${help}` })
          assert.deepEqual(await listed(), unchanged)
        })
      }
    }
  })
}

it('The accounts command prints an error for a missing command, an unknown option or a very long name', async () => {
  const none = await runAccountsHere(storeDir)
  assert.deepEqual([none.code, none.stdout], [2, ''])
  assert.match(none.stderr, /^Usage: card-prices accounts /)
  const { code, stderr } = await runAccountsHere(storeDir, 'list', '--colour')
  assert.equal(code, 2)
  assert.match(stderr, /^accounts: unknown option '--colour'\nTry: card-prices accounts list --help\n$/)
  assert.match((await runAccountsHere(storeDir, 'usage', 'x'.repeat(5000))).stderr, /^accounts: there is no account x/)
})

it('Each accounts command prints what it did', async () => {
  const [dir, folder] = [temporaryFolder(), temporaryFolder()]
  process.env['WEB_URL'] = 'https://prices.example'
  const issued = 'key id   ID\nkey      KEY\nKeep the key now: it is not shown again.'
  const keys =
    'KEY ID          NAME     BEGINS WITH    CREATED           LAST USED  STATE\nID  default  KEY  TIME  never      '
  const header = 'ACCOUNT  PLAN    KEYS  USED TODAY  STATE      CREATED     NUMBER'
  const another = 'ID  x        KEY  TIME  never      live until TIME'
  const logged =
    'TIME                      ACTOR                     ACTION                ACCOUNT               KEY ID          DETAIL'
  const once = 'It works once, until TIME UTC. Anyone who opens it can sign in as acme.'
  const warning = 'accounts: no server with pages runs on this store: the link works when one runs\n'
  const transcript: [command: string, stdout: string, stderr?: string][] = [
    ['create acme --plan free', `account  acme (free)\n${issued}`],
    ['set-plan acme trader', 'acme is on the plan trader now'],
    ['create-key acme --name x --expires 2099-12-31T12:30Z', `account  acme (trader)\n${issued}`],
    ['regenerate ID', `account  acme (trader)\n${issued}`],
    ['keys acme', `${keys}live\n${another}`],
    ['usage acme', 'DATE        REQUESTS  PLAN\nDAY         0  free, then trader\ntotal              0'],
    ['suspend acme --reason unpaid', 'acme is suspended'],
    ['list', `${header}\nacme     trader  2     0           suspended  DAY  0`],
    ['resume acme', 'acme is resumed'],
    ['sign-in acme', `https://prices.example/sign-in/TOKEN\n${once}`, warning],
    ['sign-out acme', '0 sessions of acme are ended, and all links to sign in'],
    ['rename acme new', 'acme is new now'],
    ['revoke ID', 'ID of new is revoked'],
    ['keys new', `${keys}revoked TIME\n${another}`],
    ['log new --since 2099-01-01', logged],
    ['export DIR/file', '1 accounts and 2 keys are in DIR/file'],
    ['import DIR/file', '1 accounts and 2 keys read, 3 of them new or changed'],
    ['backup DIR/db', '1 accounts and 2 keys are in DIR/db'],
    ['backup DIR/', '1 accounts and 2 keys are in DIR/accounts-TIME.db; 0 old backups are removed'],
    ['restore DIR/db', '1 accounts and 2 keys are restored as they were; changes since then are lost, revocations too'],
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
  ]
  for (const [text, expected] of cases) {
    it(`The option --expires ${text} results in ${expected}`, () => {
      if (typeof expected === 'string') assert.equal(new Date(expiry(text, now)).toISOString(), expected)
      else assert.throws(() => expiry(text, now), expected)
    })
  }
})
