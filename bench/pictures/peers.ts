/** Rates of the service beside its limit and what a user would pick instead. */
import type { PeerResult, Results } from '../harness/results.ts'
import { type Picture, panelTitle } from './draw.ts'
import { roughly } from './numbers.ts'
import type { Theme } from './theme.ts'

const titles: Readonly<Record<string, string>> = {
  details: 'one card, any of them',
  batch: 'twenty cards in a batch',
  games: 'the games, the same bytes for all',
  'search-new': 'a search that nobody has asked before',
}

export function peersPicture({ peers }: Results, theme: Theme): Picture | undefined {
  if (peers === undefined || peers.length === 0) return undefined
  const names = [...new Set(peers.map(({ scenario }) => scenario))]
  const most = Math.max(...peers.map(({ rate }) => rate))
  return {
    title: {
      text: findingOf(peers),
      subtitle:
        'Requests a second on one core, and the time for one. Equal bytes, except for searches; keys and counts if possible',
    },
    vconcat: names.map((name) => panelOf(name, peers, most, theme)),
    spacing: 18,
  } as Picture
}

function panelOf(name: string, peers: readonly PeerResult[], most: number, theme: Theme) {
  const values = peers
    .filter(({ scenario }) => scenario === name)
    .sort((a, b) => b.rate - a.rate)
    .map(({ server, rate, cpuUs }) => ({
      server: serverNames[server] ?? server,
      rate,
      kind: server === 'service' ? 'own' : server === 'limit' ? 'limit' : 'peer',
      rateText: Math.round(rate).toLocaleString('en'),
      cpuText: Number.isFinite(cpuUs) ? `${timeOf(cpuUs)} µs` : '',
    }))
  const y = { field: 'server', type: 'nominal', sort: null, axis: { title: null, ticks: false, domain: false } }
  const scale = { domain: [0, most] }
  const column = (field: string, offset: number) => ({
    mark: { type: 'text', align: 'right', dx: offset, fontWeight: { expr: "datum.kind == 'own' ? 600 : 400" } },
    encoding: {
      y,
      x: { datum: most, type: 'quantitative', scale, axis: null },
      text: { field },
      color: { condition: { test: "datum.kind == 'own'", value: theme.text }, value: theme.faint },
    },
  })
  return {
    title: panelTitle(titles[name] ?? name),
    width: 445,
    height: { step: 21 },
    data: { values },
    layer: [
      {
        mark: { type: 'bar', height: 14, cornerRadiusEnd: 2 },
        encoding: {
          y,
          x: { field: 'rate', type: 'quantitative', scale, axis: null },
          color: {
            field: 'kind',
            type: 'nominal',
            scale: { domain: ['own', 'limit', 'peer'], range: [theme.own, theme.grid, theme.other] },
            legend: null,
          },
        },
      },
      column('rateText', 62),
      column('cpuText', 128),
    ],
  }
}

const timeOf = (us: number) => (us < 100 ? us.toFixed(1) : Math.round(us).toLocaleString('en'))

const serverNames: Readonly<Record<string, string>> = { service: 'this service', limit: 'limit: looks at nothing' }

/** Beside the fastest peer and the one that most would write. */
function findingOf(peers: readonly PeerResult[]): string {
  const some = peers.filter(({ scenario }) => scenario === peers[0]!.scenario)
  const own = some.find(({ server }) => server === 'service')!
  const others = some.filter(({ server }) => server !== 'service' && server !== 'limit').sort((a, b) => b.rate - a.rate)
  const best = others[0]
  if (best === undefined) return `${Math.round(own.rate).toLocaleString('en')} requests a second on one core`
  const usual = others.find(({ server }) => server === 'node:http')
  const beside = [best, ...(usual !== undefined && usual !== best ? [usual] : [])]
  const reported = beside.map(({ rate, server }) => `${timesOf(own.rate / rate)} ${server.split(',')[0]}`)
  return `${roughly(own.rate)} requests a second on one core: ${reported.join(', ')}`
}

const timesOf = (ratio: number) => (ratio.toFixed(1) === '1.0' ? 'as many as' : `${ratio.toFixed(1)} times`)
