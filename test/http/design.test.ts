/** The way of a search that DESIGN.md draws is the one that a request takes. */
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { basename } from 'node:path'
import { it } from 'node:test'
import { documentText } from '../support/command.ts'
import { sampleSnapshot } from '../support/sample.ts'
import { serveHere } from '../support/servers-here.ts'
import { send } from '../support/service.ts'

const [, drawn] = /from socket to bytes\n[^`]*```\n([^`]*)```/.exec(documentText('DESIGN.md'))!

/** Files of `src/` of which a function ran between two looks, beside those of other work of the server. */
async function filesRun(ask: () => Promise<unknown>): Promise<Set<string>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await ask()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  const run = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
  return new Set(run.flatMap(({ url }) => /\/(src\/[^?]*\.ts)/.exec(url)?.[1] ?? []))
}

/** What a server does by itself, now and then, and for each connection. */
const besides =
  /^src\/(http\/connections\/|accounts\/(?!authenticator)|store\/|quota\/(?!counts)|metrics\/|log\/|platform\/)/

it('A search runs the files that DESIGN.md draws', async () => {
  const here = await serveHere(sampleSnapshot)
  try {
    const ask = (q: string) =>
      send(here.address('A'), `/v1/search?q=${q}`, { headers: { 'x-api-key': here.keys.business } })
    assert.equal((await ask('pikachu')).status, 200)
    const run = await filesRun(() => ask('charizard&sort=price&game=pokemon'))
    assert.ok(run.size > 20, `${run.size} files ran`)
    for (const file of run) {
      if (!besides.test(file)) assert.ok(drawn!.includes(basename(file)), `${file} ran, and DESIGN.md does not draw it`)
    }
    const names = [...run].map((file) => basename(file))
    for (const [, file] of drawn!.matchAll(/^\d src\/\w+\/([\w-]+\.ts)/gm))
      assert.ok(names.includes(file!), `${file} did not run`)
  } finally {
    await here.close()
  }
})
