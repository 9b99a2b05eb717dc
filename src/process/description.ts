/**
 * The interface described, in memory that the threads share. What renders it is loaded when it is first asked for.
 */
import type { About } from '../indexes/about-file.ts'
import type { ApiForm } from '../settings.ts'

/** @param about what the operator tells of the data that is served */
export async function sharedDescription(served: ApiForm, about: About): Promise<Uint8Array> {
  const { describeInterface } = await import('../api/description/document.ts')
  const document = describeInterface(served, about)
  const shared = new Uint8Array(new SharedArrayBuffer(document.length))
  shared.set(document)
  return shared
}
