/**
 * card-prices import: what public sources publish becomes a snapshot folder.
 *
 *   files ──read──check──▶ sets, cards, prices of one source ──┐
 *   import/kept/: what each source gave last ──────────────────┼─▶ ids ─▶ compose ─▶ sets/, cards/ ─┐
 *   import/ids.ndjson: ids and set codes ever given ───────────┘      └─▶ history/ ─────────────────┴─▶ put in place together
 *
 * It never goes to the network.
 */
import { importCommand } from './command-line.ts'

process.exitCode = await importCommand(process.argv.slice(2), console)
