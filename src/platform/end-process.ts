/**
 * Ends the process at once, with exit code 1, while a thread may never come to an end. `process.exit` would end the
 * threads first. That aborts the process if one of them has open connections, because the HTTP library can't close
 * them then. So the process becomes a program that does nothing but exit.
 *
 * Node.js before 22.15 can't become another program, and Windows has no such call: there a signal ends the process.
 */
export function endAtOnce(): never {
  process.execve?.('/bin/sh', ['sh', '-c', 'exit 1'])
  process.kill(process.pid, 'SIGKILL')
  // The signal has ended the process by now.
  process.exit(1)
}
