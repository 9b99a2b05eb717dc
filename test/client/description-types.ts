/** The types of the client in clients/typescript, as openapi-typescript makes them of a description. */
import { createRequire } from 'node:module'

// As CommonJS: an import would first search the nine megabytes of TypeScript for the names that TypeScript exports.
const { default: openapiTypes, astToString }: typeof import('openapi-typescript') = createRequire(import.meta.url)(
  'openapi-typescript',
)

export const typesFile = 'clients/typescript/src/description.ts'

const head = '/** Made by `npm run client-types` from what a server of form A answers at /openapi.json. */\n'

/** The games that every server has. A server may have others, so a game is any text. */
const gamesHead = (known: string): string =>
  `\nexport type KnownGame = ${known}\n/** A game that every server has, or any other. */\nexport type Game = KnownGame | (string & {})\n\n`

interface Description {
  readonly components: {
    readonly schemas: Record<string, { readonly properties?: Record<string, { enum?: string[] }> }>
  }
}

/** As a caller's own openapi-typescript makes them. */
export const generatedTypes = async (description: unknown): Promise<string> =>
  astToString(await openapiTypes(structuredClone(description) as Parameters<typeof openapiTypes>[0]))

export async function typesOf(description: unknown): Promise<string> {
  const types = await generatedTypes(description)
  const games = (description as Description).components.schemas['cardSet']!.properties!['game']!.enum!
  const known = games.map((game) => `"${game}"`).join(' | ')
  return head + gamesHead(known) + types.replaceAll(`: ${known};`, ': Game;')
}
