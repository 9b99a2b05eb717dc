import * as v from 'valibot'

/** A field's schema with a description and an example, which `npm run reference` writes. */
export const described = <const Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
  example: v.InferInput<Schema>,
) => v.pipe(schema, v.description(description), v.examples([example]))
