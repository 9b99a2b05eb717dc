/**
 * Texts that are names of properties of every JavaScript object, in every field that takes a text: the answer is that for any other
 * unknown text, so no text is looked up in a plain object.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Answers, emptyRequest, isBody } from '../../src/api/answers.ts'
import { ParameterError } from '../../src/api/parameter-kinds.ts'
import { Problems } from '../../src/api/problems.ts'
import { type Route, routes } from '../../src/api/routes.ts'
import { csvField } from '../../src/catalog/card-fields.ts'
import { readAll } from '../../src/lists/read-list.ts'
import { propertyNames, unknownLike } from '../support/property-names.ts'
import { fixtureIndex } from '../support/sample.ts'
import { currentOf } from '../support/servers-here.ts'

/** Lists have blanks for underscores and between words, or neither, or small letters. */
function masked(text: string, name: string): string {
  const plain = name.replaceAll('_', '')
  const forms = [
    name,
    name.replaceAll('_', ' '),
    ...[' ', '_'].map((between) => name.replace(/([a-z])(?=[A-Z])/g, `$1${between}`)),
    plain,
  ]
  return [...forms, ...forms.map((form) => form.toLowerCase())].reduce((all, form) => all.replaceAll(form, '…'), text)
}

const data = await currentOf(await fixtureIndex())
const answers = new Answers()
const problems = new Problems('A')

function answerTo(route: Route, request: object, name: string): string {
  try {
    const answer = answers.of[route.operation](data, { ...emptyRequest, ...request }, problems)
    const bytes = answer instanceof Uint8Array ? answer : answer.body
    return masked(`${isBody(answer)} ${Buffer.from(bytes)}`, name)
  } catch (error) {
    if (error instanceof ParameterError) return masked(error.message, name)
    throw error
  }
}

describe('A request with a name that JavaScript gives every object', () => {
  for (const route of routes) {
    const parameters = (route.parameters ?? []).map((parameter) => parameter.name)
    const requests = [
      ...parameters.map(
        (field) => [field, (name: string) => ({ query: `q=forest&game=mtg&${field}=${name}` })] as const,
      ),
      ['parameter', (name: string) => ({ query: `q=forest&game=mtg&${name}=1` })] as const,
      ['path', (name: string) => ({ pathParameter: name, secondPathParameter: name })] as const,
      ['second path', (name: string) => ({ pathParameter: 'mtg', secondPathParameter: name })] as const,
      ['ids', (name: string) => ({ body: json({ ids: [name], view: 'extended' }) })] as const,
      ['view', (name: string) => ({ body: json({ ids: [], view: name }) })] as const,
      [
        'member',
        (name: string) => ({ body: `{"ids":[],"cards":[{"name":"Forest","${name}":1}],"${name}":1}` }),
      ] as const,
      ...['name', 'number', 'set', 'game', 'printing', 'rarity', 'id'].map(
        (field) => [field, (name: string) => ({ body: json({ cards: [{ name: 'Forest', [field]: name }] }) })] as const,
      ),
    ]
    it(`A name such as "constructor" is ordinary text in ${route.operation}`, () => {
      for (const [field, make] of requests) {
        for (const name of propertyNames) {
          const [one, two] = [name, unknownLike(name)].map((text) => {
            const { body = '', ...request } = make(text) as { body?: string }
            return answerTo(route, { ...request, body: Buffer.from(body) }, text)
          })
          assert.equal(one, two, `${field}: ${name}`)
        }
      }
    })
  }

  const columns = [
    'Name',
    'Set',
    'Set Code',
    'Number',
    'Printing',
    'Foil',
    'Condition',
    'Grade',
    'Language',
    'Rarity',
    'Game',
  ]
  it('A name such as "constructor" is ordinary text as a column, a heading or a line of a list', () => {
    const lists = [
      ...columns.map((column) => (name: string) => `Quantity,Name,${column}\n1,Forest,${name}\n`),
      (name: string) => `Quantity,Name,${name}\n1,Forest,x\n`,
      (name: string) => `1 ${name}\n1 Forest (${name}) 7\n${name}\n1 Forest *${name}*\n// ${name}\n`,
    ]
    for (const list of lists) {
      for (const name of propertyNames) {
        const [one, two] = [name, unknownLike(name)].map((text) => masked(JSON.stringify(readAll(list(text))), text))
        assert.equal(one, two, list(name))
      }
    }
  })
})

it('A CSV field that a spreadsheet would evaluate begins with an apostrophe', () => {
  for (const sign of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    assert.match(csvField(`${sign}1+1`), /^"?'/, JSON.stringify(sign))
  }
  for (const text of ['a=1', '1', "'=1", ' x', ''])
    assert.ok(!csvField(text).startsWith("''") && csvField(text) === text)
})

const json = (value: unknown): string => JSON.stringify(value)
