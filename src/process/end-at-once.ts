/**
 * To exit, Node.js waits for calls of the system that are under way, and one to a mount that hangs never returns.
 * Another program in this process' place waits for none of them.
 */
export function endAtOnce(code: number): never {
  process.emit('exit', code)
  process.execve?.('/bin/sh', ['sh', '-c', `exit ${code}`])
  return process.exit(code)
}
