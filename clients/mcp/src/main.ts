#!/usr/bin/env node
/** card-prices-mcp: serves one assistant on stdin and stdout, or with --http PORT all programs on this machine. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { CardPrices } from '../../typescript/src/index.ts'
import { servedGamesOf } from './served-games.ts'
import { makeServer } from './server.ts'
import { version } from './version.ts'

const usage = `Usage: card-prices-mcp [--http PORT]

Serves card prices to assistants by the Model Context Protocol: on stdin and stdout, or with
--http PORT at http://127.0.0.1:PORT/mcp (0: any free port).

  CARD_PRICES_KEY   the API key
  CARD_PRICES_URL   the address of the API; http://127.0.0.1:8080 if it is not set
`

function fail(message: string): never {
  process.stderr.write(`card-prices-mcp: ${message}\n`)
  process.exit(2)
}

function readArguments() {
  try {
    const options = { http: { type: 'string' }, help: { type: 'boolean' }, version: { type: 'boolean' } } as const
    return parseArgs({ options }).values
  } catch (error) {
    return fail((error as Error).message)
  }
}

/** Returns a function that makes a server for each program that connects. */
function makeServers(): () => Promise<McpServer> {
  const { CARD_PRICES_URL: baseUrl = 'http://127.0.0.1:8080', CARD_PRICES_KEY: apiKey = '' } = process.env
  if (apiKey === '') fail('CARD_PRICES_KEY is not set')
  try {
    const prices = new CardPrices({ baseUrl, apiKey })
    const servedGames = servedGamesOf(baseUrl)
    return async () => makeServer(prices, await servedGames())
  } catch (error) {
    const { message } = error as Error
    return fail(message.replace('baseUrl', 'CARD_PRICES_URL').replace('apiKey', 'CARD_PRICES_KEY'))
  }
}

/** Serves on 127.0.0.1. Rejects requests of web pages: those with another origin, or another host name. */
function serveHttp(newServer: () => Promise<McpServer>, port: number): void {
  const handler = toNodeHandler(createMcpHandler(newServer))
  const [isHostAllowed, isOriginAllowed] = [localhostHostValidation(), localhostOriginValidation()]
  const server = createServer((request, response) => {
    if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return
    if (request.url === '/mcp') void handler(request as Parameters<typeof handler>[0], response)
    else response.writeHead(404).end()
  })
  server.on('error', (error) => fail(error.message))
  server.listen(port, '127.0.0.1', () => {
    process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`)
  })
}

const { http, help, version: isVersionAsked } = readArguments()
if (help === true) process.stdout.write(usage)
else if (isVersionAsked === true) process.stdout.write(`${version}\n`)
else if (http === undefined) serveStdio(makeServers())
else {
  if (!/^\d{1,5}$/.test(http) || Number(http) > 65_535) fail('--http takes a port')
  serveHttp(makeServers(), Number(http))
}
