/** card-prices serve: settings → data and accounts → threads → listen. */
import { command } from '../command/command.ts'
import { serveUntilSignal } from '../process/until-signal.ts'

const usage = `Usage: card-prices serve

Serves the current version of INDEX_DIR on HOST:PORT. The settings are environment variables, or lines of the file that
--env-file FILE names:

  HOST 127.0.0.1    PORT 8080 (0: any free port)   THREADS 1 (auto: one a core)
  INDEX_DIR indexes STORE_DIR store                API_FORM A
  LOG_LEVEL info    TLS_CERT, TLS_KEY              QUOTA_STORE, QUOTA_FAIL closed
  DRAIN_SECONDS 0   ACCESS_LOG off                 METRICS_PORT none, METRICS_HOST 127.0.0.1
  ACCOUNTS_STORE none
  INDEX_URL none    INDEX_URL_HEADER none

  Pages for people:
  WEB_PORT none (0: any free port)                 WEB_HOST HOST    WEB_URL http://WEB_HOST:WEB_PORT
  API_URL WEB_URL, else http://HOST:PORT           WEB_TRUST_PROXY 0`

process.exitCode = await command(usage, {}, () => serveUntilSignal())
