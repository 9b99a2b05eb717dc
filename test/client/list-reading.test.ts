/** What the client reads in lists: columns, words, forms; without a server. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cardForms, counts, markInBrackets, markInStars, notes } from '../../src/lists/deck-forms.ts'
import { fieldNames } from '../../src/lists/fields.ts'
import { isHeading, ownLines } from '../../src/lists/headings.ts'
import type { ListLine } from '../../src/lists/match-questions.ts'
import { type ListFormError, readAll, readList } from '../../src/lists/read-list.ts'
import { timesYardstick } from '../support/relative-cost.ts'

const columnsOf = (text: string, columns = {}) =>
  Object.fromEntries(
    readAll(text, { columns }).columns.map(({ column, field, sure }) => [column, sure ? field : `${field}?`]),
  )
const lineOf = (text: string): ListLine => readAll(text).lines.at(-1)!
const quantitiesOf = (text: string): number[] => readAll(text).lines.map(({ quantity }) => quantity)
const uuid = '0000579f-7b35-4ed3-b44c-0000000000aa'

/** By what they are of: patterns, and a line for each. */
const formsOf = {
  counts: [
    counts,
    [
      '<Cards CatID="1" Quantity="4" Sideboard="false" Name="Fire/Ice" />',
      '3 | Boba Fett | Collecting the Bounty',
      '4x Charizard',
      '4X Charizard',
      '4xOP01-016',
      '(3) Sink Below (red)',
      'Charizard x4',
      'Griselbrand: 2',
      'Hero: Cindra, Dracai of Retribution',
    ],
  ],
  notes: [
    notes,
    [
      '1 Sol Ring ^Have,#37d67a^',
      '1 Sol Ring #ramp #!Mana',
      '1x Sol Ring (cmr) 1 [Ramp,Maybeboard{noDeck}]',
      '1x Sol Ring (cmr) 472 [Ramp]',
    ],
  ],
  marks: [
    [markInBrackets, markInStars],
    ['Charizard (PSA 10)', 'Sol Ring *F*'],
  ],
  'programs’ own lines': [
    ownLines,
    [
      'TOTAL: 3 cards - $41.00',
      '60 cards',
      'Prices from Market Price on 11/20/2026 and are subject to change.',
      '****** Pokémon Trading Card Game Deck List ******',
      'Made with love at the FaBrary',
      'See the full deck @ https://fabrary.net/decks/1',
      'About',
      '!side',
    ],
  ],
  cards: [
    cardForms.map(({ pattern }) => pattern),
    [
      '[2XM#141] Lightning Bolt',
      'Lightning Bolt [2XM] (Foil, Near Mint, English) - $3.05',
      'Luke Skywalker [SOR-005]',
      'Lightning Bolt (Magic 2010) - 146 - Common - NM - English - 0,50 EUR',
      'Lightning Bolt <141> [2XM]',
      'Lightning Bolt (2XM) 141',
      'Klink (Black Bolt) #061',
      'Lightning Bolt [mma]',
      'Lightning Bolt (2XM)',
      'Charizard (Base Set)',
      'Boba Fett | Collecting the Bounty',
      'Charizard ex OBF 125',
      'Charizard 4/102 Base Set',
      'Blue-Eyes White Dragon LOB-EN001',
      'Charizard #4 Base Set',
      'lightning bolt 2xm 141',
      'Charizard SV107',
      'Charizard 4 Base Set',
      'lightning bolt mma',
    ],
  ],
} as const

