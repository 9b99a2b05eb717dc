/** The views of a card in a list: main fields, all fields, or all fields with printing, currency and external ids. */
export const views = ['summary', 'full', 'extended'] as const

export type View = (typeof views)[number]

/** The views of a card's own address. */
export const cardViews = ['full', 'extended'] as const satisfies View[]

/** The conditions of a card that may have a price, in the order of responses. */
export const conditions = ['near_mint', 'lightly_played', 'moderately_played', 'heavily_played', 'damaged'] as const
