/** A row of a table of metrics. */

export interface Value {
  /** If it differs from the row's. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** @template From the source of its values */
export interface Row<From> {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  values(from: From): readonly Value[]
}

/**
 * A row of values, or of one without labels: 1 for true, 0 for false, none if it is undefined.
 * @param help for operators, with the unit
 */
const rowOf =
  (type: Row<unknown>['type']) =>
  <From>(
    name: string,
    help: string,
    figure: (from: From) => number | boolean | undefined | readonly Value[],
  ): Row<From> => ({
    name,
    type,
    help,
    values(from) {
      const found = figure(from)
      if (typeof found === 'object') return found
      return found === undefined ? [] : [{ labels: {}, value: Number(found) }]
    },
  })

export const gauge = rowOf('gauge')
export const counter = rowOf('counter')
export const histogram = rowOf('histogram')
export const summary = rowOf('summary')

/** A value for each name, under a label. */
export const byName = (label: string, names: readonly string[], values: ArrayLike<number>): readonly Value[] =>
  names.map((name, i) => ({ labels: { [label]: name }, value: values[i]! }))

export const seconds = (ms: number): number => ms / 1000
