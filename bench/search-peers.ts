import type { SearchCatalog } from './search-catalog.ts'
import type { Find } from './search-quality.ts'
export async function comparePeers(_catalog: SearchCatalog, _find: Find): Promise<void> {}
