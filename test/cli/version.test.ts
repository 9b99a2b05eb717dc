import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { projectDir, temporaryFolder } from '../support/command.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const told = '3.1.0-dev+0123456789ab'
const dev = '{"version":"3.1.0-dev"}'
const release = '{"version":"3.1.0"}'
const packed = `# pack-refs with: peeled\n${commit} refs/heads/main\n`

for (const [title, files, version] of [
  ['is that of package.json in a release', { 'package.json': release, '.git/HEAD': commit }, '3.1.0'],
  [
    'names the commit of a branch between releases',
    { 'package.json': dev, '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${commit}\n` },
    told,
  ],
  [
    'names the commit of a branch whose reference is packed',
    { 'package.json': dev, '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': packed },
    told,
  ],
  ['names a commit without a branch', { 'package.json': dev, '.git/HEAD': `${commit}\n` }, told],
  [
    'names the commit that a package was made from',
    { 'package.json': `{"version":"3.1.0-dev","commit":"${commit}"}` },
    told,
  ],
  ['names no commit in a worktree', { 'package.json': dev, '.git': 'gitdir: ../elsewhere\n' }, '3.1.0-dev'],
  ['names no commit without a history', { 'package.json': dev }, '3.1.0-dev'],
] as const) {
  it(`The version of the software ${title}`, async () => {
    const clone = temporaryFolder()
    cpSync(join(projectDir, 'src/version.ts'), join(clone, 'src/version.ts'))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(clone, name)), { recursive: true })
      writeFileSync(join(clone, name), text)
    }
    const { softwareVersion, packageVersion } = await import(pathToFileURL(join(clone, 'src/version.ts')).href)
    assert.deepEqual([softwareVersion, packageVersion], [version, version.replace(/\+.*/, '')])
  })
}
