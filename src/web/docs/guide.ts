/**
 * The guide: docs/api.md as a page, with the address, the cards and the responses of the reader's own server. Blocks of
 * code in several languages that follow each other become tabs. A line of curl and its response become two parts.
 */
import { readFileSync } from 'node:fs'
import { html } from 'hono/html'
import { Marked, Parser, type Token, type Tokens } from 'marked'
import { copyButton } from '../shared/page-parts.ts'
import type { GuideExamples } from './guide-examples.ts'

export interface Guide {
  /** The list of chapters. The recipes are listed under their chapter. */
  readonly contents: string
  readonly text: string
}

/** The address in docs/api.md, of a server on the reader's own machine. */
const documentedApi = 'http://127.0.0.1:8080'
const languages = new Map(Object.entries({ sh: 'curl', js: 'JavaScript', py: 'Python' }))
const chapterWithParts = 'recipes'

export interface GuideServer {
  readonly api: string
  /** The port of the API, if `api` may not lead to the API. */
  readonly port: number | undefined
  /** Undefined if the served version has no card for the examples. */
  readonly examples: GuideExamples | undefined
}

export function guideFor(server: GuideServer): Guide {
  const { api, examples } = server
  const text = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
    .replaceAll(documentedApi, api)
    .replace(ofSample, () => aboutServer(server))
  const tokens = marked
    .lexer(text)
    .filter((token) => token.type !== 'space' && !(token.type === 'paragraph' && isLeftOut(token.text)))
    .map((token) => {
      if (isCode(token)) return { ...token, text: codeOf(token, examples) }
      return isHeading(token) ? Object.assign(token, { id: anchorOf(token.text) }) : token
    })
  return { contents: contentsOf(tokens), text: rendered(tokens) }
}

interface Heading extends Tokens.Heading {
  readonly id: string
}

const isHeading = (token: Token): token is Heading => token.type === 'heading'
const isCode = (token: Token): token is Tokens.Code => token.type === 'code'

const ofSample = /^All responses below are from the sample data [\s\S]*?(?=\n\n)/m

function aboutServer({ api, port, examples }: GuideServer): string {
  const elsewhere = `If that address has only these pages, use port ${port} of the server, or ask your operator. `
  const cards =
    examples === undefined
      ? 'The cards below are examples and may not exist here.'
      : 'The cards, the sets and the responses below are those of this server.'
  return `Send requests to \`${api}\`. ${port === undefined ? '' : elsewhere}${cards}`
}

