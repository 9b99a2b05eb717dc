/** The Content-Security-Policy: a page loads parts from its own origin only, and runs no inline script. */

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

/** The header of a page that loads some of its parts from elsewhere. */
export const policyText = (other: Partial<Record<keyof typeof contentPolicy, readonly string[]>>): string =>
  Object.entries({ ...contentPolicy, ...other })
    .map(([name, sources]) => `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${sources.join(' ')}`)
    .join('; ')
