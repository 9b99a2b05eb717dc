/** Runs an accounts command as `npm run accounts … | head -n 1` would: reads a line, then closes its end of the pipe. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { projectDir } from '../support/command.ts'

const script = join(projectDir, 'src/cli/accounts/main.ts')
const child = spawn(process.execPath, [...process.execArgv, script, ...process.argv.slice(2)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [part] = (await once(child.stdout, 'data')) as [Buffer]
process.stdout.write(`${part.toString().split('\n', 1)[0]}\n`)
child.stdout.destroy()
const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
if (signal !== null) console.error(signal)
process.exitCode = code ?? 1