describe('The columns of a list', () => {
  const cases: Readonly<Record<string, readonly [text: string, columns: Readonly<Record<string, string | null>>]>> = {
    'with well-known names are recognized': [
      'Quantity,Name,Set Code,Set Name,Collector Number,Foil,Condition,Language,Rarity,Purchase Price\n1,a,b,c,4,foil,NM,en,rare,2',
      {
        Quantity: 'quantity',
        Name: 'name',
        'Set Code': 'setCode',
        'Set Name': 'set',
        'Collector Number': 'number',
        Foil: 'foil',
        Condition: 'condition',
        Language: 'language',
        Rarity: 'rarity',
        'Purchase Price': null,
      },
    ],
    'in German are read': [
      'Anzahl;Karte;Edition;Nummer;Zustand;Sprache\n1;a;b;4;NM;Deutsch',
      {
        Anzahl: 'quantity',
        Karte: 'name',
        Edition: 'set',
        Nummer: 'number',
        Zustand: 'condition',
        Sprache: 'language',
      },
    ],
    'in French are read, with nombre as the count': [
      'Nombre,Nom,Édition,N°\n2,a,b,4',
      { Nombre: 'quantity', Nom: 'name', Édition: 'set', 'N°': 'number' },
    ],
    'in Spanish are read, with nombre as the name': ['Cantidad,Nombre\n2,a', { Cantidad: 'quantity', Nombre: 'name' }],
    'in Japanese work': ['枚数,カード名,言語\n2,a,日本語', { 枚数: 'quantity', カード名: 'name', 言語: 'language' }],
    'with an unknown name are guessed as the quantity if they have whole numbers': [
      'Name,Held\na,5\nb,12',
      { Name: 'name', Held: 'quantity?' },
    ],
    'with other counts are guessed as the quantity if no other column is one': [
      'Name,Tradelist Count\na,5',
      { Name: 'name', 'Tradelist Count': 'quantity?' },
    ],
    'for a card’s place are ignored if they have numbers': [
      'Name,Qty,Slot\na,5,1',
      { Name: 'name', Qty: 'quantity', Slot: null },
    ],
    'with unknown names and whole numbers are all guessed as the quantity': [
      'Name,Held,Boxed\na,5,2',
      { Name: 'name', Held: 'quantity?', Boxed: 'quantity?' },
    ],
    'for a card’s place are ignored if they have words': ['Name,Shelf\na,left\nb,right', { Name: 'name', Shelf: null }],
    'with an unknown name are guessed as the printing if they have finishes': [
      'Name,Qty,Kind\na,1,Reverse Holo\nb,1,x\nc,1,',
      { Name: 'name', Qty: 'quantity', Kind: 'printing?' },
    ],
    'with an unknown name are guessed as the condition if they have conditions': [
      'Name,Qty,Shape\na,1,NM\nb,1,LP',
      { Name: 'name', Qty: 'quantity', Shape: 'condition?' },
    ],
    'with an unknown name are guessed as the grade if they have grades': [
      'Name,Qty,Slab\na,1,PSA 10\nb,1,',
      { Name: 'name', Qty: 'quantity', Slab: 'grade?' },
    ],
    'with an unknown name are guessed as the language if they have languages': [
      'Name,Qty,Spoken\na,1,German\nb,1,English',
      { Name: 'name', Qty: 'quantity', Spoken: 'language?' },
    ],
    'with an unknown name are unsure if only a few values are conditions': [
      'Name,Qty,Shape\na,1,NM\nb,1,fine\nc,1,torn',
      { Name: 'name', Qty: 'quantity', Shape: 'null?' },
    ],
    'for flags are unsure if they hold counts': [
      'Name,Quantity,Foil\na,3,2\nb,1,0',
      { Name: 'name', Quantity: 'quantity?', Foil: 'foilQuantity?' },
    ],
    'that both hold counts are unsure if the counts differ': [
      'Name,Quantity,Amount\na,3,4',
      { Name: 'name', Quantity: 'quantity', Amount: 'null?' },
    ],
    'that both hold counts are read as one quantity if the counts agree': [
      'QuantityX,Name,Quantity\n3x,a,3',
      { QuantityX: null, Name: 'name', Quantity: 'quantity' },
    ],
    'of ids are recognized by their values': [`ID,Name\n${uuid},a`, { ID: 'scryfallId', Name: 'name' }],
    'for counts of reverse holos and holos are recognized': [
      'Name,Normal,Reverse Holo,Holo\na,3,2,0',
      { Name: 'name', Normal: 'quantity', 'Reverse Holo': 'foilQuantity', Holo: 'foilQuantity' },
    ],
    'for flags of a finish are unsure if they hold counts': [
      'Name,Qty,Reverse\na,3,2',
      { Name: 'name', Qty: 'quantity?', Reverse: 'foilQuantity?' },
    ],
    'named after an unknown finish are guessed as counts': [
      'Name,Qty,Cosmos Holo\na,3,2',
      { Name: 'name', Qty: 'quantity?', 'Cosmos Holo': 'foilQuantity?' },
    ],
    'of ids are read as the number if they hold printed numbers': [
      'CardId,Normal,Foil,Name\nOP01-001,1,2,a',
      { CardId: 'number', Normal: 'quantity', Foil: 'foilQuantity', Name: 'name' },
    ],
    'of ids of an unknown kind are ignored': ['ID,Name\n4711,a', { ID: null, Name: 'name' }],
    'of editions are read as the printing if they hold printings': [
      'Name,Set Code,Edition\na,LOB,1st Edition\nb,LOB,Unlimited',
      { Name: 'name', 'Set Code': 'setCode', Edition: 'printing' },
    ],
    'for counts of foils, of others and of both are recognized': [
      'Total Qty,Reg Qty,Foil Qty,Card\n3,1,2,a',
      { 'Total Qty': 'totalQuantity', 'Reg Qty': 'quantity', 'Foil Qty': 'foilQuantity', Card: 'name' },
    ],
    'of proxies, wants and binders are recognized as exclusions': [
      'Name,Proxy,Watchlist,Binder Type\na,False,false,binder',
      { Name: 'name', Proxy: 'exclude', Watchlist: 'exclude', 'Binder Type': 'exclude' },
    ],
    'named like a property of every object are unsure like any unknown name': [
      'Name,constructor,__proto__,toString\na,x,y,z',
      { Name: 'name', constructor: 'null?', ['__proto__']: 'null?', toString: 'null?' },
    ],
  }
  for (const [name, [text, wanted]] of Object.entries(cases)) {
    it(`Columns ${name}`, () => assert.deepEqual(columnsOf(text), wanted))
  }

  it('The caller of the reader can choose the field of each column', () => {
    const text = 'Name,Held,Boxed\na,5,2\nb,1,1'
    assert.deepEqual(columnsOf(text, { Held: 'quantity' }), { Name: 'name', Held: 'quantity', Boxed: 'null?' })
    assert.deepEqual(columnsOf(text, { Held: null, Boxed: null }), { Name: 'name', Held: null, Boxed: null })
    const both = readAll(text, { columns: { Held: 'quantity', Boxed: 'quantity' } })
    assert.deepEqual(
      [both.lines.map(({ quantity }) => quantity), both.columns.every(({ sure }) => sure)],
      [[7, 2], true],
    )
    assert.deepEqual(columnsOf('Quantity,Name,Real\n1,a,4', { Real: 'quantity' }), {
      Quantity: null,
      Name: 'name',
      Real: 'quantity',
    })
    assert.deepEqual(
      readAll(text).columns.map(({ values }) => values),
      [
        ['a', 'b'],
        ['5', '1'],
        ['2', '1'],
      ],
    )
  })

  const wrong: readonly (readonly [text: string, columns: object, error: RegExp])[] = [
    ['Name,Held\na,5', { Hold: 'quantity' }, /"Hold" is not a column: there are Name, Held/],
    [
      'Name,Held\na,5',
      { Held: 'amount' },
      new RegExp(`"amount" is not a field: there are ${fieldNames.join(', ')}, and null`),
    ],
    ['Name,Held\na,5', { Held: 'constructor' }, /"constructor" is not a field/],
    ['4 Charizard', { Held: 'quantity' }, /"Held" is not a column: the list has no header/],
  ]
  for (const [text, columns, error] of wrong) {
    it(`A choice of an unknown column or field is an error: ${JSON.stringify(columns)}`, () => {
      assert.throws(
        () => readAll(text, { columns: columns as never }),
        (thrown) => thrown instanceof TypeError && error.test(thrown.message),
      )
    })
  }
})

