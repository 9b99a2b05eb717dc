/**
 * Patterns for the lines of deck lists and typed lists: the beginning of a line, its end, and the card in between. The
 * comment above a pattern gives its reason, if it needs one, and an example. Patterns are tried in their order, on a
 * line with single spaces. Within a pattern, no part matches where the next part begins, so a pattern looks at each
 * character only a few times.
 */

/** The number of copies. The group `count` is the number, and `rest` is the line without it. */
export const counts: readonly RegExp[] = [
  // <Cards CatID="1" Quantity="4" Sideboard="false" Name="Fire/Ice" />
  /^<Cards (?=.*\bQuantity="(?<count>\d{1,6})").*\bName="(?<rest>[^"]+)"/,
  // Melee separates fields by `|`. The card's subtitle follows a second `|`.
  // 3 | Boba Fett | Collecting the Bounty
  /^(?<count>\d{1,6}) \| (?<rest>.+)$/,
  // Only a small `x` may stand alone: a capital `X` may begin a name, as in `1 X Speed`.
  // 4x Charizard
  /^(?<count>\d{1,6})(?:[x×]| [x×])(?: (?<rest>.+))$/,
  // 4X Charizard
  /^(?<count>\d{1,6})X (?<rest>.+)$/,
  // Simulators of One Piece write a collector's number, without spaces.
  // 4xOP01-016
  /^(?<count>\d{1,6})[x×](?<rest>[a-z]{1,5}\d{0,3}-\S+)$/i,
  // (3) Sink Below (red)
  /^\((?<count>\d{1,6})\) (?<rest>.+)$/,
  // Charizard x4
  /^(?<rest>\S.*) [x×] ?(?<count>\d{1,6})$/i,
  // Griselbrand: 2
  /^(?<rest>\S.*?) ?: ?(?<count>\d{1,6})$/,
  // A hero of Flesh and Blood is one card.
  // Hero: Cindra, Dracai of Retribution
  /^(?<hero>hero): (?<rest>.+)$/i,
]
/** A count without `x`. The number may also begin a name: `99 Puppies`. */
export const bareCount = /^(?<count>\d{1,6}) (?<rest>.+)$/ // 4 Charizard

/** A bullet, or the mark `SB:` of a sideboard, before the count. */
export const bullet = /^(?:[*•-] )?(?:SB: ?)?/i // * 4 Charizard

/**
 * Notes at a line's end, which say nothing about the card. A pattern matches the note alone, or the whole line with a
 * group `rest`, the line without the note.
 */
