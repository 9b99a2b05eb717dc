/** A load generator: a process that sends the requests of a file over many connections, and what it reports. */

export interface LoadOptions {
  readonly port: number
  /** Holds the requests, each ended by a NUL. They are sent in turn, over and over. */
  readonly file: string
  /** Where in the list to begin, 0 ≤ x < 1. */
  readonly start: number
  readonly connections: number
  /** A whole number. */
  readonly seconds: number
  /** Requests a second, open loop; 0: each connection sends its next request as soon as it has its answer. */
  readonly rate: number
  /** Length of the stretches to report, in seconds; only at a rate; 0 or absent: none is reported. */
  readonly momentSeconds?: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Of all answers with their heads. */
  readonly bytes: number
  /** Answers with a status of 400 or more. */
  readonly refusals: number
  /** Connections that failed, and answers that did not come. */
  readonly socketErrors: number
  readonly latencyUs: Latency
  /** CPU time of the generator itself, once it had read its requests; at a rate it never sleeps. */
  readonly cpuSeconds: number
  /** @see LoadOptions.momentSeconds */
  readonly moments?: readonly Moment[]
}

/** Of the answers that came in a stretch of time: µs. */
export interface Moment {
  readonly requests: number
  readonly p99: number
  readonly max: number
}

export interface Latency {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

export interface Generator {
  readonly name: string
  /** Throws if the generator ends badly or a connection failed. */
  run(options: LoadOptions): Promise<LoadResult>
}
