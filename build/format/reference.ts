/**
 * The reference of the snapshot format, for people (`snapshots/FORMAT.md`) and for editors (`snapshots/schemas/`). It
 * is made from the schemas that check a snapshot, so it always agrees with them. `npm run reference` writes it.
 */
import { writeFileSync } from 'node:fs'
import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { priceCentsMax } from '../../src/limits.ts'
import { onlyDefaultGames } from '../games/folder-games.ts'
import { aboutSchema } from '../read/about.ts'
import { historyColumns, rowSchema } from '../read/history/row.ts'
import { cardSchemaOf, centsOf, mustBeCount, mustBePrice, setSchemaOf } from '../read/snapshot-schema.ts'
import { type Field, fieldsOf, rulesOverFields } from './fields.ts'

interface Kind {
  readonly title: string
  readonly file: string
  readonly schema: v.GenericSchema
  readonly about: string
}

export const kinds: readonly Kind[] = [
  {
    title: 'What the data is',
    file: 'about',
    schema: aboutSchema,
    about: '`about.json`: one JSON object, optional. `/healthz` returns the currency.',
  },
  {
    title: 'A set',
    file: 'set',
    schema: setSchemaOf(onlyDefaultGames),
    about: '`sets/*.ndjson`: a JSON object a line.',
  },
  {
    title: 'A card',
    file: 'card',
    schema: cardSchemaOf(onlyDefaultGames),
    about: '`cards/*.ndjson`: a JSON object a line. Its set must exist.',
  },
  {
    title: 'A row of history',
    file: 'history-row',
    schema: rowSchema,
    about: `\`history/*.csv\`, columns by the header, in any order: \`${historyColumns.join(',')}\`. Others are ignored. A file has one row for a card and date; a row in a later file replaces it.`,
  },
]

/** The messages about prices, which are not in the schema. */
const priceRules = [centsOf('-1'), centsOf(`${priceCentsMax}`)].map(String)
/** True for a field that is a price. Prices of a history row have no rule in the schema. */
const isPrice = ({ rules }: Field): boolean => rules.length === 0 || rules.at(-1) === mustBePrice

export const exampleOf = (fields: readonly Field[]): object =>
  Object.fromEntries(fields.flatMap(({ path, example }) => (path.includes('.') ? [] : [[path, example]])))

/** The contents of the files, by path from the snapshot folder. */
export const referenceFiles = (): readonly (readonly [name: string, content: string])[] => [
  ['FORMAT.md', page()],
  ...kinds.map((kind) => [`schemas/${kind.file}.schema.json`, `${JSON.stringify(schemaOf(kind), null, 2)}\n`] as const),
]

function page(): string {
  const sections = kinds.map((kind) => {
    const fields = fieldsOf(kind.schema)
    const record = exampleOf(fields)
    const example = kind.file === 'history-row' ? Object.values(record).join(',') : JSON.stringify(record)
    const rows = fields.map((field) => {
      const rules = [...field.rules, ...(isPrice(field) ? priceRules : [])].join('; ')
      return `| \`${field.path}\` | ${field.isRequired ? 'yes' : ''} | ${field.description} | ${rules} | \`${JSON.stringify(field.example)}\` |`
    })
    return [
      `## ${kind.title}`,
      '',
      kind.about,
      '',
      '```',
      example,
      '```',
      '',
      '| field | required | meaning | rules | example |',
      '|---|---|---|---|---|',
      ...rows,
      ...rulesOverFields(kind.schema).flatMap(({ paths, rule }) => [
        '',
        `${paths.map((path) => `\`${path}\``).join(' and ')} together: ${rule}.`,
      ]),
    ].join('\n')
  })
  return `${[introduction, ...sections].join('\n\n')}\n`
}

const introduction = `# The snapshot format

What \`card-prices build\` reads. \`npm run reference\` writes this page, and the JSON Schemas for editors in \`schemas/\`, from the
schemas that check a snapshot.

- A snapshot is a folder with \`sets/\`, \`cards/\` and \`history/\`. Each has any number of files, plain or \`.gz\`, in UTF-8. The build
  reads them in name order. \`about.json\` beside them is optional.
- An optional field is unknown if it is null, absent, or (text, and in a CSV) empty. The build ignores other fields.
- Prices are in one currency, US dollars unless \`about.json\` names another. They are rounded to cents, half a cent up, as the
  number is written. An unknown price is never 0.
- A set's code is unique in its game, and a card's id in the snapshot. Each card's set must exist.
- Files are plain files, or links to one.
- Anything wrong stops the build, and nothing is published. Each problem names its place:
  \`cards/a.ndjson:12: prices.market: must be 0 or more (-1)\`.`

function schemaOf({ title, schema, file }: Kind): object {
  const fields = fieldsOf(schema)
  const json = toJsonSchema(convertible(schema) as v.GenericSchema, {
    typeMode: 'input',
    errorMode: 'ignore',
  }) as unknown as Properties
  describe(json, '', new Map(fields.map((field) => [field.path, field])))
  const { $schema, ...rest } = json
  return { $schema, $id: `${file}.schema.json`, title, ...rest, examples: [exampleOf(fields)] }
}

/**
 * The schema without the checks for a plain object and without descriptions. JSON Schema has `type` for the checks;
 * `describe` adds the descriptions and the rules.
 */
function convertible(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || schema instanceof RegExp) return schema
  if (Array.isArray(schema)) return schema.map(convertible)
  const { pipe } = schema as { readonly pipe?: readonly { readonly kind: string; readonly type: string }[] }
  const steps = pipe?.filter(({ kind }) => kind !== 'metadata')
  if (steps?.[0]?.type === 'custom') return convertible(steps[1] ?? steps[0])
  const entries = Object.entries({ ...schema, ...(steps && { pipe: steps }) })
  return Object.fromEntries(entries.map(([key, value]) => [key, convertible(value)]))
}

interface Properties {
  readonly $schema?: string
  properties?: Record<string, Properties>
  readonly anyOf?: readonly Properties[]
  readonly additionalProperties?: Properties | boolean
  readonly items?: Properties
  type?: string
  minimum?: number
  maximum?: number
}

/**
 * Adds the descriptions and rules to the schema's properties, and the bounds of prices, which are not in the schema.
 */
function describe(json: Properties, path: string, fields: ReadonlyMap<string, Field>): void {
  const field = fields.get(path)
  if (field !== undefined && json.type === 'number' && isPrice(field)) {
    json.minimum = 0
    json.maximum = priceCentsMax / 100
  }
  if (field?.rules.includes(mustBeCount) && json.type === 'number') {
    json.type = 'integer'
    json.minimum = 1
  }
  const within = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const [name, property] of Object.entries(json.properties ?? {})) {
    const { description, rules } = fields.get(within(name))!
    const rule = rules.length === 0 ? '' : ` It ${rules.join('; ')}.`
    const described = { description: `${description}${rule}`, ...property }
    json.properties![name] = described
    describe(described, within(name), fields)
  }
  if (typeof json.additionalProperties === 'object') describe(json.additionalProperties, within('*'), fields)
  if (json.items !== undefined) describe(json.items, within('*'), fields)
  for (const choice of json.anyOf ?? []) describe(choice, path, fields)
}

if (import.meta.main) {
  for (const [name, content] of referenceFiles()) writeFileSync(`snapshots/${name}`, content)
}