/** A line that prints, with its output in a comment after it. The output is for the sample data. */
const output = /^(.*\b(?:console\.log|print)\(.*\)) +(?:\/\/|#) .*$/gm
/** A response that is the same for all data. */
const isFixed = /^(?:\{"error":|200$)/

/** Returns the code with cards of the server. The server's responses replace the documented ones. */
function codeOf({ lang, text }: Tokens.Code, examples: GuideExamples | undefined): string {
  const own = examples?.in(text) ?? text
  if (lang !== 'sh' || !own.startsWith('curl ')) return own.replace(output, '$1')
  let request = ''
  const lines = own.split('\n').map((line) => {
    if (line.startsWith('curl ')) request = line
    return line === request || isFixed.test(line) ? line : (examples?.answerTo(request) ?? '')
  })
  return lines.filter((line) => line !== '').join('\n')
}

/** True for the list of chapters, which the page shows at its side, and for pictures of the pages themselves. */
const isLeftOut = (paragraph: string): boolean =>
  /^\[[^\]]+\]\(#[\w-]+\) ·/.test(paragraph) || paragraph.startsWith('![')

/** Returns the anchor that GitHub gives a heading. No two headings of the guide are equal. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

function contentsOf(tokens: readonly Token[]): string {
  let chapter = ''
  const entries = tokens.flatMap((token) => {
    if (!isHeading(token) || token.depth === 1) return []
    if (token.depth === 2) chapter = token.id
    else if (chapter !== chapterWithParts) return []
    const kind = token.depth === 2 ? '' : ' class="part"'
    return [`<li${kind}><a href="#${token.id}">${Parser.parseInline(token.tokens)}</a></li>`]
  })
  return `<ul>\n${entries.join('\n')}\n</ul>`
}

function rendered(tokens: readonly Token[]): string {
  const parts: string[] = []
  let at = 0
  while (at < tokens.length) {
    const token = tokens[at]!
    const samples = samplesFrom(tokens, at)
    if (samples.length > 1) parts.push(tabs(samples, `sample-${at}`))
    else parts.push(isCode(token) ? code(token, `sample-${at}`) : marked.parser([token]))
    at += Math.max(samples.length, 1)
  }
  return parts.join('\n')
}

/** Returns the blocks of code from this token on that show one example in several languages. */
function samplesFrom(tokens: readonly Token[], from: number): readonly Tokens.Code[] {
  const samples: Tokens.Code[] = []
  for (const token of tokens.slice(from)) {
    if (!isCode(token) || samples.some(({ lang }) => lang === token.lang)) break
    if (languages.get(token.lang!) === undefined) break
    samples.push(token)
  }
  return samples
}

const marked = new Marked({
  renderer: {
    heading(token) {
      const { depth, tokens, id } = token as Heading
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    table({ header, rows }) {
      const cell = (name: string, { align, tokens }: Tokens.TableCell, attributes = '') =>
        `<${name}${attributes}${align === 'right' ? ' class="figure"' : ''}>${this.parser.parseInline(tokens)}</${name}>`
      const heads = header.map((each) => (each.text === '' ? '<td></td>' : cell('th', each, ' scope="col"')))
      const lines = rows.map((row) =>
        row.map((each, i) => (i === 0 ? cell('th', each, ' scope="row"') : cell('td', each))).join(''),
      )
      return `<div class="scrolls" tabindex="0"><table class="data">
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${lines.map((line) => `<tr>${line}</tr>`).join('\n')}
</tbody>
</table></div>`
    },
  },
})

/** @param isInline true for text without a paragraph around it */
export const markdown = (text: string, isInline = false): string =>
  (isInline ? marked.parseInline(text) : marked.parse(text)) as string

/** Blocks of code as tabs, which tabs.browser.ts switches. Without scripts, all blocks are shown one below the other. */
function tabs(samples: readonly Tokens.Code[], id: string): string {
  const buttons = samples.map(
    ({ lang }, i) =>
      `<button type="button" role="tab" id="${id}-${lang}" aria-controls="${id}-${lang}-code" aria-selected="${i === 0}"${i === 0 ? '' : ' tabindex="-1"'}>${languages.get(lang!)}</button>`,
  )
  const panels = samples.map(
    (sample) => `<div role="tabpanel" id="${id}-${sample.lang}-code" aria-labelledby="${id}-${sample.lang}">
<p class="language">${languages.get(sample.lang!)}</p>
${code(sample, `${id}-${sample.lang}-lines`)}
</div>`,
  )
  return `<div class="samples">
<div role="tablist" aria-label="Language">${buttons.join('')}</div>
${panels.join('\n')}
</div>`
}

/** @param id the id of the part that can be copied */
function code({ lang, text }: Tokens.Code, id: string): string {
  if (lang !== 'sh' || !text.startsWith('curl')) return `${lines(text, id)}`
  const exchanges = text.split(/\n+(?=curl )/)
  return exchanges
    .map((exchange, i) => {
      const [request = '', ...response] = exchange.trim().split('\n')
      const shown = lines(request, `${id}-${i}`)
      return response.length === 0
        ? `${shown}`
        : `<div class="exchange">\n${shown}\n${answer(response.join('\n'))}\n</div>`
    })
    .join('\n')
}

const lines = (text: string, id: string) => html`<div class="code">
<pre tabindex="0"><code id="${id}">${text}</code></pre>
<p>${copyButton(id, 'Copy')}</p>
</div>`

const answer = (text: string) =>
  html`<pre class="response" tabindex="0"><code>${text.startsWith('{') ? JSON.stringify(JSON.parse(text), null, 2) : text}</code></pre>`
