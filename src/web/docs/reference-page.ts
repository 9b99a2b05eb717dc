/** The reference: the OpenAPI description as a page. try.browser.ts adds the forms that try out a request. */
import { html, raw } from 'hono/html'
import { table } from '../shared/page-parts.ts'
import type { Html } from '../site.ts'
import type { Body, Described, Operation, Parameter, Schema, Shared } from './description.ts'
import { markdown } from './guide.ts'

/** @param api the address to which requests are sent */
export function referenceOf(document: Described, api: string): Html {
  const { info, tags, paths, components } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  )
  const chapters = tags.map((tag) => ({ ...tag, own: operations.filter((one) => one.tags[0] === tag.name) }))
  const schemas = Object.entries(components['schemas'] as Record<string, Schema>)
  return html`<div class="guide reference">
<nav aria-label="Reference">
<ul>
${chapters.map(({ name, own }) => [
  html`<li><a href="#${anchorOf(name)}">${name}</a></li>\n`,
  ...own.map((one) => html`<li class="part"><a href="#${one.operationId}">${one.summary}</a></li>\n`),
])}
<li><a href="#schemas">Schemas</a></li>
</ul>
<p><a href="/docs">Guide</a></p>
</nav>
<article data-api="${api}">
<h1>Reference</h1>
<p>Every request, response and error of ${info.title} ${info.version}, from <a href="/openapi.json">this server’s description</a>
(OpenAPI 3.1). The <a href="/docs">guide</a> explains how to use them. Send requests to <code>${api}</code>.
Client packages of TCG Price Lookup work with <a href="/docs#use-the-packages-that-you-have">an address of their own</a>.</p>
<p class="note" data-untried hidden>Your browser can’t send requests there from this page. <a href="/dashboard#start">Your dashboard</a> has a curl line to copy.</p>
<div class="field" data-key hidden>
<label for="key">Your key</label>
<input id="key" type="password" autocomplete="off" aria-describedby="key-hint">
<p class="hint" id="key-hint">For all requests that you try on this page. It is sent to <code>${api}</code> alone, and forgotten when you leave.</p>
</div>
${raw(markdown(info.description))}
${chapters.map(
  ({ name, description, own }) => html`<h2 id="${anchorOf(name)}">${name}</h2>
<p>${description}</p>
${own.map((one) => operationSection(one, components))}`,
)}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema))}
</article>
</div>`
}

type Components = Described['components']

interface Placed extends Operation {
  readonly method: string
  readonly path: string
}

function operationSection(operation: Placed, components: Components): Html {
  const { method, path, operationId, summary, description, requestBody, parameters, responses } = operation
  const statuses = Object.entries(responses).map(([status, response]) => ({ status, ...whole(response, components) }))
  const examples = Object.values(statuses[0]!.content!).flatMap(({ examples }) => Object.values(examples))
  const [sent] = Object.values(requestBody?.content ?? {})
  const shown = parameters.map((parameter) => whole(parameter, components))
  const sentExample = sent && JSON.stringify(sent.examples['body']!.value, null, 2)
  return html`<section class="operation" aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p><b class="tag">${method}</b> <code>${path}</code></p>
<p>${text(description)}</p>
${shown.length > 0 && parametersTable(shown)}
${sent && html`<p><strong>Body:</strong> ${typeOf(sent.schema)}. ${text(requestBody!.description)}</p>`}
${table({
  caption: 'Responses',
  narrow: 'block',
  columns: { Status: 'heading', Meaning: 'text', Body: 'text' },
  rows: statuses.map(({ status, description, content }) => [status, text(description), bodyTypes(content)]),
})}
${examples.map(
  ({ summary, value }) => html`<details>
<summary>Example: <code>${summary}</code></summary>
<pre class="response" tabindex="0"><code>${typeof value === 'string' ? value.trimEnd() : JSON.stringify(value, null, 2)}</code></pre>
</details>
`,
)}
<details hidden>
<summary>Try it</summary>
<form data-method="${method}" data-path="${path}" aria-label="Try ${summary}">
<div class="fields">
${shown.filter((one) => one.in !== 'header').map((one) => parameterField(operationId, one))}
</div>
${
  sentExample &&
  html`<div class="field">
<label for="${operationId}-body">Body</label>
<textarea id="${operationId}-body" name="body" spellcheck="false">
${sentExample}</textarea>
</div>`
}
<p><button type="submit" class="primary">Send</button></p>
<pre class="response" role="status" tabindex="0" hidden></pre>
</form>
</details>
</section>
`
}

