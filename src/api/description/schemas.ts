/** The shapes as JSON Schema, and where the description has them. */
import { toJsonSchemaDefs } from '@valibot/to-json-schema'
import { bodies } from '../routes.ts'
import { type ShapeName, schemas } from '../schemas.ts'
import { schemaDescriptions } from './descriptions.ts'

export type Json = Readonly<Record<string, unknown>>

const definitions = { ...schemas, ...bodies }

export const refTo = (name: keyof typeof definitions): Json => ({ $ref: placeOf(name) })

const placeOf = (name: string) => `#/components/schemas/${name}`

/** Where one shape is part of another, it is referred to. */
export function jsonSchemas(): Json {
  const { description: _, ...described } = definitions
  const made: Json = toJsonSchemaDefs(described, {
    target: 'draft-2020-12',
    overrideRef: ({ referenceId }) => placeOf(referenceId),
  })
  return Object.fromEntries(
    Object.entries(made).map(([name, schema]) => {
      const words = schemaDescriptions[name as ShapeName]
      return [name, words === undefined ? schema : { description: words, ...(schema as Json) }]
    }),
  )
}
