/** card-prices pull: downloads the published version once. */
import { type Output, ProgramCommand, UsageError } from '../command/command.ts'
import { RemotePointer } from '../indexes/origins/remote-pointer.ts'
import { WebFolder } from '../indexes/origins/web-folder.ts'
import { tryVersion } from '../process/trial/trial.ts'
import { readSetting } from '../settings.ts'

export const pullCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('pull', output)
    .description(
      'Downloads the version that is published at URL into INDEX_DIR and makes it current there, as a server with INDEX_URL does. ' +
        'It downloads only files that no version there has, and resumes an earlier call. A version that fails its trial is not made ' +
        'current. It sends INDEX_URL_HEADER, if that is set.',
    )
    .argument('<URL>', 'the address of a folder of versions')
    .examples('card-prices pull https://prices.example/versions')
    .action(async (url: string) => {
      const web = new WebFolder(addressIn(url), readSetting('INDEX_URL_HEADER'))
      const indexDir = readSetting('INDEX_DIR')
      const { version, files, bytes } = await new RemotePointer(web).download(indexDir, tryVersion)
      const size = `${(bytes / 1e6).toFixed(1)} MB`
      output.log(`version ${version} is current in ${indexDir}; downloaded ${files} files, ${size}`)
    })

/**
 * Parses the address of the argument. Throws UsageError if INDEX_URL would not accept it. The message does not quote
 * it, because it may have a password.
 */
function addressIn(url: string): NonNullable<ReturnType<typeof readSetting<'INDEX_URL'>>> {
  try {
    return readSetting('INDEX_URL', { INDEX_URL: url })!
  } catch (error) {
    throw new UsageError((error as Error).message.replace('INDEX_URL', 'URL'))
  }
}
