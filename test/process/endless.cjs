/**
 * Loaded by --require into a server under test: its server threads go on for ever where they parse a text with these
 * words, or, with ENDLESS=opening, where they open a version.
 */
const { writeSync } = require('node:fs')
const { workerData } = require('node:worker_threads')

const { parse } = JSON
const forEver = () => {
  // At once, by the process's own standard error: what a thread logs waits for a turn, which never comes.
  writeSync(2, 'an endless loop begins\n')
  for (;;);
}

if (workerData?.activity !== undefined) {
  JSON.parse = (text, ...more) => (String(text).includes('goes on for ever') ? forEver() : parse(text, ...more))
  if (process.env.ENDLESS === 'opening') globalThis.setImmediate = forEver
}
