/**
 * The base of all commands: one form of help, 80 columns wide, and the exit codes. `--help` exits with 0, and wrong
 * usage with 2. A failure exits with 1 and prints its message on standard error.
 */
import { type Argument, Command, CommanderError, Help, Option } from 'commander'

/** Standard output and standard error. */
export type Output = Pick<Console, 'log' | 'error'>

const helpColumns = 80

/** Help with the default of each option, and with the values that an option or an argument may have. */
class ShapedHelp extends Help {
  override helpWidth = helpColumns

  override optionDescription(option: Option): string {
    return described(option.description, option.argChoices, option.mandatory ? 'required' : defaultOf(option))
  }

  override argumentDescription({ description, argChoices }: Argument): string {
    return described(description, argChoices, undefined)
  }

  override subcommandTerm(command: Command): string {
    const words = command.registeredArguments.map((argument) => {
      const name = argument.name() + (argument.variadic ? '…' : '')
      return argument.required ? name : `[${name}]`
    })
    return [command.name(), ...words].join(' ')
  }
}

function described(text: string, choices: readonly string[] | undefined, end: string | undefined): string {
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(end === undefined ? [] : [end]),
  ]
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`
}

function defaultOf({ defaultValue, defaultValueDescription, long }: Option): string | undefined {
  if (long === '--help' || long === '--version') return undefined
  return `default: ${defaultValueDescription ?? (defaultValue === false ? 'no' : defaultValue)}`
}

/** Returns the exit code, or nothing for 0. A UsageError means wrong usage; any other error is a failure. */
// biome-ignore lint/suspicious/noExplicitAny: arguments and options of commander, which each action names
type Action = (...given: any[]) => unknown

const exited = 'exited'

export class ProgramCommand extends Command {
  readonly #output: Output
  readonly #prefix: string

  /** @param prefix the beginning of each error of this command and of its subcommands */
  constructor(name: string, output: Output, prefix = '') {
    super(name)
    this.#output = output
    this.#prefix = prefix
    this.helpOption('-h, --help', 'shows this')
    this.exitOverride()
    this.configureOutput({
      writeOut: (text) => output.log(text.trimEnd()),
      writeErr: (text) => output.error(text.trimEnd()),
      outputError: (text) => this.#fail(`${text.trim().replace(/^error: /, '')}\nTry: ${this.#path} --help`),
    })
  }

  override createCommand(name: string): ProgramCommand {
    return new ProgramCommand(name, this.#output, this.#prefix)
  }

  override createHelp(): Help {
    return new ShapedHelp()
  }

  /** Does nothing, because the constructor configures every command. */
  override copyInheritedSettings(): this {
    return this
  }

  override action(run: Action): this {
    return super.action(async (...given) => {
      let code: unknown
      try {
        code = await run(...given)
      } catch (error) {
        if (error instanceof UsageError) this.error(error.message)
        this.#fail((error as Error).message)
        code = 1
      }
      if (typeof code === 'number' && code !== 0) throw new CommanderError(code, exited, '')
    })
  }

  /** Adds examples to the help, after the options. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }

  /**
   * Adds a list to the help, after the options. Each item has its text under it.
   * @param items called only when the help is printed
   */
  section(title: string, items: () => readonly (readonly [term: string, text: string])[]): this {
    return this.addHelpText('after', () => {
      const help = this.createHelp()
      const lines = items().map(([term, text]) => {
        const wrapped = help.boxWrap(text, helpColumns - 6).replaceAll('\n', `\n${' '.repeat(6)}`)
        return `  ${term}\n      ${wrapped}`
      })
      return `\n${title}\n${lines.join('\n')}`
    })
  }

  #fail(message: string): void {
    this.#output.error(this.#prefix + message)
  }

  get #path(): string {
    let path = this.name()
    for (let { parent } = this as Command; parent !== null; parent = parent.parent) path = `${parent.name()} ${path}`
    return path
  }
}

/**
 * Makes an option.
 * @param unset the help's text for what holds without the option: words, or the default value itself
 */
export const optionOf = (flags: string, description: string, unset: string): Option =>
  Object.assign(new Option(flags, description), { defaultValueDescription: unset })

/** Runs a program with these arguments. Returns the exit code. */
export const runProgram = (program: Command, words: readonly string[], output: Output): Promise<number> =>
  exitCodeOf(() => program.parseAsync(words, { from: 'user' }), output)

export async function exitCodeOf(run: () => Promise<unknown>, output: Output): Promise<number> {
  try {
    await run()
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.code === exited || error.exitCode === 0 ? error.exitCode : 2
    output.error((error as Error).message)
    return 1
  }
}

/** The command line is wrong. The message is the reason. */
export class UsageError extends Error {}

/**
 * Returns the names that an option's text lists, separated by commas. Throws UsageError for a name that is not among
 * `names`.
 * @param unset returned if the option is absent
 */
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
