/** npm run serve: settings → data and accounts → threads → listen. */
import { parseArgs } from 'node:util'
import { unsupportedPlatform } from './platform.ts'

const usage = `Usage: npm run serve

Serves the current version of INDEX_DIR on HOST:PORT. The settings are environment variables:

  HOST 127.0.0.1    PORT 8080 (0: any free port)   THREADS 1 (auto: one a core)
  INDEX_DIR indexes STORE_DIR store                API_FORM A
  LOG_LEVEL info    TLS_CERT, TLS_KEY              QUOTA_STORE, QUOTA_FAIL closed`

async function main(): Promise<number> {
  try {
    if (parseArgs({ options: { help: { type: 'boolean' } } }).values.help) {
      console.log(usage)
      return 0
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  const unsupported = unsupportedPlatform()
  if (unsupported !== undefined) {
    console.error(unsupported)
    return 1
  }
  const { runUntilSignal } = await import('./run.ts')
  return runUntilSignal()
}

process.exitCode = await main()
