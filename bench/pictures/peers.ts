/** Rates of the service beside its limit and what a user would pick instead. */
import type { PeerResult, Results } from '../contest/results.ts'
import type { Picture } from './draw.ts'
import type { Theme } from './theme.ts'

const titles: Readonly<Record<string, string>> = {
  details: 'one card, any of them',
  batch: 'a batch of 20 cards',
  games: 'the games, the same for all',
}

export function peersPicture({ peers }: Results, theme: Theme): Picture | undefined {
  if (peers === undefined || peers.length === 0) return undefined
  const names = [...new Set(peers.map(({ scenario }) => scenario))]
  const most = Math.max(...peers.map(({ rate }) => rate))
  const panels = names.map((name) => panelOf(name, peers, most, theme))
  return {
    title: {
      text: findingOf(peers),
      subtitle:
        'Requests a second on one core, 64 connections: same bytes, same keys and counts where a server can have them',
    },
    vconcat: panels,
    spacing: 22,
  } as Picture
}

function panelOf(name: string, peers: readonly PeerResult[], most: number, theme: Theme) {
  const values = peers
    .filter(({ scenario }) => scenario === name)
    .sort((a, b) => b.rate - a.rate)
    .map(({ server, rate, cpuUs }) => ({
      server: nameOf(server),
      rate,
      kind: server === 'service' ? 'own' : server === 'limit' ? 'limit' : 'peer',
      label: `${Math.round(rate).toLocaleString('en')}   ${cpuUs.toFixed(1)} µs`,
    }))
  const y = { field: 'server', type: 'nominal', sort: null, axis: { title: null, ticks: false, domain: false } }
  const x = { field: 'rate', type: 'quantitative', scale: { domain: [0, most] }, axis: null }
  return {
    title: { text: titles[name] ?? name, fontSize: 13, offset: 6 },
    width: 500,
    height: { step: 22 },
    data: { values },
    layer: [
      {
        mark: { type: 'bar', height: 14, cornerRadiusEnd: 2 },
        encoding: {
          y,
          x,
          color: {
            field: 'kind',
            type: 'nominal',
            scale: { domain: ['own', 'limit', 'peer'], range: [theme.own, theme.grid, theme.other] },
            legend: null,
          },
        },
      },
      {
        mark: { type: 'text', align: 'left', dx: 6, color: theme.text },
        encoding: { y, x, text: { field: 'label' } },
      },
    ],
  }
}

const nameOf = (server: string) =>
  server === 'service' ? 'this service' : server === 'limit' ? 'limit (looks at nothing)' : server

/** Beside the fastest peer and the one that most would write. */
function findingOf(peers: readonly PeerResult[]): string {
  const first = peers[0]!.scenario
  const some = peers.filter(({ scenario }) => scenario === first)
  const own = some.find(({ server }) => server === 'service')!
  const others = some.filter(({ server }) => server !== 'service' && server !== 'limit').sort((a, b) => b.rate - a.rate)
  const best = others[0]
  if (best === undefined) return `${Math.round(own.rate).toLocaleString('en')} requests a second on one core`
  const usual = others.find(({ server }) => server === 'node:http')
  const beside = [best, ...(usual !== undefined && usual !== best ? [usual] : [])]
  return `One core answers ${beside.map(({ rate, server }) => `${(own.rate / rate).toFixed(1)} times as much as ${server}`).join(', ')}`
}
