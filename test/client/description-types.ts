/** The types of the client in clients/typescript, as openapi-typescript makes them of a description. */
import { createRequire } from 'node:module'

// As CommonJS: an import would first read the nine megabytes of TypeScript for the names that they export.
const { default: openapiTypes, astToString }: typeof import('openapi-typescript') = createRequire(import.meta.url)(
  'openapi-typescript',
)

export const typesFile = 'clients/typescript/src/description.ts'

const head = '/** Made by `npm run client-types` from what a server of form A answers at /openapi.json. */\n'

export const typesOf = async (description: unknown): Promise<string> =>
  head + astToString(await openapiTypes(structuredClone(description) as Parameters<typeof openapiTypes>[0]))
