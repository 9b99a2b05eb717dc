/** The systemd unit, as systemd itself judges it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { updateRetriesMsMax, updateRetryMs } from '../../build/fetch/fetch-limits.ts'
import { readSetting } from '../../src/settings.ts'
import { projectDir } from '../support/command.ts'
import { pathOf, skipWithout } from '../support/programs.ts'

const deploy = join(projectDir, 'deploy')
const unit = join(deploy, 'card-prices.service')
/** With those that it starts. */
const units = readdirSync(deploy)
  .filter((name) => /\.(service|timer)$/.test(name))
  .map((name) => join(deploy, name))
const text = readFileSync(unit, 'utf8')
const exposureMax = 2.5

const analyze = (...args: string[]) =>
  spawnSync(pathOf('systemd-analyze')!, args, { encoding: 'utf8', env: { ...process.env, SYSTEMD_COLORS: '0' } })

describe('the systemd unit', { skip: skipWithout('systemd-analyze') }, () => {
  it('and its timers are units, without a word', () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no', ...units)
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  it(`is exposed ${exposureMax} of 10 at most`, () => {
    const { stdout } = analyze('security', '--offline=true', '--no-pager', unit)
    const [, exposure] = /Overall exposure level for card-prices\.service: (\d+\.\d+)/.exec(stdout) ?? []
    assert.ok(Number(exposure) <= exposureMax, `${exposure}`)
  })
})

it('the unit waits longer for a stop than its drain, and runs in the folder of its state', () => {
  const drain = readSetting('DRAIN_SECONDS', { DRAIN_SECONDS: /^Environment=DRAIN_SECONDS=(\d+)$/m.exec(text)![1] })
  assert.match(text, /^WorkingDirectory=\/var\/lib\/card-prices\nStateDirectory=card-prices$/m)
  const [, stop] = /^TimeoutStopSec=(\d+)s$/m.exec(text)!
  assert.ok(drain > 0 && Number(stop) > drain + 10)
})

it('the update tries as often, and as long, as --retry-for 12h, and the next morning anew', () => {
  const update = readFileSync(join(deploy, 'card-prices-update.service'), 'utf8')
  const [, tries] = /^StartLimitBurst=(\d+)$/m.exec(update)!
  const [, hours] = /^StartLimitIntervalSec=(\d+)h$/m.exec(update)!
  const [, minutes] = /^RestartSec=(\d+)min$/m.exec(update)!
  assert.equal(Number(minutes) * 60_000, updateRetryMs)
  assert.equal(Number(tries) * updateRetryMs, updateRetriesMsMax)
  assert.ok(Number(hours) < 24 && Number(hours) * 3_600_000 > 1.5 * updateRetriesMsMax)
  assert.match(update, /^Restart=on-failure\nRestartPreventExitStatus=1 2$/m)
})
