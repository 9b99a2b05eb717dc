/** Star Wars: Unlimited: tables.ts says how the table is read. */
export const swu = `
# SOR | Spark of Rebellion | 2024-03-08
005 | Luke Skywalker - Faithful Friend | Special
010 | Darth Vader - Dark Lord of the Sith | Special
014 | Sabine Wren - Galvanized Revolutionary | Common
017 | Han Solo - Audacious Smuggler | Rare
040 | Avenger - Hunting Star Destroyer | Legendary
043 | Superlaser Blast | Legendary
049 | Obi-Wan Kenobi - Following Fate | Rare
051 | Luke Skywalker - Jedi Knight | Legendary | 18
078 | Vanquish | Common
087 | Darth Vader - Commanding the First Legion | Legendary | 28
095 | Battlefield Marine | Common
102 | Home One - Alliance Flagship | Legendary
128 | Death Star Stormtrooper | Common
135 | Emperor Palpatine - Master of the Dark Side | Rare
141 | Green Squadron A-Wing | Common
172 | Open Fire | Common
189 | Leia Organa - Defiant Princess | Special
193 | Millennium Falcon - Piece of Junk | Legendary
198 | Han Solo - Reluctant Hero | Rare
225 | TIE/ln Fighter | Common

# SHD | Shadows of the Galaxy | 2024-07-12
018 | The Mandalorian - Sworn to the Creed | Special
049 | The Mandalorian - Wherever I Go, He Goes | Legendary
196 | Grogu - Irresistible | Special

# TWI | Twilight of the Republic | 2024-11-08
004 | Yoda - Sensing Darkness | Rare
008 | Padmé Amidala - Serving the Republic | Common
034 | General Grievous - Trophy Collector | Legendary
192 | Padmé Amidala - Pursuing Peace | Uncommon

# JTL | Jump to Lightspeed | 2025-03-14
051 | Red Squadron X-Wing | Common
142 | Darth Vader - Scourge of Squadrons | Legendary
203 | Han Solo - Has His Moments | Legendary
`
