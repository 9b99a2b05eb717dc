/** How much of each card a list tells: what a search page and a batch do by themselves, or all that its details do. */
export const views = ['summary', 'full'] as const

export type View = (typeof views)[number]
