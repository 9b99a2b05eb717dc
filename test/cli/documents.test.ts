/**
 * The documents, typed as they stand: their commands are run one after the other, their requests are sent, and the answers
 * and tables compared. Words in capitals are what a reader puts in (`given`).
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { optionsFrom } from '../../bench/options.ts'
import { codesIn } from '../../src/api/problems.ts'
import { routes } from '../../src/api/routes.ts'
import { plans } from '../../src/plans.ts'
import { readSettings } from '../../src/settings.ts'
import { packageVersion, softwareVersion } from '../../src/version.ts'
import { itInAll } from '../support/amount.ts'
import {
  build,
  collect,
  documentText,
  type Outcome,
  outcomeOf,
  projectDir,
  runAccountsOf,
  temporaryFolder,
} from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { sampleIndex } from '../support/sample.ts'
import { type Reply, send } from '../support/service.ts'
import { until } from '../support/until.ts'

/** In the order in which users read them. */
const userDocuments = [
  'README.md',
  ...['api', 'data', 'operating', 'cluster', 'performance'].map((name) => `docs/${name}.md`),
]
const documents = userDocuments.map(documentText).join('\n')
const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(projectDir, 'package.json'), 'utf8'),
)
const shellLines = [...documents.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.split('\n'))
/** The rows of all tables, as the text of their cells. */
const rowsIn = (text: string) =>
  [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row]) => row!.split('|').map((cell) => cell.trim()))
