/** The report of `npm test`, on files that end in every way that a file of tests can. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { before, describe, it } from 'node:test'
import { amount, itInAll } from '../support/amount.ts'
import { collect, projectDir, temporaryFolder } from '../support/command.ts'
import { lackOf } from '../support/programs.ts'

const folder = temporaryFolder()
const shown = (name: string) => relative(projectDir, join(folder, `${name}.test.mjs`))
/** Two files print more than a pipe holds (64 KiB), one prints less: Node loses what a file prints beyond. */
const longLine = 'long '.repeat(120).trimEnd()
const printing = `for (let i = 0; i < 65; i++) console.error('${longLine}')`

const files: Readonly<Record<string, string>> = {
  passing: `
    test('passes', (t) => { t.diagnostic('a word'); console.log('more words') })`,
  failing: `
    describe('outer', () => {
      describe('inner', () => { it('differs', () => assert.deepEqual({ price: 1 }, { price: 2 }, 'the price')) })
      it('is fine', () => {})
    })
    test('throws', () => { throw Object.assign(new Error('outside', { cause: new Error('inside') }), { code: 'E_OWN' }) })
    test('is slow', { timeout: 50 }, () => new Promise((resolve) => setTimeout(resolve, 600_000)))
    describe('unprepared', () => { before(() => { throw new Error('no ground') }); it('never begins', () => {}) })
    ${printing}`,
  killed: `
    ${printing}
    test('dies', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}) })`,
  skipping: `
    test('of a proxy', { skip: ${JSON.stringify(lackOf('nginx'))} }, () => {})
    test('of the proxy, too', { skip: ${JSON.stringify(lackOf('nginx'))} }, () => {})
    describe('of a store', { skip: ${JSON.stringify(lackOf('redis-server'))} }, () => { it('keeps', () => {}) })
    test('of a disk', { skip: 'needs root' }, () => {})
    test('of nothing', { skip: true }, () => {})
    test('passes', () => {})`,
  unreadable: 'const (',
}
const skippedLines = `skipped: 2 tests: needs nginx
skipped: 1 group of tests: needs redis-server
skipped: 1 test: needs root
skipped: 1 test: no reason given
apt-get install -y nginx redis-server
`

const head = `import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
after(() => setTimeout(() => (process.emit('beforeExit', 0), setTimeout(() => process.exit(), 500)), 20).unref())
`
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.mjs`), head + text)

interface Run {
  readonly CI?: string
  readonly onTerminal?: boolean
  /** Its output is read after two seconds. */
  readonly slow?: boolean
  /** That a file may run. */
  readonly seconds?: number
}

async function run(names: readonly string[], { CI = '', onTerminal = false, slow = false, seconds = 600 }: Run = {}) {
  const args = ['--test', '--test-reporter=./test/runner/report.ts', ...names.map(shown)]
  const command = [process.execPath, ...args].join(' ')
  // Without it, since what runs there is no test of this file.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  // Its exit code behind it, since the slow reader has its own.
  const [program, ...rest] = onTerminal
    ? ['script', '-qec', command, '/dev/null']
    : ['sh', '-c', `{ ${command}; echo $?; } | { sleep ${slow ? 2 : 0}; cat; }`]
  const child = spawn(program!, rest, {
    cwd: projectDir,
    env: { ...env, CI, TEST_FILE_SECONDS: `${seconds}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  const [, stdout, reported] = /^(.*?)(\d+\n)?$/s.exec(output.stdout())!
  return { code: onTerminal ? code : Number(reported), stdout: stdout!, stderr: output.stderr() }
}