describe('The row of a table', () => {
  it('A row with counts of two finishes is read as two lines', () => {
    const { lines } = readAll('Count,Foil count,Special foil count,Name\n2,1,0,a\n0,3,1,b\n0,0,0,c')
    const read = lines.map(({ line, quantity, questions: [question] }) => [
      line,
      quantity,
      question!.name,
      question!.printing,
    ])
    assert.deepEqual(read, [
      [2, 1, 'a', undefined],
      [2, 1, 'a', 'Foil'],
      [3, 3, 'b', 'Foil'],
      [3, 1, 'b', 'Special Foil'],
      [4, 0, 'c', undefined],
    ])
  })
  it('A row may have quantities as spreadsheets write them', () => {
    assert.deepEqual(quantitiesOf('Qty;Name\n1,0;a\n2.0;b\n3x;c\nx4;d\n5,00;e'), [1, 2, 3, 4, 5])
    for (const quantity of ['1,5', '1,000', '-1', 'many', ''])
      assert.equal(lineOf(`Qty;Name\n${quantity};a`).questions.length, 0, quantity)
  })
  it('A row of a playset is four cards', () => {
    assert.deepEqual(quantitiesOf('idProduct;groupCount;isPlayset\n5;2;1\n5;2;'), [8, 2])
  })
  it('A row ends by LF, CRLF or CR alone', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const rows = ['Name,Qty', 'a,1', `"b${end}c",2`, '', 'd,3', '']
      const read = readAll(rows.join(end)).lines.map(({ line, quantity }) => [line, quantity])
      assert.deepEqual(
        read,
        [
          [2, 1],
          [3, 2],
          [6, 3],
        ],
        JSON.stringify(end),
      )
      assert.deepEqual(
        readAll(['1 a', '2 b', ''].join(end)).lines.map(({ line, text }) => [line, text]),
        [
          [1, '1 a'],
          [2, '2 b'],
        ],
      )
    }
  })
  it('A row of a list without a header is read by the words in its cells', () => {
    const { questions, grade, said, condition } = readAll('4;Charizard;4/102;Base Set;Holo;LP;PSA 9;German;0,50')
      .lines[0]!
    assert.deepEqual(questions, [{ name: 'Charizard', number: '4/102', set: 'Base Set', printing: 'Holo' }])
    assert.deepEqual([grade, said.language, condition], ['psa_9', 'German', 'lightly_played'])
  })
  it('A row keeps the leading zeros that a spreadsheet writes as ="004"', () => {
    assert.equal(lineOf('Name,Number\na,="004"').questions[0]!.number, '004')
  })

  const excluded: Readonly<Record<string, boolean>> = {
    'Name,Proxy\na,True': true,
    'Name,Proxy\na,False': false,
    'Name,Playtest Card\na,TRUE': true,
    'Name,Watchlist\na,true': true,
    'Name,Binder Type\na,list': true,
    'Name,Binder Type\na,deck': false,
    'Name,Binder Name\na,My wants': true,
    'Name,Folder Name\na,Proxies': true,
    'Name,Folder Name\na,Swan songs': false,
    'Name,status\na,Proxied': true,
    'Name,status\na,Not Owned': false,
    'Name,Tags\na,Proxy': true,
    'Name,Qty\na (Proxy),1': true,
    'Name,Qty\nProxy Horse,1': false,
    '1 Black Lotus (Proxy)': true,
    '1 Black Lotus proxy': true,
    '1 Proxy Horse': false,
  }
  for (const [text, isExcluded] of Object.entries(excluded)) {
    it(`A row with ${JSON.stringify(text)} is ${isExcluded ? '' : 'not '}excluded`, () => {
      const line = lineOf(text)
      assert.deepEqual([line.isExcluded, line.questions.length === 0], [isExcluded, isExcluded])
    })
  }
})