export const notes: readonly RegExp[] = [
  // 1 Sol Ring ^Have,#37d67a^
  / \^[^^]*\^$/,
  // A tag. A `#` before a number belongs to the card.
  // 1 Sol Ring #ramp #!Mana
  / #(?!\S*\d) ?\S.*$/,
  // 1x Sol Ring (cmr) 1 [Ramp,Maybeboard{noDeck}]
  / \[[^[\]{,]*[{,][^[\]]*\]$/,
  // 1x Sol Ring (cmr) 472 [Ramp]
  /^(?<rest>[^[(]+[([][^[\]()]+[)\]][^[\]]*) \[[^[\]]+\]$/,
]

/** The mark in the last brackets, or between stars: a finish, a condition, a grade, or `Proxy`. */
export const markInBrackets = / [([]([^()[\]]{1,40})[)\]]$/ // Charizard (PSA 10)
export const markInStars = / \*([^*]{1,20})\*$/ // Sol Ring *F*

export interface CardForm {
  readonly pattern: RegExp
  /** The whole text may be a name. That is tried first. */
  readonly isDoubtful?: true
  /** The whole text may be a name, but rarely. That is tried last. */
  readonly mayBeName?: true
  /** The text in brackets may be part of the name. */
  readonly mayBeMarker?: true
  /** The number may be a set's code. */
  readonly mayBeCode?: true
}

/**
 * The card itself, without count and marks. The groups are `name`, `set` (a code, a name, or words of a name),
 * `number`, and the details of an order. A line that has none of these forms is a name.
 */
export const cardForms: readonly CardForm[] = [
  // [2XM#141] Lightning Bolt
  {
    pattern: /^[([](?<set>[\w.-]{1,10})(?:[#: ] ?(?<number>[^\s)\]]+))?[)\]] (?<name>.+)$/,
  },
  // A line that TCGplayer's app shares. Its set is a code, or the first word of the set's name.
  // Lightning Bolt [2XM] (Foil, Near Mint, English) - $3.05
  {
    pattern:
      /^(?<name>.+) \[(?<set>[^[\]]+)\] \((?<finish>[^(),]+), (?<state>[^(),]+)(?:, (?<language>[^(),]+))?\)(?: [–-] \p{Sc}?[\d.,]+)?$/u,
  },
  // Decks of SWU join the set's code and the number by a hyphen.
  // Luke Skywalker [SOR-005]
  {
    pattern: /^(?<name>.+) [([](?<set>[A-Z]{2,5})[-_](?<number>\d{1,4})[)\]]$/,
  },
  // A line of an order of Cardmarket.
  // Lightning Bolt (Magic 2010) - 146 - Common - NM - English - 0,50 EUR
  {
    pattern:
      /^(?<name>[^()]+) \((?<set>[^()]+)\) - (?:(?<number>[^ ]*\d[^ ]*) - )?(?:[^-]+ - )?(?<condition>MT|NM|EX|GD|LP|PL|PO) - (?<language>[A-Z][\w ]+)(?: - (?<printing>Foil|Reverse Holo|First Edition))?(?: - [\d.,]+ ?(?:EUR|€|GBP|£))?$/,
  },
  // Lightning Bolt <141> [2XM]
  {
    pattern: /^(?<name>[^<]+) <(?<variant>[^<>]+)>(?: [([](?<set>[\w.-]{1,10})[)\]])?$/,
  },
  // Lightning Bolt (2XM) 141
  {
    pattern: /^(?<name>.+) [([](?<set>[\w.-]{1,10})[)\]] #?(?<number>[^\s([]*\d\S*|[^\s([]*★)$/,
    mayBeMarker: true,
  },
  // Klink (Black Bolt) #061
  {
    pattern: /^(?<name>.+) [([](?<set>[^()[\]]{3,60})[)\]] #?(?<number>[^\s([]*\d\S*)$/,
    mayBeMarker: true,
  },
  // In small letters, the text in brackets is more often part of the name: `Sink Below (red)`.
  // Lightning Bolt [mma]
  {
    pattern: /^(?<name>.+) [([](?<set>(?=[\w.-]*[a-z])[a-z_.-]{2,10})[)\]]$/,
    mayBeMarker: true,
    isDoubtful: true,
  },
  // Lightning Bolt (2XM)
  {
    pattern: /^(?<name>.+) [([](?<set>(?=[\w.-]*[A-Za-z])(?:[A-Z0-9_.-]{2,10}|[a-z0-9_.-]{2,10}))[)\]]$/,
    mayBeMarker: true,
  },
  // The text in brackets is the name of a set, or part of the card's name.
  // Charizard (Base Set)
  {
    pattern: /^(?<name>.+) [([](?<set>[^()[\]]{3,60})[)\]]$/,
    mayBeMarker: true,
    isDoubtful: true,
  },
  // Boba Fett | Collecting the Bounty
  { pattern: /^(?<name>[^|]+) \| (?<subtitle>[^|]+)$/ },
  // Only the number after it tells a set's code from a word of the name in capitals.
  // Charizard ex OBF 125
  {
    pattern:
      /^(?<name>.+) (?<set>(?!(?:EX|GX|VMAX|VSTAR|BREAK|LEGEND|LV|SP|GL|FB) )(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{2,8}(?:-[A-Z0-9]{1,4})?|Energy) #?(?<number>[A-Z]{0,6}\d{1,4}[a-z★]?|[A-Z0-9]{1,5}-[A-Z]{0,4}\d{1,4})$/,
    mayBeName: true,
  },
  // Charizard 4/102 Base Set
  {
    pattern: /^(?<name>.+?),? (?<number>#?[A-Z]{0,6}\d+[a-z]?\/[^ ,;]+)[,;]?(?: (?<set>.+))?$/i,
    mayBeName: true,
  },
  // Blue-Eyes White Dragon LOB-EN001
  {
    pattern: /^(?<name>.+?),? #?(?<number>[A-Z0-9]{1,5}-[A-Z]{0,4}\d{1,4}(?:[a-z]|_\w+)?)[,;]?(?: (?<set>.+))?$/i,
    mayBeName: true,
  },
  // Charizard #4 Base Set
  {
    pattern: /^(?<name>.+?),? #(?<number>[A-Z]{0,6}\d[^ ,;]*)[,;]?(?: (?<set>.+))?$/,
    isDoubtful: true,
  },
  // lightning bolt 2xm 141
  {
    pattern: /^(?<name>.+) (?<set>(?=[a-z0-9]*[a-z])[a-z0-9]{2,6}) (?<number>\d{1,4}[a-z]?)$/,
    isDoubtful: true,
  },
  // Charizard SV107
  {
    pattern: /^(?<name>.+?),? (?<number>[A-Z]{1,6}\d{1,4}[a-z]?)[,;]?(?: (?<set>.+))?$/,
    mayBeCode: true,
    isDoubtful: true,
  },
  // Charizard 4 Base Set
  {
    pattern: /^(?<name>.+?),? (?<number>\d{1,4}[a-z]?)[,;]?(?: (?<set>.+))?$/,
    isDoubtful: true,
  },
  // The endings of Pokémon's names, such as `ex`, are not codes.
  // lightning bolt mma
  {
    pattern:
      /^(?<name>.+) (?<set>(?!(?:ex|gx|v|vmax|vstar|break|lv|EX|GX|V|VMAX|VSTAR|BREAK|LV)$)(?=[\w.-]*[A-Za-z])(?:[A-Z0-9.-]{2,6}|[a-z0-9.-]{2,6}))$/,
    isDoubtful: true,
  },
]

/** The types of energy, by their symbols in TCG Live's names. */
export const energies: ReadonlyMap<string, string> = new Map([
  ['G', 'Grass'],
  ['R', 'Fire'],
  ['W', 'Water'],
  ['L', 'Lightning'],
  ['P', 'Psychic'],
  ['F', 'Fighting'],
  ['D', 'Darkness'],
  ['M', 'Metal'],
  ['Y', 'Fairy'],
  ['N', 'Dragon'],
  ['C', 'Colorless'],
])

/** The set and the number that a deck builder's code stands for. */
export interface SetOfList {
  /** A set's code, or words of its name. Undefined if the code stands for no set. */
  readonly set: string | undefined
  /** The number as it is printed, with its prefix and leading zeros. '' if it is unknown. */
  readonly number: string
  /** True if no set has the code as its own. */
  readonly isOnly: boolean
}

/**
 * Codes that only PTCGO and TCG Live use: `code = set`, or `code = set, number`. The number is a template: its printed
 * prefix, then a zero for each digit that the number has at least. With `SWSH000`, 12 becomes `SWSH012`.
 */
const codesOfLists = `
  PR-SV = svp; PR-SW = SWSH, SWSH000; PR-SM = smp, SM00; PR-XY = xyp, XY00; PR-BLW = bwp, BW00; PR-HS = HGSS, HGSS00; PR-DPP = dpp, DP00; PR-NP = np
  CRZ-GG = Crown Zenith Galarian Gallery, GG00; BRS-TG = Brilliant Stars Trainer Gallery, TG00; ASR-TG = Astral Radiance Trainer Gallery, TG00
  LOR-TG = Lost Origin Trainer Gallery, TG00; SIT-TG = Silver Tempest Trainer Gallery, TG00; CEL-CC = Celebrations Classic Collection, CC000
  GEN-RC = Generations, RC0; SHF-SV = Shining Fates Shiny Vault, SV000; HIF-SV = Hidden Fates Shiny Vault, SV0; LTR-RC = Legendary Treasures, RC0
  Energy = `

/** Codes that may also be a set's own, and Dreamborn's numbers of sets. */
const otherCodes = `
  DAR = Dominaria; BLW = Black & White; EPO = Emerging Powers; NVI = Noble Victories; NXD = Next Destinies; DEX = Dark Explorers; DRX = Dragons Exalted
  DRV = Dragon Vault; BCR = Boundaries Crossed; PLS = Plasma Storm; PLF = Plasma Freeze; PLB = Plasma Blast; LTR = Legendary Treasures
  KSS = Kalos Starter Set; FLF = Flashfire; FFI = Furious Fists; PHF = Phantom Forces; PRC = Primal Clash; DCR = Double Crisis
  ROS = Roaring Skies; AOR = Ancient Origins; BKT = BREAKthrough; BKP = BREAKpoint; GEN = Generations; FCO = Fates Collide
  STS = Steam Siege; EVO = Evolutions; SUM = Sun & Moon; GRI = Guardians Rising; BUS = Burning Shadows; SLG = Shining Legends
  CIN = Crimson Invasion; UPR = Ultra Prism; FLI = Forbidden Light; CES = Celestial Storm; DRM = Dragon Majesty; LOT = Lost Thunder
  TEU = Team Up; DET = Detective Pikachu; UNB = Unbroken Bonds; UNM = Unified Minds; HIF = Hidden Fates; CEC = Cosmic Eclipse
  SSH = Sword & Shield; RCL = Rebel Clash; DAA = Darkness Ablaze; CPA = Champion's Path; VIV = Vivid Voltage; SHF = Shining Fates
  BST = Battle Styles; CRE = Chilling Reign; EVS = Evolving Skies; CEL = Celebrations; FST = Fusion Strike; BRS = Brilliant Stars
  ASR = Astral Radiance; PGO = Pokémon GO; LOR = Lost Origin; SIT = Silver Tempest; CRZ = Crown Zenith; SVI = Scarlet & Violet
  PAL = Paldea Evolved; OBF = Obsidian Flames; MEW = 151; PAR = Paradox Rift; PAF = Paldean Fates; TEF = Temporal Forces
  TWM = Twilight Masquerade; SFA = Shrouded Fable; SCR = Stellar Crown; SSP = Surging Sparks; PRE = Prismatic Evolutions
  JTG = Journey Together; DRI = Destined Rivals; BLK = Black Bolt; WHT = White Flare; MEG = Mega Evolution; PFL = Phantasmal Flames
  ASC = Ascended Heroes; POR = Perfect Order
  001 = The First Chapter; 002 = Rise of the Floodborn; 003 = Into the Inklands; 004 = Ursula's Return; 005 = Shimmering Skies
  006 = Azurite Sea; 007 = Archazia's Island; 008 = Reign of Jafar; 009 = Fabled; 010 = Whispers in the Well; 011 = Winterspell`

const setsOfLists = new Map<string, { readonly set: string; readonly number: string; readonly isOnly: boolean }>()
for (const [codes, isOnly] of [
  [codesOfLists, true],
  [otherCodes, false],
] as const) {
  for (const row of codes.split(/[;\n]/)) {
    const [code = '', meaning = ''] = row.split('=').map((part) => part.trim())
    const [set = '', number = ''] = meaning.split(', ')
    if (code !== '') setsOfLists.set(code, { set, number, isOnly })
  }
}

/** Returns what a deck builder's code stands for. Undefined for any other code. */
export function setOfList(code: string, number: string | undefined): SetOfList | undefined {
  // Dreamborn writes its numbers of sets with or without leading zeros.
  const known = setsOfLists.get(/^\d\d?$/.test(code) ? code.padStart(3, '0') : code)
  if (known === undefined) return undefined
  const { set, isOnly } = known
  const [, prefix = '', zeros = ''] = /^([A-Z]*)(0*)$/.exec(known.number) ?? []
  const isPlain = number !== undefined && /^\d+$/.test(number)
  return {
    set: set || undefined,
    number: isPlain && zeros !== '' ? prefix + number.padStart(zeros.length, '0') : (number ?? ''),
    isOnly,
  }
}
