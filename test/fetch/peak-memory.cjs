/**
 * Loaded by --require into a process under test: writes into PEAK_FILE how much memory it had at most, in bytes. (getrusage
 * would count that of the process that has started it.)
 */
const { readFileSync, writeFileSync } = require('node:fs')

process.on('exit', () => {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))
  writeFileSync(process.env.PEAK_FILE, String(kilobytes * 1024))
})
