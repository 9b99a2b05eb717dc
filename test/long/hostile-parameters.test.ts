/** 65,000 values of the parameters that narrow, sort and show, of all lists. */
import { after, before, it } from 'node:test'
import { sendAnyValues } from '../api/hostile-parameters.ts'
import { fixtureSnapshot } from '../support/fixture.ts'
import { type ServersHere, serveHere } from '../support/servers-here.ts'

let here: ServersHere
before(async () => {
  here = await serveHere(fixtureSnapshot())
})
after(() => here.close())

/** A business account has 100,000 requests a day. */
it('no value causes an error of the server, and each bad one is answered with the allowed values', async () => {
  await sendAnyValues(here.address('A'), here.keys.business, 1, 4000)
})
