/** card-prices inspect: shows the current version, one card of it, or what changed in a version. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { changesText } from '../../build/version-changes.ts'
import { openDataset } from '../api/dataset.ts'
import { type Output, optionOf, ProgramCommand, UsageError } from '../command/command.ts'
import { table } from '../command/table.ts'
import { loadVersion, type VersionFiles } from '../indexes/load.ts'
import { bytesOf, isVersionName, readCurrent, readManifest } from '../indexes/manifest.ts'
import { publishedVersions } from '../indexes/publish/versions.ts'
import { readReport } from '../indexes/report-file.ts'
import { readSetting } from '../settings.ts'

function describeVersion({ manifest }: VersionFiles): string {
  const { cards, sets, historyRows } = manifest.counts
  const bytes = bytesOf(manifest.files)
  return table([
    ['version', manifest.version],
    ['as of', manifest.asOf ?? 'unknown'],
    ['built at', manifest.builtAt],
    ['format', String(manifest.format)],
    ['cards', number(cards)],
    ['sets', number(sets)],
    ['history rows', number(historyRows)],
    ...manifest.files.map((file): [string, string] => [file.name, megabytes(file.bytes)]),
    ['all files', `${megabytes(bytes)}, held once for all threads`],
  ])
}

async function describeCard(version: VersionFiles, id: string): Promise<string> {
  const { catalog, history } = await openDataset(version)
  const card = catalog.find(id)
  if (card === -1) throw new Error(`no card has the id ${id}`)
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
  const details = JSON.parse(text(catalog.detailsOf(id, 'extended')!)).data
  const entries: { date: string }[] = JSON.parse(
    text(history.body(card, id, '"period":"all"', Number.POSITIVE_INFINITY)),
  ).data.history
  const dates =
    entries.length === 0 ? 'none' : `${number(entries.length)} days, ${entries[0]!.date} to ${entries.at(-1)!.date}`
  return `${JSON.stringify(details, null, 2)}\n\n${table([
    ['number', details.number ?? 'unknown'],
    ['place in the order', `${number(card + 1)} of ${number(version.manifest.counts.cards)}`],
    ['history', dates],
    ['newest', entries.length === 0 ? 'none' : JSON.stringify(entries.at(-1))],
  ])}`
}

const number = (value: number) => value.toLocaleString('en')
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

export const inspectCommand = (output: Output): ProgramCommand =>
  new ProgramCommand('inspect', output)
    .description(
      'Shows the contents of the current version of INDEX_DIR, all that the server answers about a card, or what changed in a version.',
    )
    .argument('[CARD_ID]', "a card's id")
    .addOption(
      optionOf(
        '--changes [VERSION]',
        'shows what changed from the version before to the current one, or to VERSION',
        'no',
      ),
    )
    .examples('card-prices inspect', 'card-prices inspect pokemon-base1-004', 'card-prices inspect --changes')
    .action(async (id: string | undefined, { changes }: { readonly changes?: string | true }) => {
      if (id !== undefined && changes !== undefined) throw new UsageError(`--changes takes no card (${id})`)
      const indexDir = readSetting('INDEX_DIR')
      const current = await readCurrent(indexDir)
      if (current === undefined) throw new Error(`no version is published in ${indexDir} yet`)
      if (changes !== undefined) {
        output.log(await describeChanges(indexDir, changes === true ? current : changes))
        return
      }
      const version = await loadVersion(indexDir, current)
      output.log(id === undefined ? describeVersion(version) : await describeCard(version, id))
    })

async function describeChanges(indexDir: string, version: string): Promise<string> {
  const kept = (await publishedVersions(indexDir)).map((manifest) => manifest.version)
  // A damaged version is not in the list, but exists. Reading it below reports the damage.
  if (!isVersionName(version) || !(kept.includes(version) || existsSync(join(indexDir, version)))) {
    throw new Error(`there is no version ${version}; kept are ${kept.join(', ')}`)
  }
  return changesText(version, await readReport(indexDir, await readManifest(indexDir, version)))
}
