/** Modules whose types were taken out before: a project of its own, with modules that are changed, damaged, or new. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { projectDir, temporaryFolder } from '../support/command.ts'

const cacheOf = (project: string) => join(project, 'node_modules/.cache/card-price-lookup')

/** A program that prints what a module says, here and in a thread; both have types. */
function project(said: string): string {
  const folder = temporaryFolder()
  for (const file of ['stripped.cjs', 'strip.cjs', 'thread-flags.ts']) {
    cpSync(join(projectDir, 'src/process', file), join(folder, 'src/process', file))
  }
  mkdirSync(join(folder, 'build'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  say(folder, said)
  writeFileSync(
    join(folder, 'build/main.ts'),
    `import { isMainThread, Worker } from 'node:worker_threads'
import { threadFlags } from '../src/process/thread-flags.ts'
import { said } from '../src/said.ts'
const where: string = isMainThread ? 'here' : 'in a thread'
console.log(\`\${said} \${where}\`)
if (isMainThread) new Worker(new URL(import.meta.url), { execArgv: threadFlags })
`,
  )
  return folder
}

const say = (folder: string, said: string) =>
  writeFileSync(join(folder, 'src/said.ts'), `export const said: string = ${JSON.stringify(said)}\n`)

const node = (folder: string, ...args: string[]) =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const strip = (folder: string) => node(folder, '--disable-warning=ExperimentalWarning', 'src/process/strip.cjs')
const run = (folder: string) => node(folder, '--require', './src/process/stripped.cjs', 'build/main.ts')

/** From now on what is kept says another word, by which it is seen that it runs. */
function alterKept(folder: string): void {
  const kept = join(cacheOf(folder), 'src/said.ts')
  writeFileSync(kept, readFileSync(kept, 'utf8').replace('"was', '"kept'))
}

describe('modules', () => {
  it('come without their types from where they were put, in threads too', () => {
    const folder = project('was said')
    assert.equal(strip(folder), '')
    alterKept(folder)
    assert.equal(run(folder), 'kept said here\nkept said in a thread\n')
  })

  it('are taken as they are now: changed, damaged, not yet there, or all of it gone', () => {
    const folder = project('was said')
    strip(folder)
    say(folder, 'was changed')
    assert.equal(run(folder), 'was changed here\nwas changed in a thread\n')
    strip(folder)
    alterKept(folder)
    assert.equal(run(folder), 'kept changed here\nkept changed in a thread\n')
    for (const text of ['', 'export const said = "of another mark"\n', '\0'.repeat(4096)]) {
      writeFileSync(join(cacheOf(folder), 'src/said.ts'), text)
      assert.equal(run(folder), 'was changed here\nwas changed in a thread\n')
    }
    const fresh = project('was never stripped')
    assert.equal(run(fresh), 'was never stripped here\nwas never stripped in a thread\n')
    assert.equal(existsSync(cacheOf(fresh)), false)
  })

  it('keep their types where nothing can be written, and run all the same', () => {
    const folder = project('was said')
    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'node_modules/.cache'), 'a file')
    assert.equal(strip(folder), '')
    assert.equal(run(folder), 'was said here\nwas said in a thread\n')
  })
})
