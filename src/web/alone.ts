/** What the pages have of people where one server has all accounts to itself. */
import { OwnSignIns } from '../accounts/sign-ins.ts'
import type { Store } from '../store/store.ts'
import { HeldNewKeys } from './new-keys.ts'
import type { Site } from './site.ts'

export const ownParts = (store: Store): Pick<Site, 'signIns' | 'newKeys' | 'others'> => ({
  signIns: new OwnSignIns(store),
  newKeys: new HeldNewKeys(),
  others: undefined,
})