const rows = rowsIn(documents)
/** Commands that tables name for what one wants, in their order. */
const inlineCommands = rows
  .filter((cells) => cells.length === 2 && cells[1]!.startsWith('`card-prices '))
  .flatMap(([, cell]) => [...cell!.matchAll(/`(card-prices [^`]+)`/g)].map(([, command]) => command!))

const isAll = process.env['TEST_ALL'] === '1'
// npm run test:all lets npm start make the version.
const indexDir = isAll ? temporaryFolder() : await sampleIndex()

const env = {
  ...process.env,
  PATH: `${join(projectDir, 'bin')}:${process.env['PATH']}`,
  INDEX_DIR: indexDir,
  STORE_DIR: temporaryFolder(),
  PORT: '0',
  // Only one of several tests that start at once would get the usual port.
  WEB_PORT: '0',
  LOG_LEVEL: 'warn',
}

const shell = (line: string) =>
  spawn('sh', ['-c', `exec ${line}`], { cwd: projectDir, env, stdio: ['ignore', 'pipe', 'pipe'] })

/** The words of a line, as a shell takes them. */
const wordsOf = (line: string) =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

let areAccountsTyped = false

/** The first accounts command is a process; those that follow run in this one. */
async function typed(line: string): Promise<Outcome> {
  const [program, command, ...args] = wordsOf(line)
  if (program !== 'card-prices' || command !== 'accounts' || !areAccountsTyped) {
    areAccountsTyped ||= command === 'accounts'
    return outcomeOf(shell(line))
  }
  return runAccountsOf(env, ...args)
}

/** The output of `npm start`, once it serves. */
let said = ''
let logged = () => ''
let address = ''
let key = ''
let stop = async (): Promise<void> => {}

before(async () => {
  const line = /^npm ci && (npm start)\b/.exec(shellLines.find((line) => line.includes('npm start'))!)![1]!
  // The script is compared below. npm itself takes as long again.
  const child = shell(isAll ? line : 'card-prices start')
  const output = collect(child)
  const closed = once(child, 'close')
  stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  await until('npm start serves', () => /\/sign-in\//.test(output.stdout()) || child.exitCode !== null)
  said = output.stdout()
  logged = output.stderr
  address = /^listening on (\S+)$/m.exec(said)?.[1] ?? ''
  key = /^ {2}(cpl_live_\w+)$/m.exec(said)?.[1] ?? ''
})

after(() => stop())

/** The request that a line of curl sends, and what of the answer it prints. */
function requestOf(line: string) {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) =>
    single === undefined ? (double ?? plain!).replaceAll('$KEY', key) : single,
  )
  const headers: Record<string, string> = {}
  let body: string | undefined
  let url: URL | undefined
  let printed = (reply: Reply): string => reply.body
  for (let i = 1; i < words.length; i++) {
    if (words[i] === '-H') {
      const [name, value] = words[++i]!.split(': ')
      headers[name!.toLowerCase()] = value!
    } else if (words[i] === '-d') body = words[++i]!
    else if (words[i]!.startsWith('--retry') || words[i]!.startsWith('--etag-')) i++
    else if (words[i] === '-o') {
      i++
      printed = () => ''
    } else if (words[i] === '-w') {
      const all = printed
      const [, header] = /^%header\{(.*)\}$/.exec(words[++i]!) ?? []
      printed = (reply) => `${all(reply)}${header === undefined ? reply.status : reply.headers[header]}`
    } else if (words[i] === '--compressed') {
      headers['accept-encoding'] = 'gzip'
      const all = printed
      printed = (reply) => all({ ...reply, body: gunzipSync(reply.bytes).toString() })
    } else if (words.slice(i).join(' ') === '| head -1') {
      const all = printed
      printed = (reply) => all(reply).split('\n')[0]!
      break
    } else url = new URL(words[i]!)
  }
  const sent = body === undefined ? { headers } : { method: 'POST', headers, body }
  return { url: url!, path: `${url!.pathname}${url!.search}`, sent, printed }
}

describe('npm start', () => {
  it('The command npm start prints its address, a key, and a curl line that works', async () => {
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/, said)
    assert.notEqual(key, '')
    const { url, path, sent } = requestOf(/^ {2}(curl .*)$/m.exec(said)![1]!)
    assert.equal(url.origin, address)
    assert.equal((await send(address, path, sent)).status, 200)
  })

  it('The command npm start prints the address of the pages, and a link that signs in', async () => {
    const pages = /^pages on (\S+)$/m.exec(said)![1]!
    const link = new URL(/^sign in as demo, once:\n {2}(\S+)$/m.exec(said)![1]!)
    assert.equal(link.origin, pages)
    const reply = await send(pages, link.pathname)
    assert.equal(reply.status, 200)
    assert.match(reply.body, /Sign in as demo/)
  })

  it('The served sample answers each documented request as the documents say', async () => {
    const asked = shellLines.flatMap((line, i) =>
      line.startsWith('curl ') ? [[line, shellLines[i + 1]!] as const] : [],
    )
    assert.ok(asked.length >= 10)
    for (const [line, answer] of asked) {
      const { url, path, sent, printed } = requestOf(line)
      assert.equal(url.host, '127.0.0.1:8080', 'the address that a server has by itself')
      const came = printed(await send(address, path, sent)).replace(softwareVersion, packageVersion)
      assert.equal(came, answer, line)
    }
    assert.equal((await send(address, '/healthz')).status, 200)
    assert.doesNotMatch(logged(), /no accounts in/, 'it has made one')
  })
})

describe('The commands in the documents', () => {
  const given: Record<string, string> = { CARD_ID: 'pokemon-base1-004', FILE: join(temporaryFolder(), 'accounts.json') }
  const published = temporaryFolder()
  const filled = (command: string) => {
    const values = command.startsWith('card-prices push') ? { ...given, DIR: published } : given
    return command
      .replace(/\[([A-Z_]+)\]/g, '$1')
      .replace(/\b(DIR|VERSION|CARD_ID|KEYID|FILE|URL)\b/g, (word) => values[word]!)
  }

  it('Each npm command in the documents is a script of package.json', () => {
    const named = [...documents.matchAll(/npm (?:run (?:-s )?([a-z:]+)|(start|test))/g)].map(
      (match) => match[1] ?? match[2]!,
    )
    assert.ok(named.length > 10)
    for (const name of named) assert.ok(scripts[name] !== undefined, name)
  })

  it('The documented benchmarks name parts and scenarios that exist', () => {
    const snapshots = fixtureSnapshot()
    const asked = [...documents.matchAll(/--only ([\w,-]+)/g)].map(([, only]) => only!)
    assert.ok(asked.length > 5)
    for (const only of asked) {
      const given = { snapshots, only, times: '1', years: '1', wide: false, short: false, reference: false }
      assert.deepEqual([...optionsFrom(given).only], only.split(','))
    }
  })

  itInAll('The documented commands work as they are typed, in their order', async () => {
    given['DIR'] = fixtureSnapshot()
    const files = await FileServer.start(published)
    given['URL'] = files.url
    given['VERSION'] = readFileSync(join(indexDir, 'current'), 'utf8').trim()
    // So that a version lies before the current one, and the snapshot is no smaller than that.
    assert.equal((await build(given['DIR'], temporaryFolder())).code, 0)
    const commands = [...new Set(inlineCommands)].filter((command) => !command.includes('postgres://'))
    assert.ok(commands.length >= 15, `${commands.length} commands`)
    for (const command of commands) {
      const { code, stdout, stderr } = await typed(filled(command))
      const shrinks = command.startsWith('card-prices build') && !command.includes('--force')
      assert.equal(code, shrinks ? 1 : 0, `${command}: ${stderr}`)
      if (shrinks) assert.match(stderr, /more than a tenth fewer cards/)
      given['KEYID'] = /^key id {3}(\S+)$/m.exec(stdout)?.[1] ?? given['KEYID']!
    }
    await files.stop()
  })

  it('A clone has a script of the same name for each command', () => {
    for (const name of 'start serve build import rollback inspect push pull accounts doctor'.split(' ')) {
      assert.equal(scripts[name], `exec bin/card-prices ${name}`)
    }
  })

  it('Each script of package.json replaces its shell with the project’s own Node.js', () => {
    for (const [name, script] of Object.entries(scripts)) {
      // They run what checks, compiles and tests, and npm.
      if (/^(check|compile|prepare|prepack|bench:peers|test.*)$/.test(name)) continue
      assert.match(script, /^exec (bin\/card-prices |sh src\/process\/node\.sh )/, name)
      const file = script.split(' ').find((word) => /^[^-'].*\.(ts|cjs)$/.test(word))
      if (file !== undefined) assert.ok(existsSync(join(projectDir, file)), name)
    }
  })
})

it('Each block of commands in the documents is marked as sh, which tests run, or as shown only', () => {
  for (const name of ['data', 'operating', 'cluster']) {
    const blocks = [...documentText(`docs/${name}.md`).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    assert.ok(blocks.length > 2, name)
    for (const [, kind, text] of blocks) {
      if (kind !== 'sh' && kind !== 'sh shown-only')
        assert.doesNotMatch(text!, /^(card-prices|npm|systemctl|cp|rm) /m, name)
    }
  }
})

describe('The tables of the documents', () => {
  const column = (cell: number) =>
    new Set(rows.flatMap((row) => [...(row[cell] ?? '').matchAll(/`([^`]+)`/g)].map(([, text]) => text!)))

  it('The tables of the documents name every endpoint, plan and error code', () => {
    const endpoints = [...column(0)].filter((text) => /^(GET|POST) /.test(text))
    assert.deepEqual(endpoints.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
    for (const code of codesIn('A')) assert.ok(column(1).has(code), code)
    for (const { name, requestsPerDay } of Object.values(plans)) {
      assert.ok(
        rows.some(([plan, requests]) => plan === name && requests === requestsPerDay.toLocaleString('en')),
        name,
      )
    }
  })

  it('The tables of the documents name every setting with its default', () => {
    const settings = readSettings({})
    const reported = new Map<string, string>()
    for (const [names = '', values = ''] of rowsIn(documentText('docs/operating.md'))) {
      const found = [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!)
      for (const [i, name] of found.entries()) reported.set(name, (values.split(', ')[i] ?? '').trim())
    }
    for (const [name, value] of Object.entries(settings)) assert.equal(reported.get(name), String(value ?? ''), name)
    assert.equal(reported.size, Object.keys(settings).length)
  })
})

