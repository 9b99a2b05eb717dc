/** Yu-Gi-Oh!: tables.ts says how the table is read. */
export const yugioh = `
# LOB | Legend of Blue Eyes White Dragon | 2002-03-08
LOB-000 | Tri-Horned Dragon | Secret Rare
LOB-001 | Blue-Eyes White Dragon | Ultra Rare | 290
LOB-005 | Dark Magician | Ultra Rare | 120
LOB-006 | Gaia The Fierce Knight | Ultra Rare
LOB-007 | Celtic Guardian | Super Rare
LOB-052 | Dark Hole | Super Rare
LOB-053 | Raigeki | Super Rare
LOB-057 | Fissure | Rare
LOB-058 | Trap Hole | Super Rare
LOB-059 | Polymerization | Super Rare
LOB-062 | Mystical Elf | Super Rare
LOB-066 | Curse of Dragon | Super Rare
LOB-070 | Red-Eyes Black Dragon | Ultra Rare | 95
LOB-101 | Swords of Revealing Light | Super Rare
LOB-118 | Monster Reborn | Ultra Rare
LOB-119 | Pot of Greed | Rare
LOB-120 | Right Leg of the Forbidden One | Ultra Rare
LOB-121 | Left Leg of the Forbidden One | Ultra Rare
LOB-122 | Right Arm of the Forbidden One | Ultra Rare
LOB-123 | Left Arm of the Forbidden One | Ultra Rare
LOB-124 | Exodia the Forbidden One | Ultra Rare | 150
LOB-125 | Gaia the Dragon Champion | Secret Rare

# SDK | Starter Deck: Kaiba | 2002-03-29
SDK-001 | Blue-Eyes White Dragon | Ultra Rare | 45
SDK-041 | Lord of D. | Super Rare

# SDY | Starter Deck: Yugi | 2002-03-29
SDY-006 | Dark Magician | Ultra Rare | 40
SDY-030 | Monster Reborn | Common

# MRD | Metal Raiders | 2002-06-26
MRD-000 | Gate Guardian | Secret Rare
MRD-003 | Summoned Skull | Ultra Rare
MRD-009 | Harpie Lady Sisters | Super Rare
MRD-060 | Change of Heart | Ultra Rare
MRD-065 | Time Wizard | Ultra Rare
MRD-069 | Sangan | Rare
MRD-071 | Kuriboh | Super Rare
MRD-138 | Mirror Force | Ultra Rare
MRD-142 | Heavy Storm | Super Rare

# PSV | Pharaoh's Servant | 2002-10-20
PSV-000 | Jinzo | Secret Rare
PSV-012 | Call of the Haunted | Ultra Rare
PSV-104 | Imperial Order | Secret Rare

# LOD | Legacy of Darkness | 2003-06-06
LOD-000 | Yata-Garasu | Secret Rare
LOD-100 | Injection Fairy Lily | Secret Rare

# MFC | Magician's Force | 2003-10-10
MFC-000 | Dark Magician Girl | Secret Rare | 260

# IOC | Invasion of Chaos | 2004-03-01
IOC-000 | Chaos Emperor Dragon - Envoy of the End | Secret Rare | 130
IOC-025 | Black Luster Soldier - Envoy of the Beginning | Ultra Rare
IOC-065 | Dark Magician of Chaos | Ultra Rare

# TDGS | The Duelist Genesis | 2008-09-02
TDGS-EN040 | Stardust Dragon | Ultra Rare
TDGS-EN040 | Stardust Dragon | Ghost Rare | 540

# MVP1 | The Dark Side of Dimensions Movie Pack | 2016-07-08
MVP1-EN004 | Blue-Eyes Chaos MAX Dragon | Ultra Rare
MVP1-EN005 | Deep-Eyes White Dragon | Ultra Rare
MVP1-EN046 | Blue-Eyes Alternative White Dragon | Ultra Rare
MVP1-EN055 | Blue-Eyes White Dragon | Ultra Rare

# MACR | Maximum Crisis | 2017-05-05
MACR-EN036 | Ash Blossom & Joyous Spring | Secret Rare | 48

# LCKC | Legendary Collection Kaiba Mega Pack | 2018-03-09
LCKC-EN001 | Blue-Eyes White Dragon | Ultra Rare
LCKC-EN057 | Blue-Eyes Ultimate Dragon | Secret Rare

# LDS2 | Legendary Duelists: Season 2 | 2021-01-22
LDS2-EN005 | Malefic Blue-Eyes White Dragon | Common
LDS2-EN017 | Blue-Eyes Chaos Dragon | Secret Rare

# RA01 | 25th Anniversary Rarity Collection | 2023-11-02
RA01-EN008 | Ash Blossom & Joyous Spring | Super Rare

# MAMS | Magnificent Maestros | -
MAMS-EN001 | Blue-Eyes White Dragon, the White Phantom Beast | Ultra Rare | 25
`
