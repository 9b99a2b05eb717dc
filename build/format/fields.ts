/** The fields of a record, read from the schema that checks it: names, whether they must be there, and the schema's own rules. */

/** As much of a valibot schema as is looked at; a record's members are `*`, and an array's. */
interface Node {
  readonly kind: string
  readonly type: string
  readonly message?: unknown
  readonly entries?: Readonly<Record<string, Node>>
  readonly wrapped?: Node
  readonly item?: Node
  readonly key?: Node
  readonly value?: Node
  readonly pipe?: readonly Node[]
  /** Of a check over several fields. */
  readonly paths?: readonly (readonly string[])[]
}

export interface Field {
  /** As messages name it: `prices.market`. */
  readonly path: string
  /** Neither null nor absent. */
  readonly isRequired: boolean
  /** As an operator reads them when they are broken. */
  readonly rules: readonly string[]
}

export function fieldsOf(schema: unknown, path = ''): Field[] {
  const nodes = pipeOf(schema as Node)
  return nodes.flatMap((node): Field[] => {
    const within = (name: string): string => (path === '' ? name : `${path}.${name}`)
    if (node.entries !== undefined) {
      return Object.entries(node.entries).flatMap(([name, entry]) => [
        field(within(name), entry),
        ...fieldsOf(entry, within(name)),
      ])
    }
    if (node.item !== undefined) return [field(within('*'), node.item), ...fieldsOf(node.item, within('*'))]
    if (node.type === 'record') return [field(within('*'), node.value!, node.key), ...fieldsOf(node.value, within('*'))]
    return []
  })
}

/** What a record must be beyond each of its fields: which fields, and the rule. */
export const rulesOverFields = (schema: unknown): { readonly paths: readonly string[]; readonly rule: string }[] =>
  pipeOf(schema as Node).flatMap(({ paths, message }) =>
    paths === undefined || typeof message !== 'string'
      ? []
      : [{ paths: paths.map((path) => path.join('.')), rule: message }],
  )

const field = (path: string, node: Node, key?: Node): Field => ({
  path,
  isRequired: node.type !== 'nullish',
  rules: [...new Set([...(key === undefined ? [] : messagesOf(key)), ...messagesOf(node)])],
})

/** A schema's steps, those of what may be null among them. */
const pipeOf = (node: Node): readonly Node[] =>
  node.pipe !== undefined
    ? node.pipe.flatMap((step) =>
        step === node ? [step] : step.pipe === undefined && step.wrapped === undefined ? [step] : pipeOf(step),
      )
    : node.wrapped !== undefined
      ? pipeOf(node.wrapped)
      : [node]

const messagesOf = (node: Node): string[] =>
  pipeOf(node).flatMap(({ message }) => (typeof message === 'string' ? [message] : []))
