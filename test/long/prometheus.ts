/** A Prometheus of the test's own, on a free port. Tests that start one are skipped where it is not installed. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/process/port.ts'
import { collect, temporaryFolder } from '../support/command.ts'
import { send } from '../support/service.ts'
import { until } from '../support/until.ts'

export interface Prometheus {
  /** The values that a query has now, by their labels' values in the labels' order: `/v1/search 200`. */
  query(query: string): Promise<Map<string, number>>
  stop(): Promise<void>
}

/** @param metrics `http://127.0.0.1:PORT`, scraped every two seconds */
export async function startPrometheus(metrics: string): Promise<Prometheus> {
  const folder = temporaryFolder()
  const config = join(folder, 'prometheus.yml')
  const scraped = [{ job_name: 'cards', static_configs: [{ targets: [new URL(metrics).host] }] }]
  // JSON is YAML, too.
  writeFileSync(
    config,
    JSON.stringify({ global: { scrape_interval: '2s', scrape_timeout: '2s' }, scrape_configs: scraped }),
  )
  const address = `127.0.0.1:${await freePort('127.0.0.1', 0)}`
  const options = [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`]
  const child = spawn('prometheus', options, { stdio: ['ignore', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const output = collect(child)
  const isReady = async () => {
    assert.equal(child.exitCode, null, output.stderr())
    return send(`http://${address}`, '/-/ready').then(
      ({ status }) => status === 200,
      () => false,
    )
  }
  await until('Prometheus is ready', isReady, 60_000)
  return {
    async query(query) {
      const { status, body, json } = await send(`http://${address}`, `/api/v1/query?query=${encodeURIComponent(query)}`)
      assert.equal(status, 200, body)
      const { result } = json.data as { result: { metric: Record<string, string>; value: [number, string] }[] }
      return new Map(result.map(({ metric, value }) => [labelsOf(metric), Number(value[1])]))
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

function labelsOf(metric: Readonly<Record<string, string>>): string {
  const own = Object.entries(metric).filter(([name]) => !['__name__', 'instance', 'job'].includes(name))
  return own
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value)
    .join(' ')
}
