/** A CPU profile as V8 writes it: a tree of calls, and which node each sample was in. To functions by their own time. */

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  /** Ids of nodes. */
  readonly samples: readonly number[]
  /** µs from the sample before. */
  readonly timeDeltas: readonly number[]
}

export interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export interface FunctionTime {
  readonly name: string
  /** Empty for what is no JavaScript. */
  readonly url: string
  /** Counted from 1. */
  readonly line: number
  readonly selfUs: number
  /** With all that it called; a function that calls itself is counted once. */
  readonly totalUs: number
}

const notBusy = new Set(['(idle)', '(root)'])
/** Where the profiler itself is begun and ended. */
const profiler = 'node:inspector'

/** False for time in which the thread waits, and for the profiler itself. */
export const isBusy = ({ callFrame: { functionName, url } }: ProfileNode): boolean =>
  !notBusy.has(functionName) && url !== profiler

/** True for what V8 names where it sees no JavaScript; the garbage collector it sees. */
export const isOutside = ({ name, url }: FunctionTime): boolean => url === '' && name === '(program)'

/** A profile's nodes and their own times (µs), by id. */
export function timesOf({ nodes, samples, timeDeltas }: CpuProfile) {
  const selfOf = new Map<number, number>()
  samples.forEach((id, i) => {
    selfOf.set(id, (selfOf.get(id) ?? 0) + Math.max(0, timeDeltas[i]!))
  })
  return { byId: new Map(nodes.map((node) => [node.id, node])), selfOf }
}

/** All functions in which a sample fell, or that called one, the dearest first. */
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
