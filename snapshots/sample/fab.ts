/** Flesh and Blood: tables.ts says how the table is read. */
export const fab = `
# WTR | Welcome to Rathe | 2019-10-11
WTR000 | Heart of Fyendal (Blue) | Fabled | 900
WTR001 | Rhinar, Reckless Rampage | Token
WTR003 | Romping Club | Token
WTR006 | Alpha Rampage (Red) | Majestic
WTR038 | Bravo, Showstopper | Token
WTR040 | Anothos | Token
WTR043 | Crippling Crush (Red) | Majestic
WTR076 | Katsu, the Wanderer | Token
WTR085 | Pounding Gale (Red) | Super Rare
WTR113 | Dorinthea Ironsong | Token
WTR115 | Dawnblade | Token
WTR150 | Fyendal's Spring Tunic | Legendary | 140
WTR159 | Enlightened Strike (Red) | Majestic
WTR160 | Tome of Fyendal (Yellow) | Majestic
WTR167 | Snatch (Red) | Rare
WTR170 | Energy Potion (Blue) | Rare
WTR173 | Sigil of Solace (Red) | Rare
WTR174 | Sigil of Solace (Yellow) | Rare
WTR175 | Sigil of Solace (Blue) | Rare

# ARC | Arcane Rising | 2020-03-27
ARC000 | Eye of Ophidia (Blue) | Fabled | 700
ARC075 | Viserai, Rune Blood | Token
ARC150 | Arcanite Skullcap | Legendary
ARC159 | Command and Conquer (Red) | Majestic | 70
ARC160 | Art of War (Yellow) | Majestic

# CRU | Crucible of War | 2020-08-28
CRU046 | Ira, Crimson Haze | Common
CRU178 | Fyendal's Spring Tunic | Legendary | 130

# MON | Monarch | 2021-05-07
MON001 | Prism, Sculptor of Arc Light | Token
MON278 | Pound for Pound (Red) | Common
MON279 | Pound for Pound (Yellow) | Common
MON280 | Pound for Pound (Blue) | Common

# EVR | Everfest | 2022-02-04
EVR072 | Teklo Pounder (Blue) | Majestic

# DYN | Dynasty | 2022-11-11
DYN000 | Command and Conquer (Red) | Fabled | 380

# HVY | Heavy Hitters | 2024-02-02
HVY035 | Pound Town (Red) | Common
HVY036 | Pound Town (Yellow) | Common
HVY037 | Pound Town (Blue) | Common

# HNT | The Hunted | 2025-01-31
HNT260 | Command and Conquer (Red) | Legendary
`
