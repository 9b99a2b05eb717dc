/** Pokémon, the Japanese sets, names as printed: tables.ts says how the table is read. */
export const pokemonjp = `
# PMCG1 | 拡張パック | 1996-10-20
005 | ニドラン♂ | Common
013 | ニドキング | Holo Rare
021 | リザードン | Holo Rare | 480
032 | カメックス | Holo Rare | 170
035 | ピカチュウ | Common
050 | ミュウツー | Holo Rare

# neo1 | 金、銀、新世界へ... | 2000-02-04
036 | ピカチュウ | Common

# SM2K | キミを待つ島々 | 2017-03-17
022 | カプ・コケコGX | Double Rare
058 | カプ・コケコGX | Hyper Rare

# SM11 | ミラクルツイン | 2019-05-31
028 | カプ・コケコ | Rare

# S8b | VMAXクライマックス | 2021-12-03
046 | ピカチュウVMAX | Triple Rare
223 | ピカチュウVMAX | Character Super Rare

# SV2a | ポケモンカード151 | 2023-06-16
001 | フシギダネ | Common
004 | ヒトカゲ | Common
006 | リザードンex | Double Rare
007 | ゼニガメ | Common
025 | ピカチュウ | Common
029 | ニドラン♀ | Common
032 | ニドラン♂ | Common
034 | ニドキング | Rare
083 | カモネギ | Common
102 | タマタマ | Common
122 | バリヤード | Rare
143 | カビゴン | Uncommon
151 | ミュウex | Double Rare
185 | リザードンex | Ultra Rare
201 | リザードンex | Special Illustration Rare | 230
205 | ミュウex | Special Illustration Rare

# SV3 | 黒炎の支配者 | 2023-07-28
066 | リザードンex | Double Rare
134 | リザードンex | Special Illustration Rare | 60

# SV3a | レイジングサーフ | 2023-09-22
019 | カプ・コケコex | Double Rare

# SV8 | 超電ブレイカー | 2024-10-18
041 | カプ・コケコ | Rare
132 | ピカチュウex | Special Illustration Rare | 330

# SV8a | テラスタルフェスex | 2024-12-06
217 | ブラッキーex | Special Illustration Rare | 390
`
