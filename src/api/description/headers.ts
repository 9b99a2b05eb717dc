/** The response headers of the interface. */
import type { Json } from './schemas.ts'

const wholeNumber = (minimum: number): Json => ({ type: 'integer', minimum })

const described = {
  'X-RateLimit-Limit': {
    description: 'The requests a day of the account’s plan; 0 without a valid key.',
    schema: wholeNumber(0),
  },
  'X-RateLimit-Remaining': {
    description: 'What is left of them after this request; 0 without a valid key.',
    schema: wholeNumber(0),
  },
  'X-RateLimit-Reset': {
    description: 'When new ones come: the next midnight UTC, in Unix seconds.',
    schema: wholeNumber(0),
  },
  ETag: {
    description: 'The version of the data. The answer to one address changes only with it.',
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  'Content-Encoding': {
    description: 'How the body is packed. A proxy that unpacks it takes the header away.',
    required: false,
    schema: { const: 'gzip' },
  },
  'Retry-After': {
    description: 'After so many seconds it is worth another try.',
    schema: wholeNumber(0),
  },
  Allow: {
    description: 'The methods that the path has.',
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
  },
}

type Header = keyof typeof described

/** For the description's components. */
export const headers: Json = Object.fromEntries(
  Object.entries(described).map(([name, header]) => [name, { required: true, ...header }]),
)

/** References for a response. */
export const headersNamed = (names: readonly Header[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const quotaHeaders: readonly Header[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