describe('The links in the documents', () => {
  /** The anchor that GitHub makes of a heading. */
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  const anchorsIn = (text: string) =>
    new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!)))
  const linked = [
    'README.md',
    'DESIGN.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
    ...globSync('docs/**/*.md', { cwd: projectDir }),
  ]

  it('Each link in the documents leads to a file and a heading that exist', () => {
    for (const from of linked) {
      const targets = [...documentText(from).matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)/g)].map(
        ([, target]) => target!,
      )
      for (const target of targets.filter((address) => !address.includes('://'))) {
        const [path = '', anchor] = target.split('#')
        const file = path === '' ? from : join(dirname(from), path)
        assert.ok(existsSync(join(projectDir, file)), `${from}: ${target}`)
        if (anchor !== undefined) assert.ok(anchorsIn(documentText(file)).has(anchor), `${from}: ${target}`)
      }
    }
  })

  it('Each file that DESIGN.md or CONTRIBUTING.md names exists', () => {
    for (const from of ['DESIGN.md', 'CONTRIBUTING.md']) {
      const named = [
        ...documentText(from).matchAll(/\b(?:bench|build|clients|deploy|docs|src|test)\/[\w/.-]*\w\.(?:md|sh|ts)\b/g),
      ]
      assert.ok(named.length > 10, from)
      for (const [file] of named) assert.ok(existsSync(join(projectDir, file)), `${from}: ${file}`)
    }
  })
})