/**
 * Returns the part itself, or the part that a pointer names.
 * @param part the part, or a pointer: `#/components/responses/NotModified`
 */
function whole<Value extends object>(part: Shared<Value>, components: Components): Value {
  if (!('$ref' in part)) return part as Value
  const [, , room = '', name = ''] = part.$ref.split('/')
  return components[room]![name] as Value
}

const parametersTable = (parameters: readonly Parameter[]) =>
  table({
    caption: 'Parameters',
    narrow: 'block',
    columns: { Name: 'heading', Type: 'text', Description: 'text' },
    rows: parameters.map((one) => [
      html`<code>${one.name}</code>${one.required && html` <span class="tag">required</span>`}`,
      html`${typeOf(one.schema)}${one.in === 'query' ? '' : html` <span class="hint">in the ${one.in}</span>`}`,
      text(one.description),
    ]),
  })

/**
 * A field for a parameter. The script builds the address from the field's name, which is that of the parameter. The
 * field first contains the example's value.
 */
function parameterField(operationId: string, { name, in: place, required, example = '', schema }: Parameter): Html {
  const id = `${operationId}-${name}`
  const attributes = html`id="${id}" name="${name}" data-in="${place}"${required && html` required`}`
  const options = schema.enum && ['', ...schema.enum].filter((value) => value !== '' || !required)
  return html`<div class="field">
<label for="${id}">${name}</label>
${
  options === undefined
    ? html`<input ${attributes} autocomplete="off" spellcheck="false" value="${example}">`
    : html`<select ${attributes}>${options.map((value) => html`<option${value === String(example) && html` selected`}>${value}</option>`)}</select>`
}
</div>
`
}

const bodyTypes = (content: Body['content'] = {}) =>
  Object.entries(content).map(([type, { schema }], i) => [
    i === 0 ? '' : ' or ',
    schema.$ref === undefined ? html`<code>${type}</code>` : typeOf(schema),
  ])

function schemaSection(name: string, schema: Schema): Html {
  const fields = fieldsOf(schema, '')
  return html`<section aria-labelledby="schema-${name}">
<h3 id="schema-${name}">${name}</h3>
${schema.description && html`<p>${text(schema.description)}</p>`}
${fields.length > 0 && table({ caption: name, columns: { Field: 'heading', Type: 'text' }, narrow: 'block', rows: fields })}
</section>
`
}

/** The fields of a schema, and those of objects within it: `data[].match`. */
const fieldsOf = (schema: Schema, path: string): (readonly [name: Html, type: Html])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const place = `${path}${name}${field.items ? '[]' : ''}`
    const mayLack = schema.required?.includes(name) !== true
    const own = [html`<code>${place}</code>`, html`${typeOf(field)}${mayLack && ', may be absent'}`] as const
    return [own, ...fieldsOf(field.items ?? field, `${place}.`)]
  })

function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, additionalProperties, type, format } = schema
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1)!
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (anyOf !== undefined) return html`${anyOf.map((one, i) => [i === 0 ? '' : ' or ', typeOf(one)])}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined) return html`${listed(schema.enum)}${bounds(schema)}`
  if (items !== undefined) return html`array of ${typeOf(items)}${bounds(schema)}`
  if (additionalProperties) return html`object of ${typeOf(additionalProperties)}`
  return html`${type === 'string' && format !== undefined ? format : type}${bounds(schema)}`
}

const listed = (values: readonly string[]) =>
  values.map((value, i) => [i === 0 ? '' : ', ', html`<code>${value}</code>`])

function bounds({ default: usual, minimum, maximum, minLength, maxLength, maxItems }: Schema) {
  // The largest whole number is no real bound, so it is not shown.
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  const ranges = [
    range(minimum, most, ''),
    range(minLength, maxLength, ' characters'),
    range(undefined, maxItems, ' items'),
  ]
  return [...ranges, usual !== undefined && html`, default <code>${usual}</code>`]
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${unit}`
  if (most !== undefined) return `, at most ${most}${unit}`
  return least === undefined ? '' : `, at least ${least}${unit}`
}

const text = (markup: string) => raw(markdown(markup, true))
const anchorOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')
