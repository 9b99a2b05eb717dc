/** Magic: The Gathering: tables.ts says how the table is read. */
export const mtg = `
# lea | Limited Edition Alpha | 1993-08-05
047 | Ancestral Recall | Rare | 9800
054 | Counterspell | Uncommon | 450
083 | Time Walk | Rare | 8200
098 | Dark Ritual | Common | 260
161 | Lightning Bolt | Common | 640
210 | Llanowar Elves | Common | 190
232 | Black Lotus | Rare | 48000
262 | Mox Jet | Rare | 7600
264 | Mox Sapphire | Rare | 9900
269 | Sol Ring | Uncommon | 1900

# arn | Arabian Nights | 1993-12-17
029 | Juzám Djinn | Rare | 1500
070 | Bazaar of Baghdad | Uncommon | 2600
071 | City of Brass | Uncommon | 280
076 | Library of Alexandria | Uncommon | 1800

# ice | Ice Age | 1995-06-03
061 | Brainstorm | Common
064 | Counterspell | Common
120 | Dark Ritual | Common
154 | Necropotence | Rare

# all | Alliances | 1996-06-10
028 | Force of Will | Uncommon | 85

# tmp | Tempest | 1997-10-14
057 | Counterspell | Common
118 | Dark Ritual | Common
294 | Lotus Petal | Common | 18
330 | Wasteland | Uncommon | 24

# usg | Urza's Saga | 1998-10-12
085 | Morphling | Rare
096 | Show and Tell | Rare
103 | Time Spiral | Rare
132 | Duress | Common
171 | Yawgmoth's Will | Rare
218 | Sneak Attack | Rare
321 | Gaea's Cradle | Rare | 850
325 | Serra's Sanctum | Rare | 240
330 | Tolarian Academy | Rare

# mrd | Mirrodin | 2003-10-02
141 | Æther Spellbomb | Common
150 | Chalice of the Void | Rare | 55

# dst | Darksteel | 2004-02-06
037 | Æther Snap | Rare
091 | Æther Vial | Uncommon
100 | Arcbound Ravager | Rare
140 | Skullclamp | Uncommon
148 | Sword of Fire and Ice | Rare | 50
154 | Trinisphere | Rare

# unh | Unhinged | 2004-11-19
023 | _____ | Uncommon
137 | Island | Common
140 | Forest | Common

# fut | Future Sight | 2007-05-04
153 | Tarmogoyf | Rare

# lrw | Lorwyn | 2007-10-12
050 | Æthersnipe | Common
145 | Thoughtseize | Rare

# m10 | Magic 2010 | 2009-07-17
004 | Baneslayer Angel | Mythic Rare
146 | Lightning Bolt | Common

# wwk | Worldwake | 2010-02-05
020 | Stoneforge Mystic | Rare
031 | Jace, the Mind Sculptor | Mythic Rare | 48

# isd | Innistrad | 2011-09-30
051 | Delver of Secrets // Insectile Aberration | Common
078 | Snapcaster Mage | Rare
105 | Liliana of the Veil | Mythic Rare

# dom | Dominaria | 2018-04-27
001 | Karn, Scion of Urza | Mythic Rare
168 | Llanowar Elves | Common
207 | Teferi, Hero of Dominaria | Mythic Rare

# eld | Throne of Eldraine | 2019-10-04
169 | Once Upon a Time | Rare
197 | Oko, Thief of Crowns | Mythic Rare

# mh2 | Modern Horizons 2 | 2021-06-18
032 | Solitude | Mythic Rare
052 | Murktide Regent | Mythic Rare
087 | Grief | Mythic Rare
126 | Fury | Mythic Rare
138 | Ragavan, Nimble Pilferer | Mythic Rare | 32
259 | Urza's Saga | Rare | 38
267 | Counterspell | Uncommon

# neo | Kamigawa: Neon Dynasty | 2022-02-18
042 | The Wandering Emperor | Mythic Rare
266 | Boseiju, Who Endures | Rare | 34

# ltr | The Lord of the Rings: Tales of Middle-earth | 2023-06-23
103 | Orcish Bowmasters | Rare | 36
246 | The One Ring | Mythic Rare | 62

# who | Doctor Who | 2023-10-13
212 | Swords to Plowshares | Uncommon
245 | Sol Ring | Uncommon

# mb2 | Mystery Booster 2 | 2024-08-02
114 | Urza's Saga | Rare
179 | Dark Ritual | Common

# fdn | Foundations | 2024-11-15
227 | Llanowar Elves | Common
`
