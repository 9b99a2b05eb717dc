/** That of package.json: a test compares. */
export const version = '3.0.0'
