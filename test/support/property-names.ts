/**
 * Names of properties that every JavaScript object has. A look-up of such a name in a plain object finds the inherited
 * property.
 */
export const propertyNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'] as const

/** An unknown text with the same length and the same kinds of characters. */
export const unknownLike = (name: string): string => name.replace(/[a-z]/g, 'q').replace(/[A-Z]/g, 'Q')
