/** card-prices update: from public sources to a published version. */
import { execFileSync } from 'node:child_process'
import { updateCommand } from './update-command.ts'

/** As systemd's CPUSchedulingPolicy=idle, so that a server on the machine comes first. Later threads inherit it. */
function lowerPriority(): void {
  try {
    execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)], { stdio: 'ignore' })
  } catch {
    // If the system forbids it or has no chrt, the priority stays.
  }
}

lowerPriority()
process.exitCode = await updateCommand(process.argv.slice(2), console)
