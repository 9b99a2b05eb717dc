/** PgBouncer in front of a test's own PostgreSQL. It ends after the tests of the file. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './command.ts'
import { unusedPort } from './port.ts'
import { Program } from './program.ts'

/** It accepts any client, and connects to PostgreSQL as the user of docs/cluster.md. */
export async function startPooler(postgresPort: number, mode: 'session' | 'transaction'): Promise<Program> {
  const [port, folder] = [await unusedPort(), temporaryFolder()]
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
