/** The version in package.json. A test compares the two. */
export const version = '3.0.0'
