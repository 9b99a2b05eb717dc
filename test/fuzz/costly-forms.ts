/**
 * Draws forms of the pages that cost CPU time, and measures what they cost: every form, every field, many parts, and
 * senders that leave. A seed decides what is drawn.
 */
import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formBytes, shapeOf } from '../../src/web/shared/form-table.ts'
import type { App, PageEnv } from '../../src/web/site.ts'
import { drawBelow, drawFrom, type Random } from '../support/random.ts'

/** A field. Its text is a unit that is repeated. */
interface DrawnField {
  /** In the name, `#` stands for a number that each part of the field has for itself. */
  readonly name: string
  readonly unit: string
  readonly times: number
  /** How often the field is sent. */
  readonly parts: number
}

interface DrawnForm {
  readonly path: string
  readonly isInParts: boolean
  readonly fields: readonly DrawnField[]
  /** Times that the fields are sent one after the other. */
  readonly times: number
  /** What a part, or the body, ends with: it may be cut off. */
  readonly isCut: boolean
  /** When its sender leaves: when half of the form has arrived, or at the first part of the answer. */
  readonly leaves?: 'sending' | 'reading' | undefined
}

export interface Cost {
  /** CPU time in ms: the longest for which the thread did nothing else, and all. */
  readonly stretch: number
  readonly all: number
  /** What was done for it after its sender had left. */
  readonly afterLeaving: number
  /** 0 if its sender left before it was answered. */
  readonly status: number
  readonly form: DrawnForm
}

const units = [
  '\n',
  '\r',
  '\r\n',
  ' ',
  '\t',
  '\0',
  ',',
  ';',
  '"',
  "'",
  '=',
  '&',
  '%',
  '%0A',
  '+',
  '-',
  '--',
  '\r\n--',
  '\r\n--x',
  '<',
  '[',
  '(',
  '{',
  '/',
  '#',
  'a',
  '1',
  'é',
  '漢',
  '🃏',
  '\u202e',
  '\u0085',
  'a,',
  '"a",',
  'a\t',
  '1 a\n',
  '1 x 2 ',
  '1 Onyx\n',
  '4 Charizard (base1) 4\r\n',
  '1,',
  '1;',
  '1-2 pokemon-base1-004\n',
  'Count,Name\n',
  'Name\r',
  '<a>',
  '&amp;',
]
const strangeNames = ['', '__proto__', 'constructor', 'x', 'x#', 'card-', 'é"']
/** The names with numbers that lists have, and of their shape. */
const numberedNames = ['card-#', 'card-0', 'card-#-1', 'column-#', 'column-#-is', 'column-1']

