/** The container's files, as far as they can be compared without building it; .ci/container builds and runs it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { projectDir } from '../support/command.ts'

const linesOf = (file: string) => readFileSync(join(projectDir, file), 'utf8').split('\n')

it('the builder is sent what the Containerfile copies, without packages, and nothing else', () => {
  const copied = linesOf('src/deploy/Containerfile')
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1))
  const [first, ...others] = linesOf('.dockerignore').filter((line) => line !== '' && !line.startsWith('#'))
  assert.equal(first, '*')
  assert.deepEqual(others, [...[...new Set(copied)].sort().map((name) => `!${name}`), '**/node_modules'])
})
