/** Disney Lorcana: tables.ts says how the table is read. */
export const lorcana = `
# TFC | The First Chapter | 2023-08-18
001 | Ariel - On Human Legs | Uncommon
002 | Ariel - Spectacular Singer | Super Rare
005 | Hades - King of Olympus | Rare
007 | HeiHei - Boat Snack | Common
014 | Moana - Of Motunui | Rare
018 | Rapunzel - Gifted with Healing | Legendary
021 | Stitch - Carefree Surfer | Legendary
022 | Stitch - New Dog | Common
023 | Stitch - Rock Star | Super Rare
032 | Dinglehopper | Common
041 | Elsa - Snow Queen | Uncommon
042 | Elsa - Spirit of Winter | Legendary
051 | Mickey Mouse - Wayward Sorcerer | Super Rare
064 | Friends on the Other Side | Common
075 | Genie - On the Job | Super Rare
088 | Mickey Mouse - Artful Rogue | Super Rare
089 | Mickey Mouse - Steamboat Pilot | Common
095 | Mother Knows Best | Uncommon
113 | Maleficent - Monstrous Dragon | Legendary
115 | Mickey Mouse - Brave Little Tailor | Legendary
128 | Be Prepared | Rare
139 | Aurora - Dreaming Guardian | Super Rare
142 | Belle - Strange but Special | Legendary
163 | Let It Go | Rare
174 | Captain Hook - Forceful Duelist | Common
189 | Simba - Returned King | Rare
193 | Tinker Bell - Giant Fairy | Super Rare
195 | A Whole New World | Super Rare
197 | Fire the Cannons! | Common
200 | Smash | Uncommon
207 | Elsa - Spirit of Winter | Enchanted | 640
208 | Mickey Mouse - Wayward Sorcerer | Enchanted

# RF | Rise of the Floodborn | 2023-11-17
003 | Cinderella - Ballroom Sensation | Rare
026 | The Queen - Commanding Presence | Super Rare
070 | Beast - Relentless | Legendary
072 | Belle - Hidden Archer | Legendary
073 | Bucky - Squirrel Squeak Tutor | Uncommon
159 | Sisu - Divine Water Dragon | Legendary

# II | Into the Inklands | 2024-02-23
051 | Maleficent - Mistress of All Evil | Legendary
154 | Scrooge McDuck - Richest Duck in the World | Super Rare

# UR | Ursula's Return | 2024-05-17
028 | Look at This Family | Rare
070 | Diablo - Devoted Herald | Legendary
095 | Under the Sea | Rare

# SS | Shimmering Skies | 2024-08-09
048 | Elsa - The Fifth Spirit | Super Rare

# AS | Azurite Sea | 2024-11-15
103 | Mickey Mouse - Pirate Captain | Super Rare

# F | Fabled | 2025-09-05
043 | Elsa - Spirit of Winter | Legendary
242 | Mickey Mouse - Brave Little Prince | Iconic | 1900
`
