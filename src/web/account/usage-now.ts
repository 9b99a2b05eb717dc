/** Today's requests. An open page polls them. */
export interface UsageNow {
  readonly date: string
  readonly used: number
  readonly limit: number
  /** `1,234 of 10,000` */
  readonly text: string
  readonly resetsAt: number
  /** `1 h 10 min` */
  readonly resetsIn: string
  /** Requests that this server has rejected since the quota was used up. */
  readonly refused: number
}
