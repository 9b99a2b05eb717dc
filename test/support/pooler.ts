/** PgBouncer before a PostgreSQL of the test's own. It ends with the tests of the file. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/process/free-port.ts'
import { temporaryFolder } from './command.ts'
import { Program } from './program.ts'

/** It lets in anybody, as the user of docs/cluster.md. */
export async function startPooler(postgresPort: number, mode: 'session' | 'transaction'): Promise<Program> {
  const [port, folder] = [await freePort('127.0.0.1', 0), temporaryFolder()]
  const lines = [
    '[databases]',
    `card_prices = host=127.0.0.1 port=${postgresPort} user=card_prices password=CHANGE-THIS`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\npool_mode = ${mode}\nunix_socket_dir =`,
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, lines.join('\n'))
  chmodSync(folder, 0o755)
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  return new Program('pgbouncer', [...user, file], port).start()
}
