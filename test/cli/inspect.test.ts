/** The output of `npm run inspect` for a version and for a card. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { build, run, runHere, temporaryFolder } from '../support/command.ts'
import { aCard, aSet, snapshotOf } from '../support/snapshot.ts'

const indexDir = temporaryFolder()
const inspect = (...args: string[]) => runHere('src/cli/inspect-command.ts', args, { INDEX_DIR: indexDir })

before(async () => {
  const cards = ['004', null].map((number, i) => ({ ...aCard, id: `${aCard.id}-${i}`, number }))
  const { id } = cards[0]!
  const rows = `date,id,market,low,high\n2026-11-19,${id},1,1,1\n2026-11-20,${id},2,1,3\n`
  const snapshot = snapshotOf({ 'sets/a.ndjson': [aSet], 'cards/a.ndjson': cards, 'history/a.csv': rows })
  assert.equal((await build(snapshot, indexDir)).code, 0)
})

describe('inspect', () => {
  const lines: readonly (readonly [args: readonly string[], lines: readonly RegExp[]])[] = [
    [[], [/^version +\d{4}-/m, /^as of +2026-11-20$/m, /^cards +2$/m, /^sets +1$/m, /^history rows +2$/m]],
    [
      [`${aCard.id}-0`],
      [
        /^ {2}"number": "004",$/m,
        /^ {2}"markets": \[\]$/m,
        /^number +004$/m,
        /^place in the order +[12] of 2$/m,
        /^history +2 days, 2026-11-19 to 2026-11-20$/m,
        /^newest +\{"date":"2026-11-20","market":2,"low":1,"high":3\}$/m,
      ],
    ],
    [[`${aCard.id}-1`], [/^number +unknown$/m, /^history +none$/m, /^newest +none$/m]],
  ]
  for (const [args, expected] of lines) {
    it(`shows ${args[0] ?? 'the version'}`, async () => {
      const { code, stdout, stderr } = await inspect(...args)
      assert.equal(code, 0, stderr)
      for (const line of expected) assert.match(stdout, line)
    })
  }

  it('says in one line that there is no such card', async () => {
    const { code, stdout, stderr } = await run('src/cli/inspect-command.ts', ['pokemon-none'], { INDEX_DIR: indexDir })
    assert.deepEqual([code, stdout, stderr], [1, '', 'no card has the id pokemon-none\n'])
  })
})
