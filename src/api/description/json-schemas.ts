/** The schemas as JSON Schema, for the description's components. */
import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import { bodies } from '../route-row.ts'
import { gameForm, type SchemaName, schemaDescriptions, schemas } from '../schemas.ts'

export type Json = Readonly<Record<string, unknown>>

const definitions = { ...schemas, ...bodies }

export const refTo = (name: keyof typeof definitions): Json => ({ $ref: pointerTo(name) })

const pointerTo = (name: string) => `#/components/schemas/${name}`

/**
 * All schemas as JSON Schema. If a schema is part of another one, the other one refers to it.
 * @param games the ids of the served games
 */
export function jsonSchemas(games: readonly string[]): Json {
  const { description: _, ...described } = definitions
  const made: Json = toJsonSchemaDefs(described, {
    target: 'draft-2020-12',
    // JSON Schema has no counterpart to `check`. The metadata beside a check states what JSON Schema can express of it.
    ignoreActions: ['check'],
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction === gameForm) return { enum: [...games], type: 'string' }
      return 'metadata' in valibotAction ? { ...jsonSchema, ...(valibotAction.metadata as Json) } : undefined
    },
    overrideRef: ({ referenceId }) => pointerTo(referenceId),
  })
  return Object.fromEntries(
    Object.entries(made).map(([name, schema]) => {
      const words = schemaDescriptions[name as SchemaName]
      return [name, words === undefined ? schema : { description: words, ...(schema as Json) }]
    }),
  )
}
