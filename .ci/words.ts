/**
 * Fails for home-made words in names, comments and documents, and for sentences whose subject is a clause. Compound names count by
 * their parts: `bringLocked` has the word `bring`.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** By word, the standard term. */
const standard: Readonly<Record<string, string>> = {
  board: 'shared lease state',
  bring: 'download',
  bringing: 'download',
  brought: 'downloaded',
  census: 'statistics',
  contest: 'harness',
  crew: 'worker pool',
  errand: 'job',
  faults: 'errors, error boundary',
  gate: 'authenticator',
  heir: 'replacement',
  keeper: 'lease manager',
  lender: 'quota client',
  manieth: 'index',
  meter: 'instrumentation',
  naive: 'reference implementation',
  plane: 'day buffer',
  predecessors: 'previous instances',
  seat: 'slot',
  steady: 'unchanged, monotonic',
  told: 'reported, sent',
  twin: 'reference implementation, matching set',
  twins: 'matching sets',
  unsettled: 'pending',
  whatever: 'any',
  whoever: 'the caller, a process',
}

/** Where a word is the standard term, or a contract has it. */
const exceptions: readonly (readonly [word: string, path: RegExp, reason: string])[] = [
  ['board', /^clients\/typescript\/src\/list-line\.ts$/, 'deck lists have a side board'],
  ['meter', /^src\/web\/|^test\/(web|browser)\/|^docs\/api\.md/, 'HTML has an element of this name'],
  ['whatever', /^src\/api\/description\/document\.ts$/, 'golden responses have this text'],
  ['crew', /^snapshots\/sample\//, "a set's name"],
  ['gate', /^snapshots\/sample\//, "a card's name"],
]

/** A sentence of a comment or a document that begins with a clause as its subject. */
const clause = /(?:^|[.:;!?] |\/\*\* |^ *\* |\/\/ |@param [a-zA-Z]+ )(What|Who|Whatever|Whoever) (?![^.]*\?)/

const paths = execFileSync('git', ['ls-files', '*.ts', '*.md', '*.sh', '*.mjs'], { encoding: 'utf8' }).split('\n')
const generated = ['.ci/words.ts', 'clients/typescript/src/description.ts', 'snapshots/FORMAT.md', '']
const checked = paths.filter((path) => !generated.includes(path))
const problems: string[] = []
for (const path of checked) {
  const isExcepted = (word: string) => exceptions.some(([one, where]) => one === word && where.test(path))
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, i) => {
      const words =
        line
          .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
          .toLowerCase()
          .match(/[a-z]+/g) ?? []
      for (const word of words) {
        if (Object.hasOwn(standard, word) && !isExcepted(word))
          problems.push(`${path}:${i + 1}: ${word} (${standard[word]})`)
      }
      const isProse = path.endsWith('.md') || /^\s*(\/\*\*|\*|\/\/)/.test(line)
      const [, opening] = (isProse && clause.exec(line)) || []
      if (opening !== undefined) problems.push(`${path}:${i + 1}: a sentence begins with ${opening}`)
    })
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
}