describe('The conditions in a list', () => {
  const read = (head: string, ...cells: string[]) =>
    readAll([head, ...cells.map((cell) => `a,${cell}`)].join('\n')).lines.map(({ condition, namesCondition }) =>
      namesCondition ? (condition ?? null) : undefined,
    )
  it('The usual words for conditions are read as the API’s conditions', () => {
    const words = [
      'NM',
      'Mint',
      'light played',
      'LP',
      'Slightly Played',
      'Good (Lightly Played)',
      'MP',
      'Heavily Played',
      'D',
      'heavily_played',
    ]
    const wanted = [
      'near_mint',
      'near_mint',
      'lightly_played',
      'lightly_played',
      'lightly_played',
      'lightly_played',
      'moderately_played',
      'heavily_played',
      'damaged',
      'heavily_played',
    ]
    assert.deepEqual(read('Name,Condition', ...words), wanted)
    assert.deepEqual(read('Name,Condition', 'NM', 'ok', ''), ['near_mint', null, undefined])
  })
  it('Only the best and the worst of Cardmarket’s conditions are read as conditions of the API', () => {
    for (const sign of ['EX', 'GD', 'PL', 'PO', 'Excellent', 'light_played']) {
      const wanted = ['near_mint', 'near_mint', null, null]
      assert.deepEqual(read('Name,Condition', 'NM', 'mint', 'LP', 'light played', sign).slice(0, 4), wanted, sign)
    }
    assert.deepEqual(read('Name,Condition', 'EX', 'GD', 'PL', 'PO'), [null, null, null, 'damaged'])
    const numbers = readAll(`idProduct;condition\n${[1, 2, 3, 4, 5, 6, 7].map((one) => `9;${one}`).join('\n')}`).lines
    assert.deepEqual(
      numbers.map(({ condition }) => condition),
      ['near_mint', 'near_mint', undefined, undefined, undefined, undefined, 'damaged'],
    )
    assert.deepEqual(readAll('English Name;Exp. Name;Condition\na;b;LP').lines[0]!.condition, undefined)
  })
  it('A condition may be followed by a finish and a language', () => {
    const { questions, said, condition } = lineOf('Name,Condition\na,Near Mint Reverse Holofoil - Japanese')
    assert.deepEqual([condition, questions[0]!.printing, said.language], ['near_mint', 'reverse holofoil', 'Japanese'])
  })
})

