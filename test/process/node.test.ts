/** The choice of the Node.js that runs the commands, on machines of many kinds: folders on the path, and the project's own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { collect, type Outcome, outcomeOf, projectDir, temporaryFolder } from '../support/command.ts'

const launcher = 'src/process/node.sh'
const whichRuns = ['-p', 'process.argv0']

/** A Node.js that is too old. */
const old = '#!/bin/sh\n[ "$1" = --version ] && echo v20.20.2\n'
/** A binary for another libc: its loader is not there. */
const foreign = '#!/none/ld-linux-x86-64.so.2\n'

/** A folder with a program `node`: the text, or by undefined the Node.js that runs this. */
function folderWithNode(folder: string, text?: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'node')
  if (text === undefined) symlinkSync(process.execPath, path)
  else {
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
  return folder
}

/** A project with nothing but the launcher. */
function project(): string {
  const folder = temporaryFolder()
  cpSync(join(projectDir, launcher), join(folder, launcher))
  return folder
}

/** The launcher's needs of a machine, in a folder without a Node.js. */
const tools = temporaryFolder()
for (const name of ['dirname', 'uname']) symlinkSync(`/usr/bin/${name}`, join(tools, name))

function launch(folder: string, path: readonly string[], args: readonly string[]): Promise<Outcome> {
  const env = { ...process.env, PATH: [...path, tools].join(':') }
  return outcomeOf(spawn('/bin/sh', [join(folder, launcher), ...args], { cwd: '/', env }))
}

describe('The Node.js that runs the commands', () => {
  it('A command runs in the Node.js that the project brings along, from any folder', async () => {
    const path = [folderWithNode(temporaryFolder(), old)]
    const { code, stdout } = await launch(projectDir, path, ['-p', 'process.execPath'])
    assert.equal(code, 0)
    assert.match(stdout, /\/node_modules\/node-[a-z0-9-]+\/bin\/node\n$/)
  })

  it('A command runs in the machine’s own Node.js if the project’s is missing or does not run', async () => {
    for (const downloaded of [undefined, foreign]) {
      const folder = project()
      const bin = join(folder, 'node_modules/node-linux-other/bin')
      if (downloaded !== undefined) folderWithNode(bin, downloaded)
      // npm puts what it brings along on the path, too.
      const path = [bin, folderWithNode(temporaryFolder(), old), folderWithNode(temporaryFolder())]
      assert.deepEqual(await launch(folder, path, whichRuns), { code: 0, stdout: `${path[2]}/node\n`, stderr: '' })
    }
  })

  it('A command that finds no usable Node.js prints one line with a remedy', async () => {
    for (const [path, own] of [
      [[folderWithNode(temporaryFolder(), old)], 'whose own, v20.20.2, is too old'],
      [[], 'which has none of its own'],
    ] as const) {
      const { code, stdout, stderr } = await launch(project(), path, whichRuns)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^No Node\.js that npm ci installs runs on this machine \([^)]+\), .*: install .*\n$/)
      assert.ok(stderr.includes(own), stderr)
    }
  })
})

it('A command runs in the very process that was started, with no shell around it', async () => {
  const child = spawn('/bin/sh', [join(projectDir, launcher), '-p', 'process.pid'])
  const output = collect(child)
  await once(child, 'close')
  assert.equal(Number(output.stdout()), child.pid)
})

it('A crash dumps no core and no signal opens the debugger, since both would show memory with keys', async () => {
  const program = `
    process.kill(process.pid, 'SIGUSR1')
    const limits = require('node:fs').readFileSync('/proc/self/limits', 'utf8')
    setTimeout(() => console.log(/^Max core file size +\\d+ +\\d+/m.exec(limits)[0].replaceAll(/ +/g, ' ')), 300)`
  const downloaded = await launch(projectDir, [], ['-e', program])
  const own = await launch(project(), [folderWithNode(temporaryFolder())], ['-e', program])
  for (const outcome of [downloaded, own]) {
    assert.deepEqual(outcome, { code: 0, stdout: 'Max core file size 0 0\n', stderr: '' })
  }
})
