/**
 * The settings file, for settings that the environment lacks. Errors and warnings name lines and settings, but never
 * show a value, which can be a password.
 *
 * Lines are read as systemd reads an EnvironmentFile (systemd.exec(5)):
 *
 *   # a comment   ; another one
 *   KEY=value     blanks around the value are dropped; a backslash escapes the next character, and at the end of a line
 *                 continues the value on the next line
 *   KEY='value'   literal, also over several lines
 *   KEY="value"   the same, but a backslash escapes " \ ` $ and the end of a line
 */
import { readFileSync } from 'node:fs'
import { systemText } from '../platform/system-error.ts'
import { isSettingName, type SettingName, settingNames } from '../settings.ts'

/**
 * A variable of Node.js that the file may have, too. It names a file of certificates. If a private certificate
 * authority is in that file, this program's outgoing connections trust it.
 */
export const certificatesVariable = 'NODE_EXTRA_CA_CERTS'

/** The settings file if no other file is named. It may be missing or unreadable. */
const usualFile = '/etc/card-prices.env'

export interface SettingsFile {
  /** Undefined if no file was read. */
  readonly path: string | undefined
  /** One line for each unknown name, and for each line that is not an assignment. */
  readonly warnings: readonly string[]
}

/**
 * Adds the file's settings to the environment, and sets CARD_PRICES_ENV to the file's path for child processes. Throws
 * an Error of one line if a named file can't be read.
 * @param named the file named on the command line; if undefined, CARD_PRICES_ENV names the file
 * @param usual the file if none is named; tests replace it
 */
export function loadSettingsFile(
  named: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
  usual = usualFile,
): SettingsFile {
  const warnings = Object.keys(env).flatMap((name) => {
    const meant = settingMeantBy(name)
    return meant === undefined ? [] : [`${name} is no setting: did you mean ${meant}?`]
  })
  const wanted = named ?? (env['CARD_PRICES_ENV'] || undefined)
  const path = wanted ?? usual
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (wanted === undefined) return { path: undefined, warnings }
    throw new Error(`the settings file ${path} can't be read (${systemText(error)})`)
  }
  env['CARD_PRICES_ENV'] = path
  const values = new Map<string, string>()
  for (const { line, name, value } of assignmentsIn(text, path)) {
    if (name === undefined) warnings.push(`${path}:${line}: not a KEY=value line; ignored`)
    else if (isSettingName(name) || name === certificatesVariable) values.set(name, value)
    else warnings.push(`${path}:${line}: ${name} is no setting; ignored${meantInstead(name)}`)
  }
  for (const [name, value] of values) env[name] ||= value
  return { path, warnings }
}

function meantInstead(name: string): string {
  const meant = settingMeantBy(name)
  return meant === undefined ? '' : `: did you mean ${meant}?`
}

interface Assignment {
  /** The number of the line, from 1. */
  readonly line: number
  /** Undefined if the line is not an assignment. */
  readonly name: string | undefined
  readonly value: string
}

/**
 * Matches blank lines, and after them a comment, an assignment, or anything else. The value of an assignment is any
 * number of quoted parts and then a plain part.
 */
const statement = new RegExp(
  [
    String.raw`[ \t\r\n]*(?:[#;].*|(?<name>[^=\r\n]*)=`,
    String.raw`(?<quoted>(?:[ \t]*(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"))*)[ \t]*`,
    String.raw`(?<plain>(?:\\(?:\r\n|[\s\S])|[^\\\r\n])*?)(?:\\$)?[ \t]*(?=[\r\n]|$)`,
    String.raw`|(?<other>\S.*))`,
  ].join(''),
  'y',
)
const quotedPart = /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"/g
const validName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Throws an Error of one line for a quote that is not closed. */
function assignmentsIn(text: string, path: string): Assignment[] {
  const found: Assignment[] = []
  statement.lastIndex = text.startsWith('\ufeff') ? 1 : 0
  for (let match = statement.exec(text); match !== null; match = statement.exec(text)) {
    const { name, quoted, plain, other } = match.groups!
    const line = lineAt(text, match.index + /^[ \t\r\n]*/.exec(match[0])![0].length)
    if (other !== undefined || (name !== undefined && !validName.test(name.trim()))) {
      found.push({ line, name: undefined, value: '' })
    } else if (name !== undefined) {
      if (/^['"]/.test(plain!)) throw new Error(`${path}:${line}: ${name.trim()}: a quote is not closed`)
      found.push({
        line,
        name: name.trim(),
        value: unquoted(quoted!) + plain!.replace(/\\(\r?\n|[\s\S])/g, escapedPlain),
      })
    }
  }
  return found
}

const lineAt = (text: string, at: number) => text.slice(0, at).split(/\r\n|[\r\n]/).length

const escapedPlain = (_: string, next: string) => next.replace(/^\r?\n$/, '')

const unquoted = (quoted: string) =>
  [...quoted.matchAll(quotedPart)]
    .map(([, single, double]) => single ?? double!.replace(/\\(["\\`$])|\\\n/g, (_, escaped: string = '') => escaped))
    .join('')

/** Variables of other programs whose names differ from those of settings by one letter. */
const othersNames: ReadonlySet<string> = new Set(['APP_URL', 'POST'])

/**
 * Returns the setting whose name differs from `name` by one letter, which is added, removed, replaced, or swapped with
 * the next. Underscores and case are ignored.
 */
export function settingMeantBy(name: string): SettingName | undefined {
  if (isSettingName(name) || othersNames.has(name)) return undefined
  return settingNames.find((setting) => isNear(lettersOf(name), lettersOf(setting)))
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll('_', '')

function isNear(given: string, setting: string): boolean {
  let at = 0
  while (at < given.length && given[at] === setting[at]) at++
  const [a, b] = [given.slice(at), setting.slice(at)]
  const isSwapped = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2)
  return isSwapped || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1)
}
