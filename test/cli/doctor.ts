/** Runs card-prices doctor, and takes its findings apart. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { examine } from '../../src/cli/doctor/examine.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { accounts, collect, start, temporaryFolder, withLimits } from '../support/command.ts'

/** Printed commands have no path. */
const usual = { CARD_PRICES_ENV: '', CARD_PRICES_PROGRAM: 'card-prices' }

export interface Examined {
  readonly code: number | null
  readonly text: string
  /** Its state, and what was found and is advised. */
  of(part: string): string
  /** The same of all parts but those of the machine; what differs each time has a name. */
  readonly lines: readonly string[]
}

export async function doctor(env: NodeJS.ProcessEnv): Promise<Examined> {
  // On a busy machine, pages give way to all else.
  const patience = withLimits({ doctorAskMsMax: 25_000, doctorMsMax: 30_000 })
  const given = { ...usual, ...patience, ...env }
  const child = start('src/cli/main.ts', ['doctor', '--json'], given, temporaryFolder())
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  assert.deepEqual([output.stderr().replace(/^warning: .*\n/gm, ''), code === null], ['', false])
  const findings: Finding[] = JSON.parse(output.stdout())
  assert.equal(code, findings.some(({ state }) => state === 'bad') ? 1 : 0)
  return { code, ...examined(findings, output.stdout() + output.stderr()) }
}

/** The findings, without a process. */
export async function doctorHere(env: NodeJS.ProcessEnv, cwd = temporaryFolder()): Promise<Examined> {
  const [envBefore, cwdBefore] = [process.env, process.cwd()]
  process.env = { ...envBefore, ...usual, ...env }
  process.chdir(cwd)
  try {
    const findings = await examine()
    const code = findings.some(({ state }) => state === 'bad') ? 1 : 0
    return { code, ...examined(findings, JSON.stringify(findings)) }
  } finally {
    process.env = envBefore
    process.chdir(cwdBefore)
  }
}

function examined(findings: readonly Finding[], text: string): Omit<Examined, 'code'> {
  for (const finding of findings) {
    assert.deepEqual(Object.keys(finding), ['part', 'state', 'found', 'advice'])
    assert.equal(finding.advice === null, finding.state === 'ok', JSON.stringify(finding))
  }
  const shown = ({ state, found, advice }: Finding) => `${state} ${found}${advice === null ? '' : `: ${advice}`}`
  const of = (part: string) => shown(findings.find((finding) => finding.part === part)!)
  const lines = findings
    .filter(({ part }) => !/^(Node|HTTP|disk|descr)/.test(part))
    .map((finding) => `${finding.part}: ${shown(finding)}`)
    .map((line) =>
      line.replaceAll(/\d{4}-\d\d-\d\d-[0-9a-f]{12}/g, 'VERSION').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
    )
    .map((line) => line.replace(/\((error:|\*\*\*|unknown|temporary).*\)(?=: )/, '(…)'))
  return { text, of, lines }
}

export async function madeStore(): Promise<string> {
  const storeDir = temporaryFolder()
  await accounts(storeDir, 'create', 'a', '--plan', 'free')
  return storeDir
}
