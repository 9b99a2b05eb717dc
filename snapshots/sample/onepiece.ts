/** One Piece Card Game: tables.ts says how the table is read. */
export const onepiece = `
# OP-01 | Romance Dawn | 2022-12-02
OP01-001 | Roronoa Zoro | Leader
OP01-002 | Trafalgar Law | Leader
OP01-003 | Monkey.D.Luffy | Leader
OP01-004 | Usopp | Rare
OP01-013 | Sanji | Rare
OP01-015 | Tony Tony.Chopper | Uncommon
OP01-016 | Nami | Rare
OP01-017 | Nico Robin | Rare
OP01-024 | Monkey.D.Luffy | Super Rare
OP01-025 | Roronoa Zoro | Super Rare
OP01-026 | Gum-Gum Fire-Fist Pistol Red Hawk | Rare
OP01-047 | Trafalgar Law | Super Rare
OP01-060 | Donquixote Doflamingo | Leader
OP01-070 | Dracule Mihawk | Super Rare
OP01-078 | Boa Hancock | Super Rare
OP01-120 | Shanks | Secret Rare
OP01-121 | Yamato | Secret Rare

# ST-01 | Straw Hat Crew | 2022-12-02
ST01-001 | Monkey.D.Luffy | Leader
ST01-012 | Monkey.D.Luffy | Super Rare
ST01-014 | Guard Point | Common

# OP-02 | Paramount War | 2023-03-10
OP02-001 | Edward.Newgate | Leader
OP02-013 | Portgas.D.Ace | Super Rare
OP02-062 | Monkey.D.Luffy | Super Rare
OP02-120 | Uta | Secret Rare
OP02-121 | Kuzan | Secret Rare

# OP-03 | Pillars of Strength | 2023-06-30
OP03-114 | Charlotte Linlin | Super Rare
OP03-122 | Sogeking | Secret Rare

# OP-05 | Awakening of the New Era | 2023-12-08
OP05-060 | Monkey.D.Luffy | Leader
OP05-074 | Eustass"Captain"Kid | Super Rare
OP05-118 | Kaido | Secret Rare
OP05-119 | Monkey.D.Luffy | Secret Rare | 95

# OP-06 | Wings of the Captain | 2024-03-15
OP06-118 | Roronoa Zoro | Secret Rare
OP06-119 | Sanji | Secret Rare

# EB-01 | Memorial Collection | 2024-05-03
EB01-061 | Mr.2.Bon.Kurei(Bentham) | Secret Rare

# OP-09 | Emperors in the New World | 2024-12-13
OP09-004 | Shanks | Super Rare
OP09-118 | Gol.D.Roger | Secret Rare
OP09-119 | Monkey.D.Luffy | Secret Rare

# P | Promotion Cards | -
P-001 | Monkey.D.Luffy | Promo
`
