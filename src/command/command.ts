/** The frame of a command: `--help` exits 0, wrong usage 2, a failure 1 with its message on standard error. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** Standard output and standard error. */
export type Output = Pick<Console, 'log' | 'error'>

export interface CommandLine {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly positionals: readonly string[]
}

interface Taken {
  readonly options?: Options
  /** How many words without a name the command takes; by default none. */
  readonly positionalsMax?: number
  /** The end of an error of usage; by default the usage. */
  readonly hint?: string
}

/**
 * @param usage what `--help` prints
 * @param run returns the exit code; a UsageError that it throws is wrong usage, any other error a failure
 * @param from the words behind the command, and where its output goes; by default those of the process
 * @returns the exit code
 */
export async function command(
  usage: string,
  { options = {}, positionalsMax = 0, hint = `\n${usage}` }: Taken,
  run: (given: CommandLine) => Promise<number>,
  { args = process.argv.slice(2), output = console }: { args?: readonly string[]; output?: Output } = {},
): Promise<number> {
  let given: CommandLine
  try {
    given = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean' } },
      allowPositionals: positionalsMax > 0,
    })
    if (given.positionals.length > positionalsMax) throw new Error(`unexpected argument ${given.positionals.at(-1)}`)
  } catch (error) {
    output.error(`${(error as Error).message}\n${hint}`)
    return 2
  }
  if (given.values['help'] === true) {
    output.log(usage)
    return 0
  }
  try {
    return await run(given)
  } catch (error) {
    const { message } = error as Error
    const isUsage = error instanceof UsageError
    output.error(isUsage ? `${message}\n${hint}` : message)
    return isUsage ? 2 : 1
  }
}

/** A command line that says what can't be. */
export class UsageError extends Error {}

/** The words of an option that takes some of these names, parted by commas. Throws UsageError. */
export function listOf<Name extends string>(
  option: string,
  text: string | undefined,
  names: readonly Name[],
  unset: readonly Name[],
): readonly Name[] {
  if (text === undefined) return unset
  const chosen = text.split(',').map((word) => word.trim())
  const unknown = chosen.find((word) => !(names as readonly string[]).includes(word))
  if (unknown !== undefined) throw new UsageError(`${option}: must be of ${names.join(', ')} (${unknown})`)
  return chosen as Name[]
}
