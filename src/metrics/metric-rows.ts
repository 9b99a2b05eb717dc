/** A row of a table of metrics. */

export interface Value {
  /** The value's own metric name, if it differs from the row's. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric. @template From the source of its values */
export interface Row<From> {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  values(from: From): readonly Value[]
}

/**
 * Makes a row. If `figure` returns a number, the row has one value without labels. True is 1, false is 0, and undefined
 * gives the row no value.
 * @param help a text for operators, with the unit
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

/** One value for each name, with the name in the label. */
export const byName = (label: string, names: readonly string[], values: ArrayLike<number>): readonly Value[] =>
  names.map((name, i) => ({ labels: { [label]: name }, value: values[i]! }))

export const seconds = (ms: number): number => ms / 1000
