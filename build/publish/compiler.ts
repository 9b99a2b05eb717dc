/** Which compiler made a version: what another one left is not reused, since it may compile the same snapshot otherwise. */
import { identityOf, sourcesIn } from '../../src/sources.ts'

/** They decide what is taken from a snapshot, and how it is packed. */
const packages = ['msgpackr', 'valibot']

let identity: string | undefined

/** Made once, in a few milliseconds. */
export function compiler(): string {
  identity ??= identityOf([...sourcesIn('build', true), ...sourcesIn('src', true)], packages)
  return identity
}
