/**
 * Ranks the functions of a CPU profile by their own time. V8 writes the profile as a tree of calls, and each sample's
 * node.
 */

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** The id of each sample's node. */
  readonly samples: readonly number[]
  /** By sample: µs since the sample before. */
  readonly timeDeltas: readonly number[]
}

export interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export interface FunctionTime {
  readonly name: string
  /** The file's URL. Empty if this is not JavaScript, such as the garbage collector. */
  readonly url: string
  /** The line's number, from 1. */
  readonly line: number
  readonly selfUs: number
  /** The time of the function and all that it called. Recursive calls are counted once. */
  readonly totalUs: number
}

const notBusy = new Set(['(idle)', '(root)'])
/** The module whose calls start and stop the profiler. */
const profiler = 'node:inspector'

/** False for a node of waiting time or of the profiler itself. */
export const isBusy = ({ callFrame: { functionName, url } }: ProfileNode): boolean =>
  !notBusy.has(functionName) && url !== profiler

/** True for `(program)`, V8's name for native code. The garbage collector has a name of its own. */
export const isOutside = ({ name, url }: FunctionTime): boolean => url === '' && name === '(program)'

/** Returns a profile's nodes, and their own times in µs, both by the node's id. */
export function timesOf({ nodes, samples, timeDeltas }: CpuProfile) {
  const selfOf = new Map<number, number>()
  samples.forEach((id, i) => {
    selfOf.set(id, (selfOf.get(id) ?? 0) + Math.max(0, timeDeltas[i]!))
  })
  return { byId: new Map(nodes.map((node) => [node.id, node])), selfOf }
}

/** Returns all functions but the profiler's, those with the most time of their own first. Leaves out idle time. */
export function dearest(profile: CpuProfile): FunctionTime[] {
  const { byId, selfOf } = timesOf(profile)
  const [root] = profile.nodes
  const found = new Map<string, { name: string; url: string; line: number; selfUs: number; totalUs: number }>()
  const walk = (node: ProfileNode, above: ReadonlySet<string>): number => {
    const { functionName, url, lineNumber } = node.callFrame
    const key = `${functionName} ${url} ${lineNumber}`
    const selfUs = selfOf.get(node.id) ?? 0
    const within = new Set(above).add(key)
    const childrenUs = (node.children ?? []).reduce((sum, id) => sum + walk(byId.get(id)!, within), 0)
    const times = found.get(key) ?? {
      name: functionName || '(anonymous)',
      url,
      line: lineNumber + 1,
      selfUs: 0,
      totalUs: 0,
    }
    times.selfUs += selfUs
    if (!above.has(key)) times.totalUs += selfUs + childrenUs
    found.set(key, times)
    return selfUs + childrenUs
  }
  if (root !== undefined) walk(root, new Set())
  return [...found.values()]
    .filter(({ name, url }) => !notBusy.has(name) && url !== profiler)
    .sort((a, b) => b.selfUs - a.selfUs)
}
