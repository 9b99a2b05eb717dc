/**
 * --require loads this into a server under test. The process has the usual priority and can't lower it, as if a filter
 * forbade the system call.
 */
const { syncBuiltinESMExports } = require('node:module')
const os = require('node:os')

os.getPriority = () => 0
os.setPriority = () => {
  throw new Error('setpriority: EPERM')
}
syncBuiltinESMExports()
