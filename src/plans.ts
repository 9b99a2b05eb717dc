/** The plans of accounts, lowest first. */

export const plans = {
  free: { name: 'Free', requestsPerDay: 200, rank: 0 },
  trader: { name: 'Trader', requestsPerDay: 10_000, rank: 1 },
  business: { name: 'Business', requestsPerDay: 100_000, rank: 2 },
} as const satisfies Record<string, Plan>

export interface Plan {
  readonly name: string
  readonly requestsPerDay: number
  /** A plan includes everything that plans of lower rank include. */
  readonly rank: number
}

export type PlanName = keyof typeof plans

export const planNames = Object.keys(plans) as readonly PlanName[]

/** The lowest plan with price histories. */
export const historyPlan = 'trader' satisfies PlanName

export const isPlanName = (text: string): text is PlanName => Object.hasOwn(plans, text)
