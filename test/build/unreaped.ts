/** A process that has ended, and of whose end nobody has taken notice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

// The shell becomes a program that never asks what became of its child, which ends when it has.
const script = '(until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done) & echo $!; exec sleep 60'

/** @returns its number, and its parent, which the caller ends */
export async function unreapedProcess(): Promise<{ pid: number; parent: ChildProcess }> {
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const pid = Number((await once(parent.stdout, 'data'))[0])
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await pause(5)
  return { pid, parent }
}
