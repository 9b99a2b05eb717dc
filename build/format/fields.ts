/** The fields of a record, read from its schema: their paths, descriptions, examples and rules. */

/**
 * The fields of a valibot schema that this module uses. In a path, `*` stands for a member of a record, or an element
 * of an array.
 */
interface Node {
  readonly kind: string
  readonly type: string
  readonly message?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly entries?: Readonly<Record<string, Node>>
  readonly wrapped?: Node
  readonly item?: Node
  readonly key?: Node
  readonly value?: Node
  readonly pipe?: readonly Node[]
  /** The fields that a check compares with each other. */
  readonly paths?: readonly (readonly string[])[]
}

export interface Field {
  /** The field's path, as messages show it: `prices.market`. */
  readonly path: string
  /** True if the field must not be null or absent. */
  readonly isRequired: boolean
  readonly description: string
  readonly example: unknown
  /** The field's rules, as the messages for values that break them. */
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

/** The rules of a record that compare several fields. */
export const rulesOverFields = (schema: unknown): { readonly paths: readonly string[]; readonly rule: string }[] =>
  pipeOf(schema as Node).flatMap(({ paths, message }) =>
    paths === undefined || typeof message !== 'string' ? [] : [{ paths: paths.flat(), rule: message }],
  )

const field = (path: string, node: Node, key?: Node): Field => ({
  path,
  isRequired: node.type !== 'nullish',
  description: node.pipe!.find(({ type }) => type === 'description')!.description!,
  example: node.pipe!.find(({ type }) => type === 'examples')!.examples![0],
  rules: [...new Set([...(key === undefined ? [] : messagesOf(key)), ...messagesOf(node)])],
})

/** The steps of a schema, including those of nullish schemas within it. */
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
