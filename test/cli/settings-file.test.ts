/** The settings file, and wrong names of settings. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadSettingsFile, settingMeantBy } from '../../src/cli/settings-file.ts'
import { temporaryFolder } from '../support/command.ts'

const folder = temporaryFolder()
const path = join(folder, 'card-prices.env')

function loaded(text: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(path, text)
  return { ...loadSettingsFile(path, env), env }
}

describe('a value in the settings file is read as systemd reads it', () => {
  const values: readonly (readonly [line: string, value: string])[] = [
    ['STORE_DIR=/a b', '/a b'],
    ['  STORE_DIR = /a b \t', '/a b'],
    ['STORE_DIR=', ''],
    ['STORE_DIR="/a \'b\' "', "/a 'b' "],
    ['STORE_DIR=\'/a "b" \\\'', '/a "b" \\'],
    ['STORE_DIR="a\\"b\\\\c\\$d\\`e\\nf"', 'a"b\\c$d`e\\nf'],
    ['STORE_DIR="a\nb"', 'a\nb'],
    ['STORE_DIR="a\\\nb"', 'ab'],
    ['STORE_DIR=\'a\' "b" c', 'abc'],
    ['STORE_DIR=a "b" #c', 'a "b" #c'],
    ['STORE_DIR=a\\\nb', 'ab'],
    ['STORE_DIR=a\\\r\nb', 'ab'],
    ['STORE_DIR=a\\b\\\\c\\ ', 'ab\\c '],
    ['STORE_DIR=a\\', 'a'],
    ['STORE_DIR=a=b', 'a=b'],
    ['\ufeffSTORE_DIR=a\r\nPORT=1\r\n', 'a'],
    ['#STORE_DIR=b\n;STORE_DIR=c\nSTORE_DIR=a\n  # d\n', 'a'],
    ['STORE_DIR=b\nSTORE_DIR=a', 'a'],
    ['# a comment \\\nSTORE_DIR=a\n\n  ', 'a'],
  ]
  for (const [line, value] of values) {
    it(JSON.stringify(line), () => {
      const { env, warnings } = loaded(line)
      assert.equal(env['STORE_DIR'], value)
      assert.deepEqual(warnings, [])
    })
  }
})

it('the environment wins over the file, and nothing but settings comes from it', () => {
  const { env } = loaded('PORT=1\nHOST=a\nLD_PRELOAD=b\n', { PORT: '2', HOST: '' })
  assert.deepEqual(env, { PORT: '2', HOST: 'a', CARD_PRICES_ENV: path })
})

it('the usual file is passed over where it is missing or no file', () => {
  const usual = join(folder, 'usual')
  assert.deepEqual(loadSettingsFile(undefined, {}, usual), { path: undefined, warnings: [] })
  mkdirSync(usual)
  assert.equal(loadSettingsFile(undefined, {}, usual).path, undefined)
  writeFileSync(path, 'PORT=1')
  const env: NodeJS.ProcessEnv = {}
  assert.equal(loadSettingsFile(undefined, env, path).path, path)
  assert.equal(env['PORT'], '1')
})

it('no line of the file shows a value', () => {
  const lines = ['export PORT=secret', 'secret', '-secret=secret', 'ODD=secret', 'PORTS=secret']
  const { warnings } = loaded(lines.join('\n'))
  assert.deepEqual(warnings, [
    `${path}:1: not a KEY=value line; ignored`,
    `${path}:2: not a KEY=value line; ignored`,
    `${path}:3: not a KEY=value line; ignored`,
    `${path}:4: ODD is no setting; ignored`,
    `${path}:5: PORTS is no setting; ignored: did you mean PORT?`,
  ])
  for (const text of ['PORT=1\nHOST="secret', "HOST=a\nHOST='a'\nHOST='secret\n"]) {
    assert.throws(() => loaded(text), /:\d: HOST: a quote is not closed$/)
  }
})

describe('a wrong name', () => {
  const names: readonly (readonly [name: string, meant: string | undefined])[] = [
    ['WEBPORT', 'WEB_PORT'],
    ['PORTS', 'PORT'],
    ['INDEXDIR', 'INDEX_DIR'],
    ['THREAD', 'THREADS'],
    ['web_port', 'WEB_PORT'],
    ['WBE_PORT', 'WEB_PORT'],
    ['METRICPORT', 'METRICS_PORT'],
    ['LOGLEVELS', 'LOG_LEVEL'],
    ['LGOLEVELS', undefined],
    ['TLS_CERTS', 'TLS_CERT'],
    ['QUOTASTORES', 'QUOTA_STORE'],
    ...['PORT', 'HOSTNAME', 'HOME', 'SHELL', 'PATH', 'POST', 'DB_HOST', 'DB_PORT', 'DB_URL', 'API_PORT', 'APP_URL'].map(
      (name) => [name, undefined] as const,
    ),
    ...['WEB_ROOT', 'SSL_CERT_FILE', 'NODE_ENV', 'NODE_OPTIONS', 'HTTP_PROXY', 'LANG'].map(
      (name) => [name, undefined] as const,
    ),
  ]
  for (const [name, meant] of names) {
    it(`${name} ${meant === undefined ? 'is no mistake of ours' : `means ${meant}`}`, () => {
      assert.equal(settingMeantBy(name), meant)
    })
  }
})
