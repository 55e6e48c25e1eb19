import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { CatalogDocument, Item } from './api.ts';
import { columnsOf } from './columns.ts';
import { readCsv, unescapeFormula } from './csv.ts';
import { decodeCsv } from './items.ts';
import { itemsFromCsv, itemsToCsv } from './items-csv.ts';

const EMPTY: CatalogDocument = {
  formatVersion: 1,
  attributes: [],
  classifiers: [],
  spaces: [],
  items: [],
  templates: [],
};

const item = (id: string, more: Partial<Item> = {}): Item => ({
  id,
  name: id.toUpperCase(),
  ...{ thumbnail: null, rollNumerator: 100, width: 1, height: 1, classifierOptionIds: [], itemAttributes: [] },
  ...more,
});

const DOCUMENT: CatalogDocument = {
  ...EMPTY,
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: ['Common', 'Rare', 'Epic'].map((name) => ({
        id: name.toLowerCase(),
        name,
        dropRateMultiplier: null,
      })),
    },
    {
      id: 'element',
      name: 'Element',
      classifierOptions: ['Fire', 'Ice'].map((name) => ({ id: name.toLowerCase(), name, dropRateMultiplier: null })),
    },
  ],
  attributes: [
    { id: 'damage', name: 'Damage', min: 0, max: 100, step: null },
    { id: 'speed', name: 'Speed', min: 0, max: 10, step: 0.5 },
  ],
  items: [
    item('sword', {
      name: 'Sword',
      classifierOptionIds: ['fire', 'rare', 'ice'],
      itemAttributes: [{ id: 'x', attributeId: 'damage', min: -1.5, max: 3 }],
    }),
    item('axe', { thumbnail: 'axe.png' }),
  ],
};

/** The items that a file changes, from lines that are joined. */
const read = (...lines: string[]): Item[] => itemsFromCsv(lines.join('\r\n'), DOCUMENT, () => 'new');
const [sword, axe] = DOCUMENT.items as [Item, Item];

/** Names that are hard on CSV, on spreadsheets, or on the titles of columns. */
const AWKWARD = [
  ...[
    '=1+1',
    "'=1+1",
    "''-x",
    '-5',
    '+x',
    '@y',
    '\tTab',
    '\rCR',
    '\nLF',
    '"quoted"',
    "'",
    'a,b',
    'a;b',
    ';',
    'a;b (c0)',
  ],
  ...['line\nbreak', 'line\r\nbreak', ' leading', 'trailing ', ' ', 'Ärger ß', '剣 👾', '\ufeffmark', '1.5', '1,5'],
  ...[
    'id',
    'name',
    'width',
    'Power',
    'Power min',
    'Power max',
    'Power (a0)',
    'Power (c0)',
    'Power (a0) min',
    '(c0)',
    '(o0-0)',
  ],
];
const name = fc.oneof(
  { arbitrary: fc.constantFrom(...AWKWARD), weight: 4 },
  { arbitrary: fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), weight: 1 },
);
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

const catalog: fc.Arbitrary<CatalogDocument> = fc
  .record({
    classifiers: fc.array(fc.array(name, { maxLength: 4 }), { maxLength: 3 }),
    names: fc.array(name, { minLength: 6, maxLength: 6 }),
  })
  .chain(({ classifiers, names }) => {
    const optionIds = classifiers.flatMap((options, at) => options.map((_, index) => `o${at}-${index}`));
    const attributeIds = ['a0', 'a1', 'a2'];
    const itemOf = fc.record({
      name,
      thumbnail: fc.option(fc.oneof(name, fc.constant(''))),
      rollNumerator: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      width: fc.integer({ min: 1, max: 20 }),
      height: fc.integer({ min: 1, max: 20 }),
      classifierOptionIds: fc.shuffledSubarray(optionIds),
      itemAttributes: fc
        .shuffledSubarray(attributeIds)
        .chain((ids) =>
          fc.tuple(
            ...ids.map((attributeId) =>
              fc
                .record({ min: number, max: number })
                .map((range) => ({ id: `i-${attributeId}`, attributeId, ...range })),
            ),
          ),
        ),
    });
    return fc.array(itemOf, { maxLength: 5 }).map((items) => ({
      ...EMPTY,
      classifiers: classifiers.map((options, at) => ({
        id: `c${at}`,
        name: names[at] as string,
        classifierOptions: options.map((option, index) => ({
          id: `o${at}-${index}`,
          name: option,
          dropRateMultiplier: null,
        })),
      })),
      attributes: attributeIds.map((id, at) => ({ id, name: names[3 + at] as string, min: 0, max: 1, step: null })),
      items: items.map((one, at) => ({ id: `i${at}`, ...one })),
    }));
  });

