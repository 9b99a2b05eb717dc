/** A swap as callers and the operator see it: rate, latency, memory over half a minute. */
import type { Results, SwapResult } from '../harness/results.ts'
import { type Picture, panelTitle } from './draw.ts'
import { roughly } from './numbers.ts'
import type { Theme } from './theme.ts'

export function swapPicture({ swap }: Results, theme: Theme): Picture | undefined {
  if (swap === undefined || swap.moments.length === 0) return undefined
  const x = {
    field: 'second',
    type: 'quantitative',
    scale: { domain: [0, Math.ceil(swap.moments.at(-1)!.second)], nice: false },
  }
  const lastAxis = { title: 'seconds; a new version is made current at the upright lines', grid: false, tickCount: 6 }
  const panel = (title: string, marks: readonly object[], isLast: boolean) => ({
    title: panelTitle(title),
    width: 690,
    height: 95,
    data: { values: swap.moments },
    layer: [
      ...marks,
      {
        data: { values: swap.swapsAt.map((at) => ({ at })) },
        mark: { type: 'rule', color: theme.faint, strokeDash: [3, 3] },
        encoding: { x: { field: 'at', type: 'quantitative', ...(isLast ? {} : { axis: null }) } },
      },
    ],
    encoding: { x: { ...x, axis: isLast ? lastAxis : null } },
  })
  const y = (field: string, divisor: number) => ({
    y: {
      field,
      type: 'quantitative',
      scale: { zero: true },
      axis: { title: null, tickCount: 3, labelExpr: `format(datum.value / ${divisor}, ',~r')` },
    },
  })
  const line = (field: string, divisor: number, color: string) => ({
    mark: { type: 'line', strokeWidth: 2, color },
    encoding: y(field, divisor),
  })
  return {
    title: {
      text: findingOf(swap),
      subtitle: 'Card details at half of the highest rate, open loop; a point each half second',
    },
    vconcat: [
      panel('answers a second', [line('rate', 1, theme.own)], false),
      panel(
        '99 of 100 answers, and the worst (faint), ms',
        [line('worstUs', 1000, theme.ownFaint), line('p99Us', 1000, theme.own)],
        false,
      ),
      panel('resident memory, MB', [line('residentBytes', 1e6, theme.own)], true),
    ],
    spacing: 16,
  } as Picture
}

function findingOf({ swapsAt, moments }: SwapResult): string {
  const worst = Math.max(...moments.map(({ worstUs }) => worstUs)) / 1000
  const asked = Math.max(...moments.map(({ rate }) => rate))
  const versions = swapsAt.length === 1 ? 'One new version' : `${swapsAt.length} new versions`
  return `${versions} at ${roughly(asked)} requests a second: the slowest answer took ${worst.toFixed(1)} ms`
}
