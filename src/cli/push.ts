/** card-prices push: publishes the current version in another folder, from where servers fetch it. */

import { command } from '../command/command.ts'
import { push } from '../indexes/publish/push.ts'
import { readSetting } from '../settings.ts'

const usage = `Usage: card-prices push DIR

Copies the version that is current in INDEX_DIR to DIR, a folder or a mount, and makes it current there when it is whole. What
lies there already is passed over and never changed. DIR is there already: a folder of versions, or an empty one for the first.
INDEX_URL of servers is where DIR is to be had.

  --help    shows this`

process.exitCode = await command(usage, {}, 1, async ({ positionals: [target] }) => {
  if (target === undefined) {
    console.error(`where to?\n\n${usage}`)
    return 2
  }
  const { version, files, bytes } = await push(readSetting('INDEX_DIR'), target)
  console.log(
    `version ${version} is current in ${target}; ${files} files were not there yet, ${(bytes / 1e6).toFixed(1)} MB`,
  )
  return 0
})
