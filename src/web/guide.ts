/**
 * The guide: docs/api.md as a page, with the address, the cards and the answers of the reader's own server. Code in several languages that
 * stands one behind the other becomes tabs; a line of curl and its response become two parts.
 */
import { readFileSync } from 'node:fs'
import type { GuideExamples } from './guide-examples.ts'
import { type Block, blocksOf, escaped, inline } from './markdown.ts'

export interface Guide {
  /** Chapters, and the recipes under theirs. */
  readonly contents: string
  readonly text: string
}

type Of<Kind extends Block['kind']> = Extract<Block, { readonly kind: Kind }>

/** The address in docs/api.md: that of a server on the reader's own machine. */
const documentedApi = 'http://127.0.0.1:8080'
const languages: Readonly<Record<string, string>> = { sh: 'curl', js: 'JavaScript', py: 'Python' }
const chapterWithParts = 'recipes'

export interface GuideServer {
  /** The address of the interface. */
  readonly api: string
  /** The port of the interface, if the address may not lead there. */
  readonly port: number | undefined
  /** Undefined if nothing is served that can be an example. */
  readonly examples: GuideExamples | undefined
}

export function guideFor(server: GuideServer): Guide {
  const { api, examples } = server
  const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8').replaceAll(documentedApi, api)
  const blocks = blocksOf(text)
    .filter((block) => block.kind !== 'paragraph' || !isLeftOut(block.text))
    .map((block): Block => {
      if (block.kind === 'paragraph') return { ...block, text: block.text.replace(ofSample, aboutServer(server)) }
      return block.kind === 'code' ? { ...block, text: codeOf(block, examples) } : block
    })
  return { contents: contentsOf(blocks), text: rendered(blocks) }
}

const ofSample = /^All responses below are from the sample data .*$/

function aboutServer({ api, port, examples }: GuideServer): string {
  const elsewhere = `If that address has only these pages, use port ${port} of the server, or ask your operator. `
  const cards =
    examples === undefined
      ? 'The cards below are examples and may not exist here.'
      : 'The cards, the sets and the responses below are those of this server.'
  return `Send requests to \`${api}\`. ${port === undefined ? '' : elsewhere}${cards}`
}