describe('The grades in a list', () => {
  const cases: Readonly<Record<string, string | undefined>> = {
    'PSA 10': 'psa_10',
    PSA10: 'psa_10',
    'PSA 10.0 GEM - MT': 'psa_10',
    'BGS 9.5': 'bgs_9_5',
    'Beckett 9,5': 'bgs_9_5',
    bgs_9_5: 'bgs_9_5',
    'CGC 10 Pristine': 'cgc_10_pristine',
    Authentic: 'authentic',
    Ungraded: undefined,
    '': undefined,
    none: undefined,
  }
  for (const [text, grade] of Object.entries(cases)) {
    it(`The grade ${JSON.stringify(text)} is read as ${grade}`, () =>
      assert.equal(lineOf(`Name,Grade\na,"${text}"\n`).grade, grade))
  }
  it('A grade is read from two columns, from the condition, or from a typed line', () => {
    assert.equal(lineOf('Name,Grade,Grading Company\na,9.5,BGS').grade, 'bgs_9_5')
    assert.equal(lineOf('Name,Condition\na,PSA 9').grade, 'psa_9')
    assert.equal(lineOf('1 Charizard 4/102 Base Set PSA 10').grade, 'psa_10')
    assert.equal(lineOf('1 Charizard (CGC 9.5)').grade, 'cgc_9_5')
  })
})

