/** Metrics as they are told: a table's row each. */

export interface Value {
  /** Where it is not the row's own. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** @template From what its values are taken from */
export interface Row<From> {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  /** For operators, with the unit. */
  readonly help: string
  /** None where there is nothing to tell. */
  values(from: From): readonly Value[]
}

/** A value without labels; none if it is not known. */
export const single = (value: number | undefined): readonly Value[] =>
  value === undefined ? [] : [{ labels: {}, value }]

/** A value for each name, under a label. */
export const byName = (label: string, names: readonly string[], values: ArrayLike<number>): readonly Value[] =>
  names.map((name, i) => ({ labels: { [label]: name }, value: values[i]! }))

export const seconds = (ms: number): number => ms / 1000
