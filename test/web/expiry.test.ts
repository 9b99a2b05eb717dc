/** When a new key expires: presets and dates, against the clock and on the page. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dateOfDay, dayOfMs } from '../../src/calendar.ts'
import { type ExpiryForm, expiryOf } from '../../src/web/pages/expiry.ts'
import { servePages } from './service-here.ts'

const noon = Date.parse('2026-11-23T12:00:00Z')

describe('the expiry of a new key', () => {
  const table: readonly (readonly [form: ExpiryForm, expected: string | null | RegExp])[] = [
    [{}, null],
    [{ expires: '', expiresIn: '' }, null],
    [{ expiresIn: '30' }, '2026-12-24T00:00:00.000Z'],
    [{ expiresIn: '90' }, '2027-02-22T00:00:00.000Z'],
    [{ expiresIn: '365' }, '2027-11-24T00:00:00.000Z'],
    [{ expires: '2027-01-31', expiresIn: '30' }, '2027-02-01T00:00:00.000Z'],
    [{ expires: '2026-11-23' }, '2026-11-24T00:00:00.000Z'],
    [{ expires: '2026-11-22' }, /past/],
    [{ expires: '2027-02-30' }, /not a date/],
    [{ expires: 'soon', expiresIn: '30' }, /not a date/],
    [{ expiresIn: '31' }, /Choose a preset/],
    [{ expiresIn: '1e3' }, /Choose a preset/],
    [{ expiresIn: '-30' }, /Choose a preset/],
  ]
  for (const [form, expected] of table) {
    it(`${JSON.stringify(form)} is ${expected}`, () => {
      const found = expiryOf(form, noon)
      if (expected instanceof RegExp) assert.match(String(found), expected)
      else assert.equal(typeof found === 'number' ? new Date(found).toISOString() : found, expected)
    })
  }

  describe('on the page', () => {
    const service = servePages()

    it('is never by itself, and a preset is kept beside what is wrong', async () => {
      const { person } = await service.shop('free', '/dashboard/keys')
      const { body } = person.page!
      assert.match(body, /name="expires-in" value="" data-date="" checked>/)
      assert.equal(body.match(/name="expires-in"/g)?.length, 4)
      const wrong = await person.press('Create key', { name: '', 'expires-in': '90' })
      assert.equal(wrong.status, 400)
      assert.match(wrong.body, /name="expires-in" value="90" data-date="[\d-]{10}" checked>/)
      const made = await person.press('Create key', { name: 'short', 'expires-in': '90' })
      assert.equal(made.status, 200)
      assert.ok(made.body.includes(`<time datetime="${dateOfDay(dayOfMs(Date.now()) + 90)}">`))
      const bad = await person.press('Create key', { name: 'x', 'expires-in': '7' })
      assert.match(bad.body, /id="expires-wrong"[^>]*>Choose a preset or a date/)
    })
  })
})
