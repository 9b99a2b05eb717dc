/** The systemd unit, as systemd itself judges it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readSetting } from '../../src/settings.ts'
import { projectDir } from '../support/command.ts'
import { pathOf, skipWithout } from '../support/programs.ts'

const unit = join(projectDir, 'src/deploy/card-prices.service')
const text = readFileSync(unit, 'utf8')
const exposureMax = 2.5

const analyze = (...args: string[]) =>
  spawnSync(pathOf('systemd-analyze')!, [...args, unit], {
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_COLORS: '0' },
  })

describe('the systemd unit', { skip: skipWithout('systemd-analyze') }, () => {
  it('is one, without a word', () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no')
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  it(`is exposed ${exposureMax} of 10 at most`, () => {
    const { stdout } = analyze('security', '--offline=true', '--no-pager')
    const [, exposure] = /Overall exposure level for card-prices\.service: (\d+\.\d+)/.exec(stdout) ?? []
    assert.ok(Number(exposure) <= exposureMax, `${exposure}`)
  })
})

it('the unit sets what is a setting, and waits longer for a stop than its drain', () => {
  const [, line] = /^Environment=(.*)$/m.exec(text)!
  const set = Object.fromEntries(line!.split(' ').map((part) => part.split('=')))
  const drain = readSetting('DRAIN_SECONDS', set)
  assert.equal(readSetting('STORE_DIR', set), '/var/lib/card-prices/store')
  assert.equal(readSetting('INDEX_DIR', set), '/var/lib/card-prices/indexes')
  const [, stop] = /^TimeoutStopSec=(\d+)s$/m.exec(text)!
  assert.ok(drain > 0 && Number(stop) > drain + 10)
})