/** CPU time of this thread in ms: the garbage collector and the compiler have threads of their own. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export class CostlyForms {
  readonly #random: Random
  readonly #paths: readonly string[]
  readonly #app: App
  readonly #headers: Readonly<Record<string, string>>

  constructor(random: Random, app: App, paths: readonly string[], headers: Readonly<Record<string, string>>) {
    this.#random = random
    this.#app = app
    this.#paths = paths
    this.#headers = headers
  }

  drawn(): DrawnForm {
    const path = drawFrom(this.#random, this.#paths)
    const fields = Array.from({ length: 1 + drawBelow(this.#random, 5) }, () => this.#field(path))
    return { path, isInParts: drawBelow(this.#random, 4) > 0, fields, times: this.#often(), ...this.#end() }
  }

  #end(): Pick<DrawnForm, 'isCut' | 'leaves'> {
    const leaves = this.#isRare() ? drawFrom(this.#random, ['sending', 'reading'] as const) : undefined
    return { isCut: this.#isRare(), leaves }
  }

  changed(form: DrawnForm): DrawnForm {
    const random = this.#random
    const fields = [...form.fields]
    const at = drawBelow(random, fields.length)
    switch (drawBelow(random, 7)) {
      case 0:
        return { ...form, fields: [...fields, this.#field(form.path)] }
      case 1:
        return { ...form, fields: fields.length > 1 ? fields.toSpliced(at, 1) : fields }
      case 2:
        return { ...form, times: this.#often() }
      case 3:
        return { ...form, isInParts: !form.isInParts, ...this.#end() }
      case 4:
        return { ...form, fields: fields.with(at, { ...fields[at]!, times: fields[at]!.times * 2 }) }
      case 5:
        return { ...form, fields: fields.with(at, { ...fields[at]!, parts: this.#often() }) }
      default:
        return { ...form, fields: fields.with(at, this.#field(form.path)) }
    }
  }

  #field(path: string): DrawnField {
    const random = this.#random
    const { fields, isList } = shapeOf(path)
    const known = [...Object.keys(fields), ...(isList ? numberedNames : [])]
    const name = drawBelow(random, 4) === 0 ? drawFrom(random, strangeNames) : drawFrom(random, known)
    const unit = Array.from({ length: 1 + drawBelow(random, 3) }, () => drawFrom(random, units)).join('')
    return { name, unit, times: 2 ** drawBelow(random, 21), parts: this.#often() }
  }

  /** Mostly once. */
  #often = (): number => (drawBelow(this.#random, 3) > 0 ? 1 : 2 ** drawBelow(this.#random, 17))
  #isRare = (): boolean => drawBelow(this.#random, 6) === 0

  async costOf(form: DrawnForm): Promise<Cost> {
    const { path, isInParts, leaves } = form
    const body = bodyOf(form)
    const headers = {
      ...this.#headers,
      'Content-Type': isInParts ? 'multipart/form-data; boundary=x' : 'application/x-www-form-urlencoded',
      'Content-Length': `${body.length}`,
      'Sec-Fetch-Site': 'same-origin',
    }
    const outgoing = Object.assign(new EventEmitter(), { closed: false })
    let left = Number.POSITIVE_INFINITY
    const leave = () => {
      if (outgoing.closed) return
      left = threadMs()
      outgoing.closed = true
      outgoing.emit('close')
    }
    const sent = leaves === 'sending' ? inChunks(body.subarray(0, body.length / 2), leave) : inChunks(body)
    const request = { method: 'POST', headers, body: sent, duplex: 'half' } as RequestInit
    const env = { outgoing } as unknown as PageEnv['Bindings']
    let [stretch, since, isDone] = [0, threadMs(), false]
    const begun = since
    const turned = () => {
      stretch = Math.max(stretch, threadMs() - since)
      since = threadMs()
      if (!isDone) setImmediate(turned)
    }
    setImmediate(turned)
    const reply = await this.#app.request(`http://127.0.0.1:1${path}`, request, env)
    for await (const _ of reply.body ?? []) if (leaves === 'reading') break
    if (leaves === 'reading') leave()
    if (outgoing.closed) for (let turns = 0; turns < turnsAfterLeaving; turns++) await nextTurn()
    const all = threadMs() - begun
    const afterLeaving = Math.max(0, threadMs() - left)
    isDone = true
    turned()
    const status = outgoing.closed && leaves === 'sending' ? 0 : reply.status
    leave()
    return { stretch, all, afterLeaving, status, form }
  }
}

/** Work that goes on takes more turns than these. */
const turnsAfterLeaving = 20

/** The form's bytes, at most as many as its address takes. */
function bodyOf({ path, isInParts, fields, times, isCut }: DrawnForm): Buffer {
  const bytesMax = formBytes(path, isInParts)
  const once = fields.map(({ name, unit, times, parts }) => {
    const value = unit.repeat(Math.min(times, Math.ceil(bytesMax / unit.length / fields.length / parts)))
    const part = !isInParts
      ? (name: string) => `${name}=${value}&`
      : (name: string) =>
          `--x\r\n${name === '' ? '' : `Content-Disposition: form-data; name="${name}"\r\n`}\r\n${value}\r\n`
    const most = Math.min(parts, Math.ceil(bytesMax / part(name).length))
    return Array.from({ length: most }, (_, i) => part(name.replace('#', String(i)))).join('')
  })
  const sent = once.join('')
  const end = isInParts && !isCut ? '--x--\r\n' : ''
  const all = Buffer.from(sent.repeat(Math.max(1, Math.min(times, Math.floor(bytesMax / sent.length)))))
  return Buffer.concat([all.subarray(0, bytesMax - end.length - 2), Buffer.from(isInParts ? `\r\n${end}` : '')])
}

/** @param leave called at the end if the sender then leaves */
function inChunks(body: Buffer, leave?: () => void): ReadableStream<Uint8Array> {
  let from = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (from < body.length) controller.enqueue(body.subarray(from, from + 65_536))
        else if (leave === undefined) controller.close()
        else {
          leave()
          controller.error(new Error('the sender has left'))
        }
        from += 65_536
      },
    },
    { highWaterMark: 0 },
  )
}