/** An item without what CSV leaves open: the order of options and attributes, and an empty thumbnail. */
const essence = (one: Item) => ({
  ...one,
  thumbnail: one.thumbnail || null,
  classifierOptionIds: [...one.classifierOptionIds].sort(),
  itemAttributes: one.itemAttributes
    .map(({ attributeId, min, max }) => ({ attributeId, min: min + 0, max: max + 0 }))
    .sort((left, right) => (left.attributeId < right.attributeId ? -1 : 1)),
});

/** The same file as a spreadsheet program of another country would save it. */
const asEuropean = (text: string, document: CatalogDocument): string => {
  const { find } = columnsOf(document);
  const [header = [], ...rows] = readCsv(text, ',');
  const isNumber = header.map((title) => {
    const column = find(unescapeFormula(title));
    return column?.type === 'bound' || ['rollNumerator', 'width', 'height'].includes(column?.title ?? '');
  });
  const cells = [header, ...rows.map((row) => row.map((cell, at) => (isNumber[at] ? cell.replace('.', ',') : cell)))];
  return cells.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';')).join('\n');
};

describe('items as CSV', () => {
  test('come back unchanged', () => {
    fc.assert(
      fc.property(catalog, (document) => {
        const text = itemsToCsv(document);
        for (const variant of [text, `\ufeff${text}`, text.trimEnd(), asEuropean(text, document)])
          assert.deepEqual(itemsFromCsv(variant, document), []);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });

  test('can be made anew from it', () => {
    fc.assert(
      fc.property(catalog, (document) => {
        const text = itemsToCsv(document);
        for (const variant of [text, asEuropean(text, document)])
          assert.deepEqual(itemsFromCsv(variant, { ...document, items: [] }).map(essence), document.items.map(essence));
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test('have a column for each field, classifier and bound', () => {
    assert.equal(
      itemsToCsv(DOCUMENT),
      [
        'id,name,thumbnail,rollNumerator,width,height,description,data,currency,spend,Rarity,Element,Damage min,Damage max,Speed min,Speed max',
        'sword,Sword,,100,1,1,,,,,Rare,"Fire;Ice",-1.5,3,,',
        'axe,AXE,axe.png,100,1,1,,,,,,,,,,',
        '',
      ].join('\r\n'),
    );
  });

  test('have descriptions as they are, and data as JSON', () => {
    const told = item('told', { description: '=Forged, at "first" light', data: { quests: [7], '☘': null } });
    const csv = itemsToCsv({ ...EMPTY, items: [told] });
    assert.match(csv, /told,TOLD,,100,1,1,"'=Forged, at ""first"" light","\{""quests"":\[7\],""☘"":null\}"/);
    assert.deepEqual(itemsFromCsv(csv, { ...EMPTY, items: [told] }), []);
    assert.deepEqual(itemsFromCsv(csv, EMPTY), [told]);
    const [emptied] = itemsFromCsv('id,description,data\ntold,,', { ...EMPTY, items: [told] });
    assert.deepEqual(emptied, item('told'));
    for (const cell of ['7', '[]', 'null', '{', '"text"'])
      assert.throws(
        () => itemsFromCsv(`id;data\ntold;${cell}`, { ...EMPTY, items: [told] }),
        /column "data": is not a JSON object/,
      );
  });

  test('say what is a currency', () => {
    const gem = item('gem', { currency: true, spend: 'paidFirst' });
    const csv = itemsToCsv({ ...EMPTY, items: [gem] });
    assert.match(csv, /\r\ngem,GEM,,100,1,1,,,true,paidFirst\r\n/);
    assert.deepEqual(itemsFromCsv(csv, { ...EMPTY, items: [gem] }), []);
    assert.deepEqual(itemsFromCsv('id,currency,spend\ngem,TRUE,paidFirst', { ...EMPTY, items: [item('gem')] }), [gem]);
    for (const cell of ['FALSE', ''])
      assert.deepEqual(itemsFromCsv(`id,currency,spend\ngem,${cell},`, { ...EMPTY, items: [gem] }), [item('gem')]);
    assert.throws(
      () => itemsFromCsv('id,currency\ngem,yes', { ...EMPTY, items: [gem] }),
      /column "currency": is neither true nor false/,
    );
  });

  test('are told apart by ids where names are not enough', () => {
    const options = [
      { id: 'o1', name: 'A;B', dropRateMultiplier: null },
      { id: 'o2', name: 'C', dropRateMultiplier: null },
      { id: 'o3', name: 'C', dropRateMultiplier: null },
    ];
    const document: CatalogDocument = {
      ...EMPTY,
      classifiers: [
        { id: 'c1', name: 'Kind', classifierOptions: options },
        { id: 'c2', name: 'Kind', classifierOptions: [] },
        { id: 'c3', name: 'width', classifierOptions: [] },
      ],
      items: [item('a', { classifierOptionIds: ['o1', 'o3'] })],
    };
    assert.equal(
      itemsToCsv(document),
      'id,name,thumbnail,rollNumerator,width,height,description,data,currency,spend,Kind (c1),Kind (c2),width (c3)\r\na,A,,100,1,1,,,,,"A,B (o1);C (o3)",,\r\n',
    );
    assert.throws(() => itemsFromCsv('id,Kind\na,C', document), /"Kind" could be any of "Kind \(c1\)", "Kind \(c2\)"/);
    assert.throws(
      () => itemsFromCsv('id,Kind (c1)\na,C', document),
      /row 2, column "Kind \(c1\)": "C" could be "C \(o2\)" or "C \(o3\)"/,
    );
  });

  test('keep what a file does not have', () => {
    assert.deepEqual(read('id,rollNumerator', 'sword,12.5'), [{ ...sword, rollNumerator: 12.5 }]);
    assert.deepEqual(read('id,name', 'sword,Sword'), []);
    assert.deepEqual(read('Damage max,id', '4,sword'), [
      { ...sword, itemAttributes: [{ id: 'x', attributeId: 'damage', min: -1.5, max: 4 }] },
    ]);
  });

  test('lose what is empty in it', () => {
    assert.deepEqual(read('id,thumbnail', 'axe,'), [{ ...axe, thumbnail: null }]);
    assert.deepEqual(read('id,Element', 'sword,'), [{ ...sword, classifierOptionIds: ['rare'] }]);
    assert.deepEqual(read('id,Damage min,Damage max', 'sword,,'), [{ ...sword, itemAttributes: [] }]);
  });

  test('get other options in the places of the old ones', () => {
    const optionsFrom = (cell: string) => read('id,Element', `sword,${cell}`)[0]?.classifierOptionIds;
    assert.deepEqual(optionsFrom('Ice;Fire'), ['ice', 'rare', 'fire']);
    assert.deepEqual(optionsFrom(' Ice ; Ice;'), ['ice', 'rare']);
    assert.deepEqual(read('id,Rarity', 'sword,Epic;Common')[0]?.classifierOptionIds, ['fire', 'epic', 'ice', 'common']);
  });

  test('are created if their id is new or empty', () => {
    assert.deepEqual(read('id,name,Rarity,Speed min,Speed max,width', ',Bow,Epic,1,2,', 'hammer,Hammer,,,,2'), [
      item('new', {
        name: 'Bow',
        classifierOptionIds: ['epic'],
        itemAttributes: [{ attributeId: 'speed', min: 1, max: 2 }],
      }),
      item('hammer', { name: 'Hammer', width: 2 }),
    ]);
  });

  test('are read from what spreadsheets make of them', () => {
    assert.deepEqual(read('\ufeffid;name;rollNumerator;;', 'sword;"Schwert; ""ä""\r\nneu";0,5;;', ';;;;', ''), [
      { ...sword, name: 'Schwert; "ä"\r\nneu', rollNumerator: 0.5 },
    ]);
    assert.deepEqual(read('id,name', "sword,'=1+1", "axe,''=1+1"), [
      { ...sword, name: '=1+1' },
      { ...axe, name: "'=1+1" },
    ]);
    // Without the empty cells at the end of a row.
    assert.deepEqual(read('id,name,thumbnail', 'axe,Blade'), [{ ...axe, name: 'Blade', thumbnail: null }]);
  });

  describe('are refused', () => {
    for (const [what, lines, message] of [
      ['without ids', ['name', 'Sword'], /the column "id" is missing/],
      ['in an empty file', [''], /the column "id" is missing/],
      ['with an unknown column', ['id,colour', 'sword,red'], /there is no column "colour" \(cell 2 of the header\)/],
      ['with a column twice', ['id,name,name', 'sword,a,b'], /the column "name" is there twice/],
      [
        'with an unknown option',
        ['id,Rarity', 'axe,', 'sword,Epic;Epc'],
        /^row 3, column "Rarity": there is no option "Epc"$/,
      ],
      ['with letters for a number', ['id,width', 'sword,two'], /^row 2, column "width": "two" is not a number$/],
      ['with a decimal comma between commas', ['id,width', 'sword,"0,5"'], /"0,5" is not a number/],
      ['with a number that could be two', ['id;rollNumerator', 'sword;1.500'], /"1.500" could be two numbers/],
      ['with one id twice', ['id,name', 'sword,a', 'sword,b'], /^row 3, column "id": "sword" is in row 2, too$/],
      ['without a name for a new one', ['id,width', 'bow,1'], /^row 2: a new item needs a name$/],
      ['with an empty name', ['id,name', ',', 'bow,'], /^row 3, column "name": a new item needs a name$/],
      ['without a number', ['id,width', 'sword,'], /^row 2, column "width": must not be empty$/],
      [
        'with half a range',
        ['id,Damage min,Damage max', 'sword,1,'],
        /column "Damage max": min and max must both be there/,
      ],
      ['with half of the columns of a range', ['id,Speed min', 'sword,1'], /the file needs both min and max/],
      ['with cells beyond the header', ['id,name', 'sword,a,b'], /^row 2: cell 3 has no title in the header$/],
      ['with an open quote', ['id,name', 'sword,"a'], /row 2, cell 2: a quoted cell has no end/],
    ] as const)
      test(what, () => {
        assert.throws(() => read(...lines), { message });
      });

    test('with all that is wrong at once', () => {
      assert.throws(
        () => read('id,width,Rarity', 'sword,x,y', 'axe,z,'),
        (error: Error) => {
          assert.equal(error.message.split('\n').length, 3);
          return true;
        },
      );
    });

    test('in another encoding than UTF-8', () => {
      assert.throws(() => decodeCsv(Buffer.from('id,name\nsword,Schl\u00e4gel', 'latin1')), /not UTF-8/);
      assert.equal(decodeCsv(Buffer.from('\ufeffä')), '\ufeffä');
    });
  });
});
