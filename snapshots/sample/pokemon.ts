/** Pokémon, the English sets: tables.ts says how the table is read. */
export const pokemon = `
# base1 | Base Set | 1999-01-09
001 | Alakazam | Rare Holo
002 | Blastoise | Rare Holo | 160
003 | Chansey | Rare Holo
004 | Charizard | Rare Holo | 350
005 | Clefairy | Rare Holo
006 | Gyarados | Rare Holo
007 | Hitmonchan | Rare Holo
008 | Machamp | Rare Holo
009 | Magneton | Rare Holo
010 | Mewtwo | Rare Holo | 60
011 | Nidoking | Rare Holo
012 | Ninetales | Rare Holo
013 | Poliwrath | Rare Holo
014 | Raichu | Rare Holo
015 | Venusaur | Rare Holo | 120
016 | Zapdos | Rare Holo
017 | Beedrill | Rare
018 | Dragonair | Rare
020 | Electabuzz | Rare
022 | Pidgeotto | Rare
024 | Charmeleon | Uncommon
027 | Farfetch'd | Uncommon
035 | Magikarp | Uncommon
044 | Bulbasaur | Common
046 | Charmander | Common
055 | Nidoran♂ | Common
058 | Pikachu | Common | 6
063 | Squirtle | Common
070 | Clefairy Doll | Rare
071 | Computer Search | Rare
088 | Professor Oak | Uncommon
091 | Bill | Common
095 | Switch | Common
096 | Double Colorless Energy | Uncommon

# base2 | Jungle | 1999-06-16
003 | Flareon | Rare Holo
004 | Jolteon | Rare Holo
006 | Mr. Mime | Rare Holo
007 | Nidoqueen | Rare Holo
011 | Snorlax | Rare Holo
012 | Vaporeon | Rare Holo
022 | Mr. Mime | Rare
052 | Exeggcute | Common
057 | Nidoran♀ | Common
060 | Pikachu | Common
064 | Poké Ball | Common

# base3 | Fossil | 1999-10-10
001 | Aerodactyl | Rare Holo
004 | Dragonite | Rare Holo
005 | Gengar | Rare Holo | 90
010 | Lapras | Rare Holo

# base4 | Base Set 2 | 2000-02-24
004 | Charizard | Rare Holo | 220
083 | Nidoran♂ | Common
121 | Poké Ball | Common

# base5 | Team Rocket | 2000-04-24
004 | Dark Charizard | Rare Holo | 140
083 | Dark Raichu | Secret Rare

# neo1 | Neo Genesis | 2000-12-16
009 | Lugia | Rare Holo | 260

# bw3 | Noble Victories | 2011-11-16
092 | N | Uncommon
101 | N | Ultra Rare

# bw5 | Dark Explorers | 2012-05-09
096 | N | Uncommon

# xy2 | Flashfire | 2014-05-07
062 | Flabébé | Common

# xy12 | Evolutions | 2016-11-02
011 | Charizard | Rare Holo
035 | Pikachu | Common

# sma | Hidden Fates Shiny Vault | 2019-08-23
SV49 | Charizard-GX | Shiny Rare | 310

# swsh4 | Vivid Voltage | 2020-11-13
044 | Pikachu VMAX | Holo Rare VMAX
188 | Pikachu VMAX | Secret Rare | 190

# swsh7 | Evolving Skies | 2021-08-27
071 | Flabébé | Common
215 | Umbreon VMAX | Secret Rare | 1100

# sv03 | Obsidian Flames | 2023-08-11
125 | Charizard ex | Double Rare
223 | Charizard ex | Special Illustration Rare | 75

# sv03.5 | 151 | 2023-09-22
001 | Bulbasaur | Common
004 | Charmander | Common
006 | Charizard ex | Double Rare
029 | Nidoran♀ | Common
032 | Nidoran♂ | Common
034 | Nidoking | Rare
083 | Farfetch'd | Common
102 | Exeggcute | Common
122 | Mr. Mime | Rare
151 | Mew ex | Double Rare
199 | Charizard ex | Special Illustration Rare | 280
205 | Mew ex | Hyper Rare

# sv08 | Surging Sparks | 2024-11-08
238 | Pikachu ex | Special Illustration Rare | 420

# sv08.5 | Prismatic Evolutions | 2025-01-17
161 | Umbreon ex | Special Illustration Rare | 980
`
