/** The files of deploy/ as their programs judge them: the dashboard and the alerts, the proxies, and the systemd units. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { updateRetriesMsMax, updateRetryMs } from '../../build/fetch/fetch-limits.ts'
import { patternOf } from '../../src/api/routes.ts'
import { writeLastUpdates } from '../../src/last-updates.ts'
import { servedRoutes } from '../../src/metrics/thread-counters.ts'
import { readSetting } from '../../src/settings.ts'
import { makeApp } from '../../src/web/app.ts'
import type { Site } from '../../src/web/site.ts'
import { documentText, projectDir, temporaryFolder } from '../support/command.ts'
import { quietUpdate } from '../support/last-update.ts'
import { pathOf, skipWithout } from '../support/programs.ts'
import { startBalancer, startProxy } from '../support/proxies.ts'
import { fixtureIndex } from '../support/sample.ts'
import { type Scrape, scrape } from '../support/scrape.ts'
import { type Service, send, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { servePages } from '../web/service-here.ts'
import { promtool, rulesFile } from './promtool.ts'

interface Source {
  readonly type: string
  readonly uid: string
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: Source
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
  readonly targets?: readonly { readonly expr: string; readonly datasource: Source }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { name: string; type: string; query: unknown }[] }
}

const { panels, templating }: Dashboard = JSON.parse(readFileSync(join(projectDir, 'deploy/dashboard.json'), 'utf8'))
const rulesText = readFileSync(rulesFile, 'utf8')
const rules = rulesText.split('\n      - alert: ').slice(1)
const nameOf = (rule: string) => /^\w+/.exec(rule)![0]
const shown = panels.filter(({ type }) => type !== 'row')
const asked = shown.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

/** As Grafana fills it in. */
const filledIn = (expr: string) =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll(/"\$(job|instance|route)"/g, '".+"')
/** The metrics that an expression names. */
const metricsIn = (expr: string): readonly string[] =>
  expr.replaceAll(/"[^"]*"/g, '""').match(/\b(cpl|process|nodejs)_\w+/g) ?? []
/** The labels by which it chooses and adds up. */
const labelsIn = (expr: string) => [
  ...[...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!),
  ...[...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(', ')),
]

let service: Service
let reported: Scrape

before(async () => {
  const indexDir = temporaryFolder()
  await fixtureIndex(indexDir)
  const tcgcsv = {
    ...quietUpdate,
    endedAt: new Date().toISOString(),
    held: [{ game: 'pokemon', code: 'base1', runs: 2, figures: '40 of 40 …' }],
  }
  await writeLastUpdates(temporaryFolder(), indexDir, { tcgcsv })
  service = await startService({ INDEX_DIR: indexDir, STORE_DIR: temporaryFolder(), METRICS_PORT: '0', WEB_PORT: '0' })
  await until('the last update is read', async () => {
    reported = await scrape(service.metrics)
    return [...reported.values.keys()].some((key) => key.startsWith('cpl_last_update_success{'))
  })
})

after(() => service.stop())

describe('The dashboard of Grafana', () => {
  it('Each panel of the dashboard uses the chosen data source, and has a description, a unit and a query', () => {
    const actual = templating.list.filter(({ type }) => type === 'datasource').map(({ name, query }) => [name, query])
    assert.deepEqual(actual, [['datasource', 'prometheus']])
    assert.ok(shown.length >= 20)
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    for (const { title, type, description, datasource, fieldConfig, targets = [] } of shown) {
      assert.ok((description ?? '').endsWith('.'), title)
      assert.ok(type === 'table' || fieldConfig?.defaults.unit !== undefined, title)
      assert.ok(targets.length > 0, title)
      for (const source of [datasource, ...targets.map((target) => target.datasource)]) {
        assert.deepEqual(source, { type: 'prometheus', uid: `\${datasource}` }, title)
      }
    }
    for (const { expr } of asked) assert.match(expr, /\{job="\$job",instance=~"\$instance"/)
  })

  it('The panels of the dashboard fit its width and do not overlap', () => {
    const taken = new Map<string, string>()
    for (const { title, gridPos } of panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.equal(taken.get(`${x} ${y}`), undefined, `${title} lies over another`)
          taken.set(`${x} ${y}`, title)
        }
      }
    }
  })

  it('The dashboard’s queries are valid PromQL', { skip: skipWithout('promtool') }, () => {
    const file = join(temporaryFolder(), 'asked.yml')
    const recorded = asked.map(({ expr }, i) => ({ record: `panel:${i}`, expr: filledIn(expr) }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'asked', rules: recorded }] }))
    const { status, stdout, stderr } = promtool('check', 'rules', file)
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, new RegExp(`SUCCESS: ${asked.length} rules found`))
  })

  it('The dashboard names every alert but CardPricesWithoutData, and no alert that does not exist', () => {
    const named = shown.flatMap(({ description = '' }) => description.match(/\bCardPrices\w+/g) ?? [])
    const elsewhere = ['CardPricesWithoutData']
    assert.deepEqual([...new Set([...named, ...elsewhere])].sort(), rules.map(nameOf).sort())
  })
})

