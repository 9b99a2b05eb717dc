/** What a server tells of itself to Prometheus at a moment. */

export interface Sample {
  /** Of the series: its name, and its labels as they were told, without braces. */
  readonly name: string
  readonly labels: string
  readonly value: number
  /** Only ever added to, until the server is restarted. */
  readonly isCounter: boolean
}

export interface Scrape {
  /** Unix seconds. */
  readonly at: number
  readonly samples: readonly Sample[]
}

/** @param metrics the address that the server has printed */
export async function scrape(metrics: string): Promise<Scrape> {
  const reply = await fetch(metrics)
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${metrics} answers ${reply.status}: ${text}`)
  return { at: Date.now() / 1000, samples: samplesIn(text) }
}

function samplesIn(text: string): Sample[] {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
  return [...text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => {
    const type = types.get(name!) ?? types.get(name!.replace(/_(bucket|sum|count)$/, ''))
    return { name: name!, labels, value: Number(value), isCounter: type === 'counter' || type === 'histogram' }
  })
}

/** The sum of a metric's series whose labels hold the text. */
export const sumOf = ({ samples }: Scrape, metric: string, labels = ''): number =>
  samples.reduce(
    (sum, { name, labels: held, value }) => sum + (name === metric && held.includes(labels) ? value : 0),
    0,
  )
