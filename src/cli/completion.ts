/** Makes shell completions from the tables of commands. */
import { commands as accountsCommands } from './accounts/commands.ts'
import type { Command } from './main.ts'

const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export const isShell = (name: string | undefined): name is Shell => shells.includes(name as Shell)

interface Completed {
  /** A glob for `PLACE:COMMAND:SUBCOMMAND`. PLACE is the number of words before the cursor. The first match counts. */
  readonly at: string
  readonly words: readonly (readonly [word: string, help: string])[]
}

export function completions(shell: Shell, commands: readonly Command[]): string {
  const flags = (names: readonly string[]) => [...names, '--help'].map((flag) => [flag, ''] as const)
  const all: Completed[] = [
    { at: '1:*', words: [...commands, ...topFlags].map(({ name, help }) => [name, help]) },
    { at: '2:accounts:*', words: accountsCommands.map(({ name, help }) => [name, help]) },
    ...accountsCommands.map(({ name, options = [] }) => ({
      at: `*:accounts:${name}`,
      words: flags([...options.map((option) => `--${option}`), '--json']),
    })),
    { at: '2:help:*', words: commands.map(({ name, help }) => [name, help]) },
    { at: '2:completion:*', words: shells.map((name) => [name, '']) },
    ...commands.map(({ name, flags: own = [] }) => ({ at: `*:${name}:*`, words: flags([...own, '--env-file']) })),
  ]
  return { bash, zsh, fish }[shell](all)
}

const topFlags = [
  { name: '--env-file', help: 'a file of settings' },
  { name: '--version', help: 'the version' },
  { name: '--help', help: 'the commands' },
]

const casesOf = (all: readonly Completed[]) =>
  all.map(({ at, words }) => `    ${at}) candidates='${words.map(([word]) => word).join(' ')}' ;;`).join('\n')

const bash = (all: readonly Completed[]) => `# source <(card-prices completion bash)
_card_prices() {
  local candidates=''
  case $COMP_CWORD:\${COMP_WORDS[1]}:\${COMP_WORDS[2]} in
${casesOf(all)}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _card_prices card-prices`

const zsh = (all: readonly Completed[]) => `#compdef card-prices
# source <(card-prices completion zsh)
_card_prices() {
  local place=$((CURRENT - 1)):\${words[2]}:\${words[3]}
  local candidates=''
  case $place in
${casesOf(all)}
  esac
  compadd -- \${=candidates} || _files
}
if [ "$funcstack[1]" = _card_prices ]; then _card_prices; else compdef _card_prices card-prices; fi`

const fish = (all: readonly Completed[]) => `# card-prices completion fish | source
function __card_prices_at
  set -l words (commandline -opc)
  set -l place (count $words)
  string match -q -- $argv[1] "$place:$words[2]:$words[3]"
end
${all
  .flatMap(({ at, words }) =>
    words.map(([word, help]) => {
      const described = help === '' ? '' : ` -d ${inFish(help)}`
      return `complete -c card-prices -n "__card_prices_at '${at}'" -a ${inFish(word)}${described}`
    }),
  )
  .join('\n')}`

const inFish = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
