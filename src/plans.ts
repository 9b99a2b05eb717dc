/** The plans an account can be on. */

export const plans = {
  free: { name: 'Free', requestsPerDay: 200, trader: false },
  trader: { name: 'Trader', requestsPerDay: 10_000, trader: true },
  business: { name: 'Business', requestsPerDay: 100_000, trader: true },
} as const satisfies Record<string, Plan>

export interface Plan {
  readonly name: string
  readonly requestsPerDay: number
  /** Whether it includes what needs the Trader plan or above. */
  readonly trader: boolean
}

export type PlanName = keyof typeof plans

export const planNames = Object.keys(plans) as readonly PlanName[]

export const isPlanName = (text: string): text is PlanName => Object.hasOwn(plans, text)