describe('The metrics that are watched', () => {
  it('The dashboard and the alerts use only metrics and labels that the server has', () => {
    const exprs = rulesText.replaceAll(/^ +#.*$|(summary|runbook): .*$/gm, '')
    for (const { title, expr } of [...asked, { title: 'alerts.yml', expr: exprs }]) {
      for (const metric of metricsIn(expr)) {
        assert.ok(reported.types.has(metric.replace(/_(bucket|sum|count)$/, '')), `${title}: ${metric}`)
      }
    }
    for (const { title, expr } of asked) {
      const starts = metricsIn(expr).map((metric) => `${metric}{`)
      const series = [...reported.values.keys()].filter((key) => starts.some((start) => key.startsWith(start)))
      const known = new Set(['job', 'instance', ...(series.join().match(/\w+(?==")/g) ?? [])])
      for (const label of labelsIn(expr)) assert.ok(known.has(label), `${title}: ${label}`)
    }
  })

  it('The dashboard shows every metric of the server', () => {
    const watched = new Set(asked.flatMap(({ expr }) => metricsIn(expr)))
    for (const [name, type] of reported.types) {
      if (name.startsWith('cpl_')) assert.ok(watched.has(type === 'histogram' ? `${name}_bucket` : name), name)
    }
  })
})

it('Each alert has a delay, a severity, a summary, a runbook and a row in docs/operating.md', () => {
  const rows = [...documentText('docs/operating.md').matchAll(/^\| (CardPrices\w+(, critical)?) \|/gm)]
  assert.deepEqual(
    rows.map(([, row]) => row),
    rules.map((rule) => `${nameOf(rule)}${rule.includes('severity: critical') ? ', critical' : ''}`),
  )
  for (const rule of rules) {
    const name = nameOf(rule)
    assert.match(rule, /\n {8}for: \d+m\n/, name)
    assert.match(rule, /\n {10}severity: (critical|warning)\n/, name)
    assert.match(rule, /\n {10}summary: '?[A-Z{].*\.'?\n/, name)
    assert.match(rule, /\n {10}runbook: >-\n( {12}\S.*\n?)+/, name)
  }
})

const headers = { host: 'prices.example' }
const portIn = (address: string) => Number(new URL(address).port)

const proxied = servePages(fixtureIndex)

async function startFile(file: string) {
  const [port, pagesPort] = [portIn(proxied.address), portIn(proxied.pages)]
  if (file === 'nginx.conf') return startProxy('nginx', [port], { pagesPort })
  if (file === 'haproxy.cfg') return startProxy('haproxy', [port], { pagesPort })
  return startBalancer([port, port, port], [pagesPort, pagesPort, pagesPort])
}

/** `METHOD /path`, each parameter a value that nothing has. */
const requestOf = (method: string, path: string) => `${method} ${patternOf(path).replaceAll(/:\w+|\*/g, 'nope')}`
const ofApi = new Set([
  ...servedRoutes.map(({ method, path }) => requestOf(method, path)),
  'GET /v1',
  'GET /v1/nope',
  'GET /tcglookup',
  'GET /tcglookup/nope',
  'GET //v1/games',
])
/** The pages' table of routes; their `/openapi.json` is for those who have no proxy. */
const ofPages = new Set(
  makeApp({ url: 'http://127.0.0.1' } as Site)
    .routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => requestOf(method, path))
    .concat('GET /nope', 'GET /v1nope', 'GET /healthz/nope', 'GET /metrics')
    .filter((one) => !ofApi.has(one)),
)

for (const file of ['nginx.conf', 'haproxy.cfg', 'haproxy-three.cfg']) {
  describe(`deploy/${file}`, { skip: skipWithout(file === 'nginx.conf' ? 'nginx' : 'haproxy') }, () => {
    it(`The proxy of deploy/${file} sends API routes to the API and page routes to the pages`, async (t) => {
      assert.ok(ofPages.size > 20, `${ofPages.size} pages`)
      const proxy = await startFile(file)
      t.after(() => proxy.stop())
      for (const [all, address] of [
        [ofApi, proxied.address],
        [ofPages, proxied.pages],
      ] as const) {
        for (const one of all) {
          const [method, path] = one.split(' ') as [string, string]
          const [direct, through] = [
            await send(address, path, { method, headers }),
            await send(`http://127.0.0.1:${proxy.port}`, path, { method, headers }),
          ]
          const came = through.headers['content-security-policy'] === undefined ? proxied.address : proxied.pages
          assert.deepEqual([came, through.status], [address, direct.status], one)
        }
      }
    })
  })
}

const deploy = join(projectDir, 'deploy')

it('The deployed proxies retry a request that times out, but no form, and a probe has 3 s', () => {
  const textOf = (file: string) => readFileSync(join(deploy, file), 'utf8')
  for (const file of ['haproxy.cfg', 'haproxy-three.cfg']) {
    assert.match(textOf(file), /^backend card_prices\n(.+\n)+? {2}retry-on .*response-timeout/m, file)
    assert.match(textOf(file), /^ {2}timeout check 3s$/m, file)
  }
  const pages = textOf('haproxy-three.cfg').split('\nbackend card_prices_pages')[1]!
  assert.match(pages, /^ {2}http-request disable-l7-retry unless \{ method GET HEAD \}/m)
  assert.match(textOf('nginx.conf'), /proxy_next_upstream [^;]*timeout/)
  assert.match(textOf('kubernetes.yaml'), /readinessProbe: \{[^\n]* timeoutSeconds: 3,/)
})

it('The container, Kubernetes and compose files name this version, and create accounts with a plan', () => {
  const { version } = JSON.parse(documentText('package.json'))
  const textOf = (file: string) => readFileSync(join(deploy, file), 'utf8')
  const container = textOf('Containerfile')
  assert.match(container, new RegExp(`^ARG VERSION=${version}$`, 'm'))
  // npm takes no part of a global installation away: the image has the package's Node.js, and no other.
  assert.doesNotMatch(container.replace(/^#.*$/gm, ''), /--omit|\*\.tgz (?!&&)/)
  for (const file of ['Containerfile', 'kubernetes.yaml', 'compose.yaml']) {
    const named = textOf(file).match(/card-prices:[\w.-]+|card-price-lookup-\d[\w.-]+?(?=\.tgz)/g) ?? []
    assert.ok(named.length > 0, file)
    for (const name of named) assert.match(name, new RegExp(`[:-]${version}$|^card-prices:/data$`), file)
    for (const [line] of textOf(file).matchAll(/accounts create.*/g)) assert.match(line, / --plan \w+$/, file)
  }
  assert.match(textOf('kubernetes.yaml'), /^kind: CronJob$/m)
  assert.equal(textOf('kubernetes.yaml').match(/image: card-prices:.*\n +imagePullPolicy: IfNotPresent\n/g)?.length, 2)
})

const unit = join(deploy, 'card-prices.service')
/** With those that it starts. */
const units = readdirSync(deploy)
  .filter((name) => /\.(service|timer)$/.test(name))
  .map((name) => join(deploy, name))
const unitText = readFileSync(unit, 'utf8')
const exposureMax = 2.5

const analyze = (...args: string[]) =>
  spawnSync(pathOf('systemd-analyze')!, args, { encoding: 'utf8', env: { ...process.env, SYSTEMD_COLORS: '0' } })

describe('The systemd unit', { skip: skipWithout('systemd-analyze') }, () => {
  it('The systemd unit and its timers pass systemd’s own check', () => {
    const { status, stdout, stderr } = analyze('verify', '--man=no', ...units)
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  it(`The systemd unit has an exposure of at most ${exposureMax} of 10`, () => {
    const { stdout } = analyze('security', '--offline=true', '--no-pager', unit)
    const [, exposure] = /Overall exposure level for card-prices\.service: (\d+\.\d+)/.exec(stdout) ?? []
    assert.ok(Number(exposure) <= exposureMax, `${exposure}`)
  })
})

it('The systemd unit allows more time for a stop than for its drain, and runs in its state folder', () => {
  const drain = readSetting('DRAIN_SECONDS', { DRAIN_SECONDS: /^Environment=DRAIN_SECONDS=(\d+)$/m.exec(unitText)![1] })
  assert.match(unitText, /^WorkingDirectory=\/var\/lib\/card-prices\nStateDirectory=card-prices$/m)
  const [, stop] = /^TimeoutStopSec=(\d+)s$/m.exec(unitText)!
  assert.ok(drain > 0 && Number(stop) > drain + 10)
})

it('The systemd unit of updates retries for 12 hours, and starts anew the next morning', () => {
  const update = readFileSync(join(deploy, 'card-prices-update.service'), 'utf8')
  const [, tries] = /^StartLimitBurst=(\d+)$/m.exec(update)!
  const [, hours] = /^StartLimitIntervalSec=(\d+)h$/m.exec(update)!
  const [, minutes] = /^RestartSec=(\d+)min$/m.exec(update)!
  assert.equal(Number(minutes) * 60_000, updateRetryMs)
  assert.equal(Number(tries) * updateRetryMs, updateRetriesMsMax)
  assert.ok(Number(hours) < 24 && Number(hours) * 3_600_000 > 1.5 * updateRetriesMsMax)
  assert.match(update, /^Restart=on-failure\nRestartPreventExitStatus=1 2$/m)
})
