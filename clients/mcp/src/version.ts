/** That of package.json: a test compares. */
export const version = '2.0.0'
