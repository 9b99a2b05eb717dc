/** Loaded by --require into a server under test: the priority is the usual one, and can't be lowered, as under a filter of its calls. */
const { syncBuiltinESMExports } = require('node:module')
const os = require('node:os')

os.getPriority = () => 0
os.setPriority = () => {
  throw new Error('setpriority: EPERM')
}
syncBuiltinESMExports()
