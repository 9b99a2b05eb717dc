/** PostgreSQL's disk is full: servers go on with what they have, say why, and go on by themselves when there is room. */
import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { it } from 'node:test'
import { Postgres } from '../support/postgres.ts'
import { mountDisk, skipWithout, skipWithoutMounting } from '../support/programs.ts'
import { scrape } from '../support/scrape.ts'
import { Fleet, statusFor } from '../support/sharing-servers.ts'
import { until } from '../support/until.ts'

const skip = skipWithout('postgres') || skipWithoutMounting()

it('PostgreSQL with a full disk counts as away, and loses nothing that was stored', {
  skip,
  timeout: 300_000,
}, async () => {
  const disk = mountDisk(160 * 2 ** 20)
  // Its user must get through.
  chmodSync(dirname(disk.folder), 0o755)
  const postgres = await Postgres.start({ folder: disk.folder })
  const fleet = await Fleet.of(postgres)
  const { key } = await fleet.do('office', 'create', 'shop', '--plan', 'business')
  const server = await fleet.start('a')
  const isUp = async () => (await scrape(server.metrics)).value('cpl_database_up') === 1
  assert.equal(await statusFor(server, key), 200)
  disk.fill(0)
  await postgres.untilFull()
  await until('the metric tells', async () => !(await isUp()))
  await server.logs(/the database at \S+ is away: keys are checked against the copy/)
  const { code, stderr } = await fleet.run('office', ['create', 'none', '--plan', 'free'])
  assert.deepEqual([code, stderr.trim().split('\n').length], [1, 1], stderr)
  assert.equal(await statusFor(server, key), 200)
  disk.free()
  await postgres.end('SIGKILL').catch(() => undefined)
  await postgres.begin()
  await until('it is back', isUp)
  const made = await fleet.do('office', 'create', 'later', '--plan', 'free')
  for (const each of [key, made.key]) assert.equal(await statusFor(server, each), 200)
  assert.equal(await server.stop(), 0)
  await postgres.end()
  await disk.unmount()
})
