/** card-prices pull: fetches the version that is published behind an address, once. */

import { command } from '../command/command.ts'
import { RemotePointer } from '../indexes/sources/remote-pointer.ts'
import { WebFolder } from '../indexes/sources/web-folder.ts'
import { readSetting } from '../settings.ts'

const usage = `Usage: card-prices pull URL

Fetches the version that is published behind URL to INDEX_DIR, all that no version there has already, and makes it current there, as
a server with INDEX_URL does by itself. What was broken off goes on with the next call. INDEX_URL_HEADER is sent, if it is set.

  --help    shows this`

process.exitCode = await command(usage, {}, 1, async ({ positionals: [url] }) => {
  if (url === undefined) {
    console.error(`where from?\n\n${usage}`)
    return 2
  }
  const web = new WebFolder(readSetting('INDEX_URL', { INDEX_URL: url })!, readSetting('INDEX_URL_HEADER'))
  const indexDir = readSetting('INDEX_DIR')
  const never = new AbortController().signal
  const { version, files, bytes } = await new RemotePointer(web).bring(indexDir, never)
  console.log(
    `version ${version} is current in ${indexDir}; ${files} files were fetched, ${(bytes / 1e6).toFixed(1)} MB`,
  )
  return 0
})