describe('A text that is no list', () => {
  const texts = {
    JSON: ['{"cards":[1]}', '[{"name":"Charizard"}]', '{"a":', '[1,2]'],
    XML: ['<?xml version="1.0"?><cards><card/></cards>', '<cards>\n<card name="a"/>'],
    HTML: ['<!doctype html><p>a', '<html><body>1 Charizard', '<table><tr><td>1'],
  }
  for (const [form, some] of Object.entries(texts)) {
    it(`A text that is no list is refused, and the error says that it is ${form}`, () => {
      for (const text of some) {
        assert.throws(
          () => readAll(text),
          (error: ListFormError) => error.code === 'NOT_A_LIST' && error.message.includes(form),
          text,
        )
      }
    })
  }
  it('The JSON of swudb and the XML of MTGO are read as lists', () => {
    const deck = { leader: { id: 'SOR_005', count: 1 }, deck: [{ id: 'SOR_095', count: 3 }] }
    assert.deepEqual(quantitiesOf(JSON.stringify(deck)), [1, 3])
    assert.deepEqual(
      quantitiesOf('<?xml version="1.0"?>\n<Deck>\n<Cards Quantity="3" Name="Fire/Ice" />\n</Deck>'),
      [3],
    )
  })
  it('Entities in the names of a .dek file of MTGO are decoded', () => {
    const name = (written: string) =>
      lineOf(`<Deck>\n<Cards Quantity="3" Name="${written}" />\n</Deck>`).questions[0]!.name
    assert.equal(name('&quot;Ach! Hans, Run!&quot;'), '"Ach! Hans, Run!"')
    assert.equal(name('Urza&apos;s Saga &amp; more'), "Urza's Saga & more")
  })
})

describe('A row with a set, a number and no name', () => {
  it('A row with a set and a number but no name is looked up by the two', () => {
    assert.deepEqual(lineOf('Set,Number,Qty\nbase1,4,2').questions, [{ set: 'base1', number: '4' }])
    assert.deepEqual(lineOf('Set,CardNumber,Count,IsFoil\nSOR,095,3,true').questions, [
      { set: 'SOR', number: '095', printing: 'Foil' },
    ])
  })
})

describe('The parts of a row’s count', () => {
  it('The conditions in a row go to its normal copies first, and then to its foils', () => {
    const { lines } = readAll(
      'Count,Foil count,Special foil count,Name,Condition\n3,1,0,a,"2xMint, 1xPoor"\n2,0,0,b,Poor\n1,0,0,c,1xMint',
    )
    assert.deepEqual(
      lines.map(({ line, quantity, condition, questions: [one] }) => [line, quantity, condition, one!.printing]),
      [
        [2, 2, 'near_mint', undefined],
        [2, 1, 'damaged', 'Foil'],
        [3, 2, 'damaged', undefined],
        [4, 1, 'near_mint', undefined],
      ],
    )
  })
})

