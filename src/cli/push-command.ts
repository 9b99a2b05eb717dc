/** card-prices push: publishes the current version in a folder from which servers download it. */
import { command, UsageError } from '../command/command.ts'
import { push, pushText } from '../indexes/publish/push-version.ts'
import { readSetting } from '../settings.ts'

const usage = `Usage: card-prices push DIR

Copies the current version of INDEX_DIR to DIR, a folder or a mount, and makes it current there when it is complete. Files that exist
there are skipped and never changed. DIR must exist: a folder of versions, or an empty one for the first. A web server serves DIR as
INDEX_URL.

  --help    shows this`

process.exitCode = await command(usage, { positionalsMax: 1 }, async ({ positionals: [target] }) => {
  if (target === undefined) throw new UsageError('DIR is missing')
  console.log(pushText(await push(readSetting('INDEX_DIR'), target), target))
  return 0
})
