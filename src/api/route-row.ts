/** The types of the rows in the table of routes. */
import type { PlanName } from '../plans.ts'
import type { ApiForm } from '../settings.ts'
import type { Declared } from './asked.ts'
import { batchRequest, historiesRequest, pricesRequest } from './batch-request.ts'
import { matchRequest } from './match-request.ts'
import type { Parameter } from './parameter-kinds.ts'
import type { ProblemCode } from './problems.ts'
import type { SchemaName } from './schemas.ts'

/** The media type of a 200 that is not JSON. Such a body is long, and the server sends it from shared memory. */
export interface Media {
  readonly type: string
  readonly encoding: 'gzip'
}

/** The tags of the OpenAPI description, with their texts. */
export const tags = {
  Cards: 'Cards and their prices.',
  'Sets and games': 'The sets and games of the data.',
  Service: 'The service itself.',
} as const

/** What the server needs to know of a route. */
export interface ServedRow {
  /** Unique in its table. */
  readonly operation: string
  /** Undefined stands for GET. */
  readonly method?: 'POST'
  /** Parameters are in braces, as in OpenAPI: `{id}`. */
  readonly path: string
  /** The form of the interface for this route, also for its errors. Undefined if it is the server's form. */
  readonly form?: ApiForm
  /** The lowest plan that includes the route, by form. Undefined if the route needs no key and uses no quota. */
  readonly plan?: Readonly<Record<ApiForm, PlanName>>
  /** True if the server always answers the route, even while it has no data. */
  readonly needsNoData?: boolean
  /**
   * The parameters, by the names under which the operation reads them. Documents list them in this order. Undefined if
   * the route has no parameters.
   */
  readonly parameters?: Declared
  /** The JSON body of a POST. */
  readonly body?: { readonly schema: BodyName; readonly bytesMax: number }
  /** The media type of a 200. Undefined stands for JSON. */
  readonly media?: Media
  /**
   * Problems that the operation itself finds. Problems of key, plan, body and parameters are not among them. Undefined
   * if there are none.
   */
  readonly problems?: readonly ProblemCode[]
}

/** A row of the table of routes. Documents and clients are generated from this table. */
export interface RouteRow extends ServedRow {
  /** The operation's tag in the OpenAPI description. Undefined stands for `Cards`. */
  readonly tag?: keyof typeof tags
  readonly summary: string
  /** A short text with only facts that the rest of the row does not state. Undefined if there are none. */
  readonly description?: string
  /** A request must have at least one of these parameters. */
  readonly oneOf?: readonly Parameter[]
  /** The schema of a 200's body. If the route has a media type, the schema of each line of the body. */
  readonly answer: SchemaName
  /** By code: messages that the description has in place of those in the table of problems. */
  readonly messages?: Readonly<Partial<Record<ProblemCode, string>>>
}

/** The schemas of request bodies. */
export const bodies = { batchRequest, historiesRequest, pricesRequest, matchRequest }
type BodyName = keyof typeof bodies

/** A route that the server registers. */
export interface ServedRoute extends Omit<ServedRow, 'method' | 'parameters'> {
  readonly method: 'GET' | 'POST'
  readonly declared: Declared
  /** The declared parameters. */
  readonly parameters: readonly Parameter[]
  readonly problems: readonly ProblemCode[]
}

/** Makes a route of a row, with defaults for what the row leaves out. */
export const servedRoute = <Of extends string, Row extends ServedRow = ServedRow>({
  parameters: declared = {},
  ...row
}: Row & { readonly operation: Of }): Omit<Row, 'parameters' | 'method'> &
  ServedRoute & { readonly operation: Of } => ({
  method: 'GET',
  problems: [],
  ...row,
  declared,
  parameters: Object.values(declared),
})