describe('A typed line', () => {
  const [bolt, charizard] = ['Lightning Bolt', 'Charizard']
  const cases: Readonly<Record<string, readonly [quantity: number, ...questions: object[]]>> = {
    '4x Charizard ex OBF 125': [
      4,
      { name: 'Charizard ex', set: 'OBF', number: '125' },
      { name: 'Charizard ex', set: 'Obsidian Flames', number: '125' },
    ],
    '2 Marnie PR-SW 121': [2, { name: 'Marnie', set: 'SWSH', number: 'SWSH121' }],
    '1 Bidoof CRZ-GG 29 PH': [
      1,
      { name: 'Bidoof', set: 'Crown Zenith Galarian Gallery', number: 'GG29', printing: 'Reverse Holofoil' },
    ],
    '11 Basic {W} Energy Energy 29': [11, { name: 'Basic Water Energy' }, { name: 'Water Energy' }],
    '* 3 Technical Machine: Devolution PAR 177': [
      3,
      { name: 'Technical Machine: Devolution', set: 'PAR', number: '177' },
    ],
    '4xOP01-016': [4, { name: 'OP01-016' }],
    '1 Charizard 4/102 Base Set Holo': [1, { name: charizard, number: '4/102', set: 'Base Set', printing: 'Holo' }],
    '2 Monkey D. Luffy OP05': [
      2,
      { name: 'Monkey D. Luffy OP05' },
      { name: 'Monkey D. Luffy', number: 'OP05' },
      { name: 'Monkey D. Luffy', set: 'OP05' },
    ],
    '1 Lose 1 Turn': [1, { name: 'Lose 1 Turn' }, { name: 'Lose', number: '1', set: 'Turn' }],
    '99 Puppies': [99, { name: 'Puppies' }, { name: '99 Puppies' }],
    '(3) Sink Below (red)': [3, { name: 'Sink Below (red)' }],
    '3 | Boba Fett | Collecting the Bounty': [3, { name: 'Boba Fett - Collecting the Bounty' }],
    '1 X Speed': [1, { name: 'X Speed' }],
    '1 Unown [F]': [1, { name: 'Unown [F]' }],
    '1 Limit Reverse': [1, { name: 'Limit Reverse' }],
    '2 Lightning Bolt <141> [2XM] (F)': [2, { name: bolt, number: '141', set: '2XM', printing: 'Foil' }],
    '1 [2XM#141] Lightning Bolt # !Commander': [1, { name: bolt, number: '141', set: '2XM' }],
    '1x Lightning Bolt (2xm) 141 *F* [Ramp,Maybeboard{noDeck}] ^Have,#37d67a^': [
      1,
      { name: bolt, number: '141', set: '2xm', printing: 'Foil' },
    ],
    'SB: 2 Lightning Bolt': [2, { name: bolt }],
    '2 Lightning Bolt [2XM] (Foil, Near Mint, English) - $3.05': [2, { name: bolt, set: '2XM', printing: 'Foil' }],
    '1 Charizard [Base] (Normal, Lightly Played, English) - $3.05': [1, { name: charizard, set: 'Base' }],
    '3 SOR_095': [3, { name: 'SOR_095' }, { set: 'SOR', number: '095' }],
    '1 [SOR-005]': [1, { name: 'SOR-005' }, { set: 'SOR', number: '005' }],
    '1 Luke Skywalker [SOR-005]': [1, { name: 'Luke Skywalker', set: 'SOR', number: '005' }],
    '2xOP05-073_p2': [2, { name: 'OP05-073_p2' }, { name: 'OP05-073' }],
    '2 Sink Below (1)': [2, { name: 'Sink Below (1)' }, { name: 'Sink Below (Red)' }],
    'Griselbrand: 2': [2, { name: 'Griselbrand' }],
    '[Griselbrand]': [1, { name: 'Griselbrand' }],
    'COMMANDER: 1 Griselbrand': [1, { name: 'Griselbrand' }],
    '2 Urza&#39;s Saga;': [2, { name: 'Urza’s Saga'.replace('’', "'") }],
    '1 Poké Ball &amp; Pok&eacute;dex': [1, { name: 'Poké Ball & Pokédex' }],
    '1 Klink (Black Bolt) #061': [1, { name: 'Klink', set: 'Black Bolt', number: '061' }],
    '<Cards CatID="1" Quantity="3" Sideboard="false" Name="R&amp;D\'s Secret Lair" />': [
      3,
      { name: "R&D's Secret Lair" },
    ],
    '1x Lightning Bolt (Magic 2010) - 146 - Common - EX - English - 0,50 EUR': [
      1,
      { name: bolt, set: 'Magic 2010', number: '146' },
    ],
    '2 Beast Token (4/4)': [2, { name: 'Beast Token' }, { name: 'Beast' }],
    [uuid]: [1, { scryfallId: uuid }, { mtgjsonId: uuid }],
    'pokemon-base1-004': [1, { id: 'pokemon-base1-004' }],
    'Lightning Bolt NM': [1, { name: bolt }],
  }
  for (const [text, [quantity, ...wanted]] of Object.entries(cases)) {
    it(`The typed line "${text}" gives the expected quantity and questions`, () => {
      const line = lineOf(`// Deck\n${text}`)
      assert.equal(line.quantity, quantity)
      assert.deepEqual(line.questions.slice(0, wanted.length), wanted)
    })
  }

  it('A typed line that names a card is not taken for a heading', () => {
    const rows = [
      'Pokémon: 12',
      'Énergie : 3',
      'Total Cards: 60',
      'Total Cards - 60',
      '##Pokémon - 12',
      '****** Deck List ******',
      'Name: Mine',
      'Format: Classic Constructed',
      'Arena cards',
      'Made with love at the FaBrary',
      'See the full deck @ https://fabrary.net/decks/1',
      'MainDeck',
      'Leader',
      '[Sideboard]',
      '// Lands',
      'Creatures (12)',
    ]
    const { lines, headings: count } = readAll(
      [...rows, 'Hero: Cindra, Dracai of Retribution', '1 Technical Machine: Devolution'].join('\n'),
    )
    assert.deepEqual(
      [count, lines.map(({ questions: [question] }) => question!.name)],
      [rows.length, ['Cindra, Dracai of Retribution', 'Technical Machine: Devolution']],
    )
  })

  it('All passcodes of a .ydk file are reported in one message', () => {
    const { lines, headings: count } = readAll(
      '#created by Player\n#main\n89631139\n89631139\n#extra\n1234567\n!side\n46986414\n',
    )
    assert.equal(count, 4)
    assert.deepEqual(
      lines.map(({ line, quantity, questions }) => [line, quantity, questions.length]),
      [[3, 4, 0]],
    )
    assert.match(lines[0]!.text, /^4 passcodes of a \.ydk file/)
  })

  it('A line below the heading "Wants" or "Wish list" is excluded', () => {
    const { lines } = readAll('Deck\n1 a\n// Wants\n1 b\n[Wish list]\n1 c\n// Lands\n1 d')
    assert.deepEqual(
      lines.map(({ isExcluded }) => isExcluded),
      [false, true, true, false],
    )
  })

  it('A line below the heading "Tokens" is also looked up with the word "Token"', () => {
    assert.deepEqual(
      readAll('Tokens\n1 Beast').lines[0]!.questions.map(({ name }) => name),
      ['Beast', 'Beast Token', '1 Beast', '1 Beast Token'],
    )
  })

  for (const [kind, [patterns, examples]] of Object.entries(formsOf)) {
    it(`Each pattern for ${kind} is the first one that fits its example`, () => {
      assert.equal(patterns.length, examples.length)
      for (const [i, example] of examples.entries()) {
        assert.equal(
          patterns.findIndex((pattern) => pattern.test(example)),
          i,
          example,
        )
        if (patterns === ownLines) assert.ok(isHeading(example, false), example)
      }
    })
  }
})

