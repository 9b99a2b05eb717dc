/** Values of a parameter, made from its row: at its bounds, and just beyond them. */
import { gameSlugs } from '../../build/games/default-games.ts'
import type { Parameter } from '../../src/api/parameter-kinds.ts'

export interface ParameterCases {
  /** The sent value, and an answer that shows how it was read. */
  readonly right: readonly { readonly sent: string; readonly read: string | number }[]
  readonly wrong: readonly string[]
  /** As they are sent: escapes that are cut short, or not UTF-8. */
  readonly notText: readonly string[]
}

const notText = ['%', '%zz', 'a%f', '%ff', '%ed%a0%80']

export const parameterCases = (parameter: Parameter): ParameterCases => ({ ...casesOf(parameter), notText })

type Cases = Omit<ParameterCases, 'notText'>

function casesOf(parameter: Parameter): Cases {
  if (parameter.type === 'number') return ofAmount()
  if (parameter.type === 'integer') return ofWholeNumber(parameter)
  if (parameter.values !== undefined) return ofWords(parameter.values)
  if (parameter.isGame) return ofWords(gameSlugs)
  if (parameter.format !== undefined) return ofDate()
  if (parameter.charsMax !== undefined) return ofText(parameter)
  if (parameter.pattern !== undefined) return ofUuid()
  // Any text is right: what it finds is another matter. In the path, only one of a card is answered.
  return { right: asSent(parameter.in === 'path' ? [] : ['', 'a', '😀', '\0', 'a'.repeat(1000)]), wrong: [] }
}

/** Values that are read as they are sent. */
const asSent = (values: readonly string[]) => values.map((sent) => ({ sent, read: sent }))

function ofWholeNumber({ minimum, maximum, aboveMaximum }: Parameter): Cases {
  const [least, most] = [minimum!, maximum ?? Number.MAX_SAFE_INTEGER]
  const above = [String(BigInt(most) + 1n), '9'.repeat(40)]
  const isRefused = aboveMaximum === 'rejected'
  return {
    right: [
      ...[least, least + 1, most - 1, most].map((value) => ({ sent: String(value), read: value })),
      { sent: `00${most}`, read: most },
      ...(isRefused ? [] : above.map((sent) => ({ sent, read: most }))),
    ],
    wrong: [
      String(least - 1),
      `${least}.5`,
      `+${least}`,
      '-1',
      '',
      ' ',
      '1e1',
      '0x1',
      '١',
      ...(isRefused ? above : []),
    ],
  }
}

const ofAmount = (): Cases => ({
  right: asSent(['0', '0.0', '0.01', '00.5', '1', '9.99', '10000000', '9'.repeat(400)]),
  wrong: ['', ' ', '-1', '-0', '+1', '.5', '5.', '0.001', '1,5', '1e3', '0x1', 'NaN', 'Infinity', '1 ', '١'],
})

const ofUuid = (): Cases => {
  const uuid = '0000579f-7b35-4ed3-b44c-db2a538066fe'
  return {
    right: [uuid, uuid.toUpperCase()].map((sent) => ({ sent, read: uuid })),
    wrong: ['', ' ', uuid.slice(1), `${uuid}0`, uuid.replaceAll('-', ''), uuid.replace('f', 'g'), `{${uuid}}`],
  }
}

const ofDate = (): Cases => ({
  right: asSent(['0000-01-01', '1969-12-31', '2024-02-29', '2026-11-20', '9999-12-31']),
  wrong: [
    '',
    ' ',
    '2026-02-29',
    '2026-11-31',
    '2026-13-01',
    '2026-11-00',
    '2026-1-2',
    '20261120',
    '2026-11-20T00:00:00Z',
    'today',
  ],
})

const ofWords = (values: readonly string[]): Cases => ({
  right: asSent(values),
  wrong: ['', 'constructor', ...values.flatMap((value) => [`${value} `, `x${value}`, value.toUpperCase()])].filter(
    (value) => !values.includes(value),
  ),
})

function ofText({ charsMin = 0, charsMax = 0, pattern }: Parameter): Cases {
  const right = ['a'.repeat(charsMin), 'é'.repeat(charsMax), '😀'.repeat(charsMax)]
  const tooLong = ['a', '😀'].map((letter) => letter.repeat(charsMax + 1))
  const wrong = [
    ...(charsMin === 0 ? [] : ['a'.repeat(charsMin - 1)]),
    ...(pattern === undefined ? [] : ['\t ']),
    ...tooLong,
  ]
  return { right: asSent(right), wrong }
}
