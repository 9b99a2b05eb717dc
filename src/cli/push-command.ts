/** card-prices push: publishes the current version in a folder from which servers download it. */
import { type Output, ProgramCommand } from '../command/command.ts'
import { push, pushText } from '../indexes/publish/push-version.ts'
import { readSetting } from '../settings.ts'

export const pushCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('push', output)
    .description(
      'Copies the current version of INDEX_DIR to DIR, and makes it current there when it is complete. Files that exist there are ' +
        'skipped and never changed. A web server serves DIR as INDEX_URL.',
    )
    .argument('<DIR>', 'a folder of versions, or an empty one for the first; also a mount')
    .examples('card-prices push /srv/card-prices')
    .action(async (target: string) => {
      output.log(pushText(await push(readSetting('INDEX_DIR'), target), target))
    })