/** Outputs of the sample data, in comments behind the line that prints them. */
const output = /^(.*\b(?:console\.log|print)\(.*\)) +(?:\/\/|#) .*$/gm
/** Responses that no data changes. */
const isFixed = /^(?:\{"error":|200$)/

/** With the cards of the server, and without what another one answered. */
function codeOf({ language, text }: Of<'code'>, examples: GuideExamples | undefined): string {
  const own = examples?.in(text) ?? text
  if (language !== 'sh' || !own.startsWith('curl ')) return own.replace(output, '$1')
  let request = ''
  const lines = own.split('\n').map((line) => {
    if (line.startsWith('curl ')) request = line
    return line === request || isFixed.test(line) ? line : (examples?.answerTo(request) ?? '')
  })
  return lines.filter((line) => line !== '').join('\n')
}

/** The list of chapters, which the page has at its side, and pictures of the pages themselves. */
const isLeftOut = (paragraph: string): boolean =>
  /^\[[^\]]+\]\(#[\w-]+\) ·/.test(paragraph) || paragraph.startsWith('![')

function contentsOf(blocks: readonly Block[]): string {
  let chapter = ''
  const entries = blocks.flatMap((block) => {
    if (block.kind !== 'heading' || block.level === 1) return []
    if (block.level === 2) chapter = block.id
    else if (chapter !== chapterWithParts) return []
    const kind = block.level === 2 ? '' : ' class="part"'
    return [`<li${kind}><a href="#${block.id}">${inline(block.text)}</a></li>`]
  })
  return `<ul>\n${entries.join('\n')}\n</ul>`
}

function rendered(blocks: readonly Block[]): string {
  const parts: string[] = []
  let at = 0
  while (at < blocks.length) {
    const block = blocks[at]!
    const samples = samplesFrom(blocks, at)
    if (samples.length > 1) parts.push(tabs(samples, `sample-${at}`))
    else if (block.kind === 'code') parts.push(code(block, `sample-${at}`))
    else parts.push(renderers[block.kind](block as never))
    at += Math.max(samples.length, 1)
  }
  return parts.join('\n')
}

/** Blocks of code that say the same in several languages. */
function samplesFrom(blocks: readonly Block[], from: number): readonly Of<'code'>[] {
  const samples: Of<'code'>[] = []
  for (const block of blocks.slice(from)) {
    const isOther = block.kind === 'code' && samples.every(({ language }) => language !== block.language)
    if (!isOther || languages[block.language] === undefined) break
    samples.push(block)
  }
  return samples
}

const renderers: { readonly [Kind in Exclude<Block['kind'], 'code'>]: (block: Of<Kind>) => string } = {
  heading: ({ level, id, text }) => `<h${level} id="${id}">${inline(text)}</h${level}>`,
  paragraph: ({ text }) => `<p>${inline(text)}</p>`,
  list({ isNumbered, items }) {
    const name = isNumbered ? 'ol' : 'ul'
    return `<${name}>\n${items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</${name}>`
  },
  table({ rows: [head = [], ...rows], isFigure }) {
    const of = (column: number) => (isFigure[column] ? ' class="figure"' : '')
    const heads = head.map((cell, i) => (cell === '' ? '<td></td>' : `<th scope="col"${of(i)}>${inline(cell)}</th>`))
    const lines = rows.map((row) =>
      row
        .map((cell, i) => (i === 0 ? `<th scope="row">${inline(cell)}</th>` : `<td${of(i)}>${inline(cell)}</td>`))
        .join(''),
    )
    return `<div class="wide" tabindex="0"><table class="data">
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${lines.map((line) => `<tr>${line}</tr>`).join('\n')}
</tbody>
</table></div>`
  },
}

/** As client/tabs.ts works them; without scripts all stand one under the other. */
function tabs(samples: readonly Of<'code'>[], id: string): string {
  const buttons = samples.map(
    ({ language }, i) =>
      `<button type="button" role="tab" id="${id}-${language}" aria-controls="${id}-${language}-code" aria-selected="${i === 0}"${i === 0 ? '' : ' tabindex="-1"'}>${languages[language]}</button>`,
  )
  const panels = samples.map(
    (sample) => `<div role="tabpanel" id="${id}-${sample.language}-code" aria-labelledby="${id}-${sample.language}">
<p class="language">${languages[sample.language]}</p>
${code(sample, `${id}-${sample.language}-lines`)}
</div>`,
  )
  return `<div class="samples">
<div role="tablist" aria-label="Language">${buttons.join('')}</div>
${panels.join('\n')}
</div>`
}

/** @param id of the part that can be copied */
function code({ language, text }: Of<'code'>, id: string): string {
  if (language !== 'sh' || !text.startsWith('curl')) return lines(text, id)
  const exchanges = text.split(/\n+(?=curl )/)
  return exchanges
    .map((exchange, i) => {
      const [request = '', ...response] = exchange.trim().split('\n')
      const shown = lines(request, `${id}-${i}`)
      return response.length === 0 ? shown : `<div class="exchange">\n${shown}\n${answer(response.join('\n'))}\n</div>`
    })
    .join('\n')
}

const lines = (text: string, id: string): string => `<div class="code">
<pre tabindex="0"><code id="${id}">${escaped(text)}</code></pre>
<p><span class="copied" id="${id}-copied" aria-live="polite"></span><button type="button" data-copy="${id}" hidden>Copy</button></p>
</div>`

function answer(text: string): string {
  const shown = text.startsWith('{') ? JSON.stringify(JSON.parse(text), null, 2) : text
  return `<pre class="response" tabindex="0"><code>${escaped(shown)}</code></pre>`
}
