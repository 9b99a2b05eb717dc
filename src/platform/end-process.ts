/**
 * Ends the process at once with exit code 1, even if a thread never ends. `process.exit` would end the threads first.
 * If one of them had open connections, that would abort the process, because the HTTP library can't close them then. So
 * the process becomes a program that only exits.
 *
 * Node.js before 22.15 can't become another program, and Windows has no such call. There, a signal ends the process.
 */
export function endAtOnce(): never {
  process.execve?.('/bin/sh', ['sh', '-c', 'exit 1'])
  process.kill(process.pid, 'SIGKILL')
  // Not reached: the signal has ended the process.
  process.exit(1)
}
