/** The parts that all searches of a version use in turn. Each search is one synchronous call. */
import type { Filters } from './scope/filters.ts'
import type { KeyOf, Sort } from './scope/orders.ts'
import type { CardFiles } from './scope/scope.ts'
import type { ScopeLists } from './scope/scope-lists.ts'
import type { Selection } from './scope/select.ts'

export interface SearchParts extends CardFiles {
  readonly filters: Filters
  readonly orders: Readonly<Record<Sort, KeyOf>>
  readonly scopeLists: ScopeLists
  readonly selection: Selection
}
