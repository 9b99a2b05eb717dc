/** A set's code and short name. */
import { fold } from './fold.ts'

/** A code as one word: `OP-01` is `op01`. */
export const foldCode = (code: string): string => fold(code).join('')

/** `SV03: Obsidian Flames`, `SM - Ultra Prism`, `XY - Evolutions` */
const behindPrefix = /^[A-Z0-9&-]{1,8}(?:: | - )(.*\S.*)$/

/** A set's name without its publisher's prefix; undefined if it has none. */
export const shortSetName = (name: string): string | undefined => behindPrefix.exec(name)?.[1]
