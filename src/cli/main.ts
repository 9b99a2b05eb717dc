/** The program card-prices. */
import { terminal } from '../log/printable.ts'
import { runCardPrices } from './card-prices.ts'

process.exitCode = await runCardPrices(process.argv.slice(2), terminal)
