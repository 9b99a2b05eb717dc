/** A rate as a title has it: to the thousand, where it has many. */
export const roughly = (rate: number): string =>
  (rate >= 10_000 ? Math.round(rate / 1000) * 1000 : Math.round(rate)).toLocaleString('en')
