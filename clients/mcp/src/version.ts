/** That of package.json: a test compares. */
export const version = '1.0.0'
