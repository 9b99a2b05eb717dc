/** The program card-prices. */
import { runCardPrices } from './card-prices.ts'

process.exitCode = await runCardPrices(process.argv.slice(2), console)
