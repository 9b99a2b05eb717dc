/** Values of a parameter, made from its row: at its bounds, and just beyond them. */
import type { Parameter } from '../../src/api/parameter-kinds.ts'

export interface ParameterCases {
  /** The sent value, and an answer that shows how it was read. */
  readonly right: readonly { readonly sent: string; readonly read: string | number }[]
  readonly wrong: readonly string[]
  /** As they are sent: escapes that are cut short, or not UTF-8. */
  readonly notText: readonly string[]
}

const notText = ['%', '%zz', 'a%f', '%ff', '%ed%a0%80']

export function parameterCases(parameter: Parameter): ParameterCases {
  if (parameter.type === 'number') return { ...ofAmount(), notText }
  if (parameter.type === 'integer') return { ...ofWholeNumber(parameter), notText }
  if (parameter.values !== undefined) return { ...ofWords(parameter.values), notText }
  if (parameter.format !== undefined) return { ...ofDate(), notText }
  if (parameter.pattern !== undefined && parameter.charsMax === undefined) return { ...ofUuid(), notText }
  if (parameter.charsMax !== undefined) return { ...ofText(parameter), notText }
  // Any text is right: what it finds is another matter. In the path, only one of a card is answered.
  const right = parameter.in === 'path' ? [] : ['', 'a', '😀', '\0', 'a'.repeat(1000)]
  return { right: right.map((sent) => ({ sent, read: sent })), wrong: [], notText }
}

function ofWholeNumber({ minimum, maximum, aboveMaximum }: Parameter): Omit<ParameterCases, 'notText'> {
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
      '-1',
      '',
      ' ',
      `${least}.5`,
      `+${least}`,
      '1e1',
      '0x1',
      '١',
      ...(isRefused ? above : []),
    ],
  }
}

const ofAmount = (): Omit<ParameterCases, 'notText'> => ({
  right: ['0', '0.0', '0.01', '00.5', '1', '9.99', '10000000', '9'.repeat(400)].map((sent) => ({ sent, read: sent })),
  wrong: ['', ' ', '-1', '-0', '+1', '.5', '5.', '0.001', '1,5', '1e3', '0x1', 'NaN', 'Infinity', '1 ', '١'],
})

const ofUuid = (): Omit<ParameterCases, 'notText'> => {
  const uuid = '0000579f-7b35-4ed3-b44c-db2a538066fe'
  return {
    right: [uuid, uuid.toUpperCase()].map((sent) => ({ sent, read: uuid })),
    wrong: ['', ' ', uuid.slice(1), `${uuid}0`, uuid.replaceAll('-', ''), uuid.replace('f', 'g'), `{${uuid}}`],
  }
}

const ofDate = (): Omit<ParameterCases, 'notText'> => ({
  right: ['0000-01-01', '1969-12-31', '2024-02-29', '2026-11-20', '9999-12-31'].map((sent) => ({ sent, read: sent })),
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

const ofWords = (values: readonly string[]): Omit<ParameterCases, 'notText'> => ({
  right: values.map((sent) => ({ sent, read: sent })),
  wrong: ['', 'constructor', ...values.flatMap((value) => [`${value} `, `x${value}`, value.toUpperCase()])],
})

function ofText({ charsMin = 0, charsMax = 0, pattern }: Parameter): Omit<ParameterCases, 'notText'> {
  const right = ['a'.repeat(charsMin), 'é'.repeat(charsMax), '😀'.repeat(charsMax)]
  return {
    right: right.map((sent) => ({ sent, read: sent })),
    wrong: [
      'a'.repeat(charsMin - 1),
      ...(pattern === undefined ? [] : ['\t ']),
      'a'.repeat(charsMax + 1),
      '😀'.repeat(charsMax + 1),
    ],
  }
}
