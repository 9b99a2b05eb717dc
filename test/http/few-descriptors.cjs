/** Loaded by --require into a process under test: it may open as many files as TEST_DESCRIPTORS says. The limit can be raised again. */
const { execFileSync } = require('node:child_process')
const { isMainThread } = require('node:worker_threads')

const limit = `--nofile=${process.env.TEST_DESCRIPTORS}:`
if (isMainThread) execFileSync('prlimit', ['--pid', String(process.pid), limit])
