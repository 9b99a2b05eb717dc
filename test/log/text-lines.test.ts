/** Lines for people: what they show of JSON lines, and when they stand in their place. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { textLine } from '../../src/log/text-lines.ts'
import { projectDir, temporaryFolder } from '../support/command.ts'
import { skipWithout } from '../support/programs.ts'

process.env['TZ'] = 'Asia/Kolkata'
const time = Date.parse('2026-11-26T18:30:00.007Z')
const own = { time, pid: 1, hostname: 'a' }

const lines: readonly (readonly [json: object, text: string])[] = [
  [{ ...own, level: 30, msg: 'serving', cards: 398 }, '00:00:00.007 INFO  serving  cards=398\n'],
  [{ ...own, level: 40, msg: 'a' }, '00:00:00.007 WARN  a\n'],
  [
    { ...own, level: 20, msg: 'a', file: 'cert.pem', why: 'it is old', none: null, list: [1] },
    '00:00:00.007 DEBUG a  file=cert.pem why="it is old" none=null list=[1]\n',
  ],
  [{ time, route: '/v1/search', status: 200, us: 4 }, '00:00:00.007 REQ    route=/v1/search status=200 us=4\n'],
  [
    { ...own, level: 50, msg: 'b', err: { type: 'Error', message: 'c', stack: 'Error: c\n    at d' } },
    '00:00:00.007 ERROR b\n    Error: c\n    at d\n',
  ],
  [{ ...own, level: 60, err: { message: 'c' } }, '00:00:00.007 FATAL\n    c\n'],
  // What others wrote must not steer a terminal.
  [{ ...own, level: 50, msg: '\u001b[2J', a: '\u009b2J\n' }, '00:00:00.007 ERROR \\u001b[2J  a="\\u009b2J\\n"\n'],
]
for (const [json, text] of lines) {
  it(`The text form of a log line is ${JSON.stringify(text)}`, () => {
    assert.equal(textLine(`${JSON.stringify(json)}\n`, false), text)
    const coloured = textLine(`${JSON.stringify(json)}\n`, true)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are
    assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ''), text)
    assert.notEqual(coloured, text)
  })
}

describe('The log on stderr', { skip: skipWithout('script') }, () => {
  const program = `import { makeLog } from '${join(projectDir, 'src/log/log.ts')}'
makeLog({ LOG_LEVEL: 'info', LOG_FORMAT: process.env.LOG_FORMAT }).info({ a: 1 }, 'one')`
  /** What is written to a terminal, or to a pipe. */
  function written(isTerminal: boolean, env: NodeJS.ProcessEnv): string {
    const node = `${process.execPath} --input-type=module -e "$PROGRAM"`
    const settings = { PATH: process.env['PATH'], TERM: 'xterm', PROGRAM: program, ...env }
    const options = { cwd: temporaryFolder(), env: settings, encoding: 'utf8' } as const
    const { stdout } = isTerminal
      ? spawnSync('script', ['-qec', node, '/dev/null'], options)
      : spawnSync('sh', ['-c', `${node} 2>&1`], options)
    return stdout.replace(/[\d:.]{12}|"time":\d+.*"a"/, '…')
  }
  const [json, text, coloured] = [/^\{"level":30,…:1,"msg":"one"\}\s+$/, /^… INFO {2}one {2}a=1\s+$/, /.\[32mINFO /]
  const cases: readonly (readonly [isTerminal: boolean, env: NodeJS.ProcessEnv, wanted: RegExp])[] = [
    [true, {}, coloured],
    [true, { NO_COLOR: '1' }, text],
    [true, { TERM: 'dumb' }, text],
    [true, { LOG_FORMAT: 'json' }, json],
    [false, {}, json],
    [false, { LOG_FORMAT: 'text' }, text],
  ]
  for (const [isTerminal, env, wanted] of cases) {
    it(`The log ${isTerminal ? 'on a terminal' : 'in a pipe'} with ${JSON.stringify(env)} is like ${wanted}`, () => {
      assert.match(written(isTerminal, env), wanted)
    })
  }
})