describe('a run that fails, read slowly through a pipe', () => {
  let code: number | null
  let stdout = ''
  let stderr = ''
  before(async () => {
    ;({ code, stdout, stderr } = await run(Object.keys(files), { slow: true }))
  })

  it('exits 1', () => assert.deepEqual([code, stderr], [1, '']))

  it('has a line for each file', () => {
    for (const name of Object.keys(files)) {
      const fails = ['failing', 'killed', 'unreadable'].includes(name)
      assert.match(stdout, new RegExp(`^${shown(name)} \\d+\\.\\d s${fails ? ' FAILED' : ''}$`, 'm'))
    }
  })

  const failures: readonly (readonly [what: string, text: RegExp])[] = [
    ['failing.test.mjs: outer > inner > differs', /AssertionError.*: the price\n.*failing\.test\.mjs:6:\d+/s],
    [
      'failing.test.mjs: throws',
      /Error: outside\n.*failing\.test\.mjs:9:\d+.*code: 'E_OWN',\n.*\[cause\]: Error: inside/s,
    ],
    ['failing.test.mjs: is slow', /^ {4}test timed out after 50ms\n$/],
    ['failing.test.mjs: unprepared > never begins', /Error: no ground/],
    ['killed.test.mjs', /^ {4}its process was ended by SIGKILL\n$/],
    ['unreadable.test.mjs', /^ {4}its process exited 1\n$/],
  ]
  it('tells each failure with its error and place', () => {
    const reported = stdout.split(/^FAILED /m).slice(1)
    for (const [what, text] of failures) {
      const found = reported.find((each) => each.startsWith(`${join(relative(projectDir, folder), what)}\n`))
      assert.ok(found !== undefined, what)
      const why = found.slice(found.indexOf('\n') + 1).split(/^\S/m)[0]!
      assert.match(why.replace(/\n+$/, '\n'), text, what)
    }
    assert.equal(reported.length, failures.length, 'each once, and no other')
    assert.doesNotMatch(stdout, /node:internal\/test_runner/)
  })

  it('shows what failing files printed, and what others did not', () => {
    for (const name of ['failing', 'killed']) {
      const lines = `${shown(name)} printed:\n    (5 lines before)\n${`    ${longLine}\n`.repeat(60)}\n`
      assert.ok(stdout.includes(lines), name)
    }
    assert.match(stdout, /unreadable\.test\.mjs printed:\n.*SyntaxError: Unexpected token/s)
    assert.doesNotMatch(stdout, / words/)
  })

  it('ends with Node’s counts, then what was skipped and how to have it', () => {
    const [, counts, last] = /\n\n(# tests .*# duration_ms \S+\n)(.*)$/s.exec(stdout)!
    assert.deepEqual(
      counts!
        .trim()
        .split('\n')
        .map((line) => line.replace(/^(# duration_ms) \d.*/, '$1')),
      ['tests 13', 'suites 4', 'pass 3', 'fail 4', 'cancelled 2', 'skipped 4', 'todo 0', 'duration_ms'].map(
        (line) => `# ${line}`,
      ),
    )
    assert.equal(last, skippedLines)
  })
})

itInAll('files that do not end are killed with what they started, and named, and the others run', async () => {
  const tests: Readonly<Record<string, string>> = {
    looping: `test('never ends', () => {
      writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(spawn('sleep', ['98765']).pid))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`,
    waiting: "test('never ends', () => new Promise((resolve) => setInterval(() => {}, 1000)))",
  }
  for (const [name, text] of Object.entries(tests)) {
    const imports = "import { spawn } from 'node:child_process'\nimport { writeFileSync } from 'node:fs'\n"
    writeFileSync(join(folder, `${name}.test.mjs`), `${imports}${head}${text}`)
  }
  const seconds = amount(2, 10)
  const { code, stdout } = await run(['looping', 'waiting', 'passing'], { seconds })
  assert.equal(code, 1)
  assert.ok(stdout.includes(`\nFAILED ${shown('looping')}\n    it was ended after ${seconds} s`), stdout)
  const running = `it was ended after ${seconds} s, while “never ends” ran`
  assert.ok(stdout.includes(`\nFAILED ${shown('waiting')}\n    ${running}\n`), stdout)
  assert.match(stdout, new RegExp(`^${shown('passing')} \\d\\.\\d s$`, 'm'))
  const started = Number(readFileSync(join(folder, 'pid'), 'latin1'))
  assert.ok(started > 0 && !isRunning(started), 'nothing of them is left')
})

/** A zombie does not count. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

it('a file that ends before its last result fails', async () => {
  writeFileSync(join(folder, 'leaving.test.mjs'), `${head}test('leaves', () => process.exit(0))`)
  const { code, stdout } = await run(['leaving', 'passing'])
  assert.equal(code, 1)
  assert.ok(stdout.endsWith(`\nFAILED ${shown('leaving')}\n    not all of its results have come\n`), stdout)
})

it('a run that skips passes, unless CI is set; on a terminal too', async () => {
  const quiet = await run(['passing', 'skipping'])
  assert.equal(quiet.code, 0)
  assert.ok(quiet.stdout.endsWith(skippedLines))
  assert.ok(quiet.stdout.trim().split('\n').length <= 2 + 1 + 8 + 5, quiet.stdout)
  const strict = await run(['passing', 'skipping'], { CI: 'true', onTerminal: true })
  assert.equal(strict.code, 1)
  const lines = strict.stdout.replaceAll('\r', '')
  assert.ok(lines.endsWith(`${skippedLines}CI is set: what is skipped there is a failure\n`), lines)
  assert.match(lines, /✔ passes/)
  assert.equal((await run(['passing'], { CI: 'true' })).code, 0)
})
