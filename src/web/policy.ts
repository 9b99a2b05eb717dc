/** The Content-Security-Policy: parts come from this origin alone, and no script stands in a page. */

const here = ["'self'"]
const nobody = ["'none'"]

export const contentPolicy = {
  defaultSrc: nobody,
  scriptSrc: here,
  styleSrc: here,
  imgSrc: here,
  connectSrc: here,
  formAction: here,
  baseUri: nobody,
  frameAncestors: nobody,
} as const satisfies Record<string, readonly string[]>

/** The header's text for a page that needs other sources for some of its parts. */
export const policyText = (other: Partial<Record<keyof typeof contentPolicy, readonly string[]>>): string =>
  Object.entries({ ...contentPolicy, ...other })
    .map(([name, sources]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${sources.join(' ')}`)
    .join('; ')
