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
  /** For operators, with the unit. */
  readonly help: string
  values(from: From): readonly Value[]
}

const rowOfOne =
  (type: 'counter' | 'gauge') =>
  <From>(name: string, help: string, valueIn: (from: From) => number | boolean | undefined): Row<From> => ({
    name,
    type,
    help,
    values(from) {
      const value = valueIn(from)
      return value === undefined ? [] : [{ labels: {}, value: Number(value) }]
    },
  })

/** Rows of one value without labels: 1 for true and 0 for false; none if it is undefined. */
export const gauge = rowOfOne('gauge')
export const counter = rowOfOne('counter')

/** A value for each name, under a label. */
export const byName = (label: string, names: readonly string[], values: ArrayLike<number>): readonly Value[] =>
  names.map((name, i) => ({ labels: { [label]: name }, value: values[i]! }))

export const seconds = (ms: number): number => ms / 1000
