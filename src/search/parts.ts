/**
 * The objects that all searches of a version share. Each search is one synchronous call, so only one search uses them
 * at a time.
 */
import type { ListsFile } from '../indexes/lists-file.ts'
import type { SearchFile } from '../indexes/search-file.ts'
import type { Filters } from './scope/filters.ts'
import type { InScope } from './scope/in-scope.ts'
import type { KeyOf, Sort } from './scope/orders.ts'
import type { ScopeLists } from './scope/scope-lists.ts'
import type { HitPage, Selection } from './scope/select.ts'

export interface SearchParts {
  readonly file: SearchFile
  readonly lists: ListsFile
  readonly filters: Filters
  readonly orders: Readonly<Record<Sort, KeyOf>>
  readonly scopeLists: ScopeLists
  readonly inScope: InScope
  readonly selection: Selection
  /** The result of a search. The next search overwrites it. */
  readonly page: HitPage
}
