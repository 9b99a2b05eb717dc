/** Texts that are names of properties of every JavaScript object: what is looked up in a plain object finds them. */
export const propertyNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'] as const

/** An unknown text as long, and of the same kinds of characters. */
export const unknownLike = (name: string): string => name.replace(/[a-z]/g, 'q').replace(/[A-Z]/g, 'Q')