describe('The cost of reading', () => {
  it('Each pattern reads a line of 20,000 characters in time that grows with its length alone', () => {
    const pieces = [
      'a ',
      '1 ',
      '( ',
      '[a] ',
      '(a) ',
      '# ',
      ' #a',
      '- ',
      ', ',
      '<',
      '|',
      ' | ',
      '4/',
      'A-1 ',
      'OBF 1 ',
      '*',
      '^',
      ' ^a',
      'x 1 ',
      '"',
      'Name="',
      '{',
      '[{',
      'é',
      ': ',
      'a1 ',
      ' - ',
    ]
    const patterns = Object.values(formsOf).flatMap(([some]) => some)
    // A pattern that looks at each pair of characters takes some thousand times as long as a look at each.
    const timesMax = 100
    for (const piece of pieces) {
      for (const tail of ['', '\0', ')', ' 1']) {
        const long = `1 ${piece.repeat(Math.ceil(20_000 / piece.length))}${tail}`
        for (const pattern of patterns) {
          const times = timesYardstick(
            () => pattern.test(long),
            () => [...long].indexOf('\0'),
            timesMax,
          )
          assert.ok(times < timesMax, `${times} times for ${JSON.stringify(piece)} by ${pattern}`)
        }
      }
    }
  })

  it('A caller may pause after each line of a table or a deck', () => {
    const table = `Quantity,Name,Set Code,Number,Foil,Condition,Language,Scryfall ID,Purchase price,Kind\n${Array.from({ length: 10_000 }, (_, i) => `1,"Card, the ${i}th",abc,${i},foil,near_mint,en,${uuid},0.5,k${i}`).join('\n')}`
    const deck = Array.from({ length: 10_000 }, (_, i) => `4x Card of number ${i} (2XM) ${i} *F* #tag`).join('\n')
    for (const text of [table, deck]) {
      let [last, forward] = [0, 0]
      for (const count of readList(text)) {
        assert.ok(count - last <= 1, `from line ${last} to ${count} without a pause`)
        if (count > last) forward++
        last = count
      }
      assert.ok(forward >= 9999 && last >= 9999, `${forward}, ${last}`)
    }
  })
})
