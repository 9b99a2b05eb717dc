/** npm run examples: asks servers over the sample snapshot for the description's examples, and writes them down. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Examples, examplesFile, type GoodExample } from '../../src/api/description/examples.ts'
import { type ProblemCode, statusOf } from '../../src/api/problems.ts'
import { formOf, hasCsv, problemsOf } from '../../src/api/routes.ts'
import type { ApiForm } from '../../src/settings.ts'
import { forms, type ServersHere } from '../support/servers-here.ts'
import { type Reply, send } from '../support/service.ts'
import { askGood, askProblem, csvPathOf, describedRoutes, goodRequestOf, serveSample } from './exchanges.ts'

type Bodies = Partial<Record<ProblemCode, unknown>>

const firstLineOf = ({ bytes }: Reply) => /^.*\n/.exec(gunzipSync(bytes).toString())![0]

async function recordAnswers(here: ServersHere): Promise<Record<string, GoodExample>> {
  const answers: Record<string, GoodExample> = {}
  for (const route of describedRoutes) {
    const reply = await askGood(here, 'A', route)
    assert.equal(reply.status, 200, route.operation)
    const { path, body } = goodRequestOf(route)
    const answer = route.media === undefined ? reply.json : firstLineOf(reply)
    const request = `${route.method} ${path}`
    const csv = hasCsv(route) ? { csv: await csvExample(here, path) } : {}
    answers[route.operation] = body === undefined ? { request, answer, ...csv } : { request, body, answer }
  }
  return answers
}

async function csvExample(here: ServersHere, good: string) {
  const path = csvPathOf(good)
  const reply = await send(here.address('A'), path, { headers: { 'x-api-key': here.keys.business } })
  assert.equal(reply.status, 200, path)
  return { request: `GET ${path}`, answer: reply.body }
}

/** Of all operations that answer in that form, on a server of that form or of the other one. */
async function recordProblems(here: ServersHere, form: ApiForm) {
  const bodies = new Map<string, Bodies>()
  for (const served of forms) {
    for (const route of describedRoutes.filter((one) => formOf(one, served) === form)) {
      const own: Bodies = bodies.get(route.operation) ?? {}
      bodies.set(route.operation, own)
      for (const code of [...problemsOf(route, served), 'METHOD_NOT_ALLOWED'] as const) {
        const { status, json } = await askProblem(here, served, route, code)
        assert.equal(status, statusOf(code), `${route.operation} ${code}`)
        own[code] = json
      }
    }
  }
  return withCommon(bodies)
}

/** Texts that most operations have for a code are written once. */
function withCommon(bodies: ReadonlyMap<string, Bodies>): { common: Bodies; own: Record<string, Bodies> } {
  const common: Bodies = {}
  const own: Record<string, Bodies> = {}
  for (const code of new Set([...bodies.values()].flatMap((one) => Object.keys(one) as ProblemCode[]))) {
    const said = [...bodies.values()].filter((one) => code in one).map((one) => JSON.stringify(one[code]))
    const times = (text: string) => said.filter((other) => other === text).length
    const most = said.reduce((best, text) => (times(text) > times(best) ? text : best))
    common[code] = JSON.parse(most)
    for (const [operation, one] of bodies) {
      if (code in one && JSON.stringify(one[code]) !== most) own[operation] = { ...own[operation], [code]: one[code] }
    }
  }
  return { common, own }
}

const here = await serveSample()
try {
  const problems = { A: await recordProblems(here, 'A'), B: await recordProblems(here, 'B') }
  const examples = { answers: await recordAnswers(here), problems } as Examples
  writeFileSync(examplesFile, `${JSON.stringify(examples, null, 2)}\n`)
} finally {
  await here.close()
}
