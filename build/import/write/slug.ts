/** How words become parts of an id. */

/** Lower case; a-z, 0-9 and dots stay, every run of anything else is one hyphen, none at the ends. Empty if nothing stays. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-|-$/g, '')
