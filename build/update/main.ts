/** card-prices update: from public sources to a published version. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { updateCommand } from './command-line.ts'

const niceness = 19

/**
 * Like systemd's CPUSchedulingPolicy=idle and Nice=19, so that a server on the machine comes first. Later threads inherit both.
 * A niced process alone still delays a waking one by up to 4 ms.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness)
    execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], { stdio: 'ignore' })
  } catch {
    // If the system forbids it or has no chrt, the priority stays.
  }
}

lowerPriority()
process.exitCode = await updateCommand(process.argv.slice(2), console)
