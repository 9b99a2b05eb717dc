/**
 * How much of each card a list has: what a search page and a batch have by themselves, all that its details have, or that and its
 * printing, currency and ids elsewhere.
 */
export const views = ['summary', 'full', 'extended'] as const

export type View = (typeof views)[number]

/** Those of a card's own address. */
export const cardViews = ['full', 'extended'] as const satisfies View[]
