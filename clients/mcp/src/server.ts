/** A server of the Model Context Protocol with the tools and prompts. */
import { type CallToolResult, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { firstGames } from '../../../src/lists/known-games.ts'
import type { CardPrices } from '../../typescript/src/index.ts'
import { messageOf } from './messages.ts'
import * as schema from './schemas.ts'
import { type Tool, tools } from './tools.ts'
import { version } from './version.ts'

const instructionsFor = (games: readonly string[]): string =>
  `Prices of trading cards of the games ${games.join(', ')}. An account ` +
  'has a number of requests a day (Free 200, Trader 10,000, Business 100,000); each result says in `quota` how many are left. ' +
  'price_history, price_changes and movers need the plan Trader or Business. An unknown price is null, never 0. Names are not ' +
  'unique: go by ids.'

/** @param games the ids of the games that the price server has */
export function makeServer(prices: CardPrices, games: readonly string[] = firstGames): McpServer {
  const instructions = instructionsFor(games)
  const server = new McpServer({ name: 'card-prices', title: 'Card prices', version }, { instructions })
  for (const [name, tool] of Object.entries(tools)) {
    const { title, description, input, output } = tool
    const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
    server.registerTool(
      name,
      { title, description, inputSchema: namingArguments(name, input), outputSchema: output, annotations },
      (given, { mcpReq }) => call(prices, tool, given, mcpReq.signal),
    )
  }
  registerPrompts(server)
  return server
}

/** Returns a tool's input schema. If validation fails, its errors also name the arguments that the tool takes. */
function namingArguments(name: string, input: z.ZodObject): StandardSchemaWithJSON {
  const standard = input['~standard']
  const message = `${name} takes ${argumentsOf(input)}`
  const validate = async (given: unknown) => {
    const result = await standard.validate(given)
    return result.issues === undefined ? result : { issues: [...result.issues, { message }] }
  }
  return { '~standard': { ...standard, validate } }
}

/** Returns the arguments as text: `text (optional), lines (optional; each: quantity (optional), id (optional))`. */
function argumentsOf({ shape }: z.ZodObject): string {
  const described = Object.entries(shape).map(([name, value]) => {
    const notes = z.safeParse(value, undefined).success ? ['optional'] : []
    const list = value instanceof z.ZodOptional ? value.unwrap() : value
    const item = list instanceof z.ZodArray ? list.element : undefined
    if (item instanceof z.ZodObject) notes.push(`each: ${argumentsOf(item)}`)
    return notes.length > 0 ? `${name} (${notes.join('; ')})` : name
  })
  return described.join(', ')
}

async function call(prices: CardPrices, tool: Tool, given: unknown, signal: AbortSignal): Promise<CallToolResult> {
  try {
    const structuredContent = { ...(await tool.run(prices, given as never, signal)), quota: quotaOf(prices) }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  } catch (error) {
    const message = messageOf(error)
    if (message === undefined) throw error
    return { content: [{ type: 'text', text: message }], isError: true }
  }
}

function quotaOf({ rateLimit }: CardPrices) {
  if (rateLimit === undefined) return null
  const { limit, remaining, reset } = rateLimit
  return { limit, remaining, resetsAt: new Date(reset * 1000).toISOString() }
}

function registerPrompts(server: McpServer): void {
  const asUser = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] })
  server.registerPrompt(
    'value_my_list',
    {
      title: 'Value my list',
      description: 'What the cards of a list are worth.',
      argsSchema: z.object({
        list: z.string().describe('One card a line, a CSV, or ids.'),
        game: schema.game.optional(),
      }),
    },
    ({ list, game }) =>
      asUser(
        'What are these cards worth? Call value_list once with the list as it stands' +
          `${game === undefined ? '' : ` and the game ${game}`}. Then show a table of card, set, quantity, unit price and ` +
          'total, and the sum with its currency. Mark likely matches. List ambiguous lines with their candidates and ask me ' +
          `which I mean, and name the lines that match nothing. Guess no price.\n\n${list}`,
      ),
  )
  server.registerPrompt(
    'what_moved',
    {
      title: 'What moved',
      description: 'The cards whose prices rose and fell most.',
      argsSchema: z.object({ game: schema.game.optional(), period: schema.changePeriod.optional() }),
    },
    ({ game, period = '7d' }) =>
      asUser(
        `Which ${game === undefined ? 'cards' : `cards of ${game}`} moved most over ${period}? Call movers twice, with direction ` +
          'up and down. Show both as tables of card, set, price before, price after, and percent. Say what stands out, and do ' +
          'not invent reasons.',
      ),
  )
}
