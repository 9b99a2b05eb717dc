/**
 * The output of `npm test`, a reporter of node:test. On a terminal that is Node's own `spec`. Elsewhere it is a line for each
 * file that is done, what failed, and the counts as Node has them there. The last lines name what was skipped, and the
 * command that installs what was missed. Where CI is set a skipped test fails the run: there everything must be installed.
 */
import { writeSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { Transform } from 'node:stream'
import { spec } from 'node:test/reporters'
import { installing, lackOf, type Program, packageOf } from '../support/programs.ts'
import { endingText, failureText } from './failure-text.ts'
import { FileLimit } from './file-limit.ts'

/** Of node:test's events what is read here, alike in Node 20 and later. */
interface TestEvent {
  readonly type: string
  readonly data: {
    readonly nesting: number
    readonly name?: string
    readonly file?: string
    readonly message?: string
    /** The reason; true if none was given. */
    readonly skip?: string | boolean
    readonly details?: { readonly duration_ms: number; readonly type?: string; readonly error?: TestError }
  }
}
type TestError = Error & { readonly failureType?: string }

/** So much of what a failing file printed is shown. */
const printedLinesMax = 60
const notAll = 'not all of its results have come'

/** Tests that were skipped, by the reason that was given. A group counts once: Node does not tell of the tests in it. */
class Skipped {
  readonly #reasons = new Map<string, { tests: number; suites: number }>()
  count = 0

  see({ type, data: { skip, details } }: TestEvent): void {
    if (type !== 'test:pass' || skip === undefined || skip === false) return
    const reason = skip === true || skip === '' ? 'no reason given' : skip
    const seen = this.#reasons.get(reason) ?? { tests: 0, suites: 0 }
    seen[details?.type === 'suite' ? 'suites' : 'tests']++
    this.#reasons.set(reason, seen)
    this.count++
  }

  text(): string {
    const programOf = new Map((Object.keys(packageOf) as Program[]).map((program) => [lackOf(program), program]))
    const missing = [...this.#reasons.keys()].flatMap((reason) => programOf.get(reason) ?? [])
    let text = ''
    for (const [reason, { tests, suites }] of this.#reasons) {
      const what = [counted(tests, 'test'), counted(suites, 'group of tests', 'groups of tests')].filter(Boolean)
      const program = programOf.get(reason)
      text += `skipped: ${what.join(', ')}: ${program === undefined ? reason : `needs ${program}`}\n`
    }
    return missing.length === 0 ? text : `${text}${installing(missing.map((program) => packageOf[program]))}\n`
  }
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? '' : `${count} ${count === 1 ? one : many}`

/**
 * It writes at once, and its last lines when the process exits.
 */
export default class Report extends Transform {
  readonly #terminal = process.stdout.isTTY ? new spec() : undefined
  readonly #skipped = new Skipped()
  readonly #limit = new FileLimit()
  /** The output of files, by their paths. */
  readonly #printed = new Map<string, string>()
  readonly #failed = new Set<string>()
  readonly #passed = new Set<string>()
  /** Files whose counts Node.js has reported, after their last result. */
  readonly #summed = new Set<string>()
  /** Of the test that is reported next, with those around it. */
  readonly #names: string[] = []
  #counts = 0

  constructor() {
    super({ writableObjectMode: true })
    this.#terminal?.on('data', (text) => this.push(text))
    process.once('exit', () => {
      const isFailure = this.#skipped.count > 0 && !['', 'false', undefined].includes(process.env['CI'])
      const cut = this.#cut()
      if (isFailure || cut !== '') process.exitCode = 1
      write(cut + this.#skipped.text() + (isFailure ? 'CI is set: what is skipped there is a failure\n' : ''))
    })
  }

  override _transform(event: TestEvent, _encoding: unknown, done: () => void): void {
    this.#skipped.see(event)
    this.#follow(event)
    if (this.#terminal === undefined) write(this.#shortText(event))
    else this.#terminal.write(event)
    done()
  }

  override _flush(done: () => void): void {
    if (this.#terminal === undefined) done()
    else this.#terminal.on('end', done).end()
  }

  #follow({ type, data }: TestEvent): void {
    const { path, isFile } = placeOf(data)
    if (type === 'test:dequeue' && isFile) this.#limit.begin(path)
    else if (type === 'test:dequeue') this.#limit.beginTest(path, data.name!)
    else if (type === 'test:complete' && isFile) this.#limit.end(path)
    else if (type === 'test:summary') this.#summed.add(path)
  }

  #shortText({ type, data }: TestEvent): string {
    const { path, isFile } = placeOf(data)
    if (type === 'test:start') this.#names.splice(data.nesting, Infinity, data.name!)
    if (type === 'test:complete' && isFile) {
      if (data.details!.error === undefined) this.#passed.add(path)
      return fileLine(path, data.details!)
    }
    if (type === 'test:fail') return this.#failureOf(data.details!.error!, path, isFile)
    if (!/^test:(stdout|stderr|diagnostic)$/.test(type)) return ''
    // After all files come the counts, which are no file's.
    if (data.file === undefined) return `${this.#counts++ === 0 ? this.#output() : ''}# ${data.message}\n`
    this.#printed.set(path, `${this.#printed.get(path) ?? ''}${data.message!.replace(/\n?$/, '\n')}`)
    return ''
  }

  /** For Node.js a file whose process exits too early has passed: its last event did not come. */
  #cut(): string {
    const cut = [...this.#passed].filter((path) => !this.#summed.has(path))
    return cut.map((path) => `FAILED ${relative('', path)}\n${endingText(new Error(), notAll)}`).join('')
  }

  #failureOf(error: TestError, path: string, isFile: boolean): string {
    this.#failed.add(path)
    // Those around it, and those that never began, say no more than the one that failed.
    if (error.failureType === 'subtestsFailed' || error.failureType === 'cancelledByParent') return ''
    const [where, why] = isFile
      ? ['', endingText(error, this.#limit.reasonOf(path))]
      : [`: ${this.#names.join(' > ')}`, failureText(error)]
    return `\nFAILED ${relative('', path)}${where}\n${why}`
  }

  /** Of failing files; a long test's figures always. */
  #output(): string {
    let text = ''
    for (const [path, printed] of this.#printed) {
      if (!this.#failed.has(path) && !path.includes(`${sep}test${sep}long${sep}`)) continue
      const lines = printed.trimEnd().split('\n')
      const left = lines.length > printedLinesMax ? [`(${lines.length - printedLinesMax} lines before)`] : []
      text += `\n${relative('', path)} printed:\n    ${[...left, ...lines.slice(-printedLinesMax)].join('\n    ')}\n`
    }
    return text === '' ? '' : `${text}\n`
  }
}

function placeOf({ nesting, name = '', file }: TestEvent['data']): { path: string; isFile: boolean } {
  const path = resolve(file ?? '')
  return { path, isFile: nesting === 0 && file !== undefined && resolve(name) === path }
}

const fileLine = (path: string, { duration_ms: ms, error }: NonNullable<TestEvent['data']['details']>): string =>
  `${relative('', path)} ${(ms / 1000).toFixed(1)} s${error === undefined ? '' : ' FAILED'}\n`

/** Whole, however slowly it is read: a pipe that is full says EAGAIN. */
function write(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(process.stdout.fd, bytes, at)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}
