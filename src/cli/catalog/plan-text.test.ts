import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Change, Plan, PlanRequest, PoolOdds } from './api.ts';
import { findNames } from './names.ts';
import { percents, relativeChange } from './odds-table.ts';
import { formatEffect, formatPlan, type Style } from './plan-text.ts';
import type { Service } from './service.ts';
import { type Colour, widthOf } from './terminal.ts';

const CLASSIFIERS = [
  {
    id: 'rarity',
    name: 'Rarity',
    classifierOptions: ['Common', 'Rare', 'Epic'].map((name) => ({ id: `o-${name}`, name, dropRateMultiplier: null })),
  },
];

/** A service that has nothing but names, and remembers what it was asked for. */
const serviceWith = (asked: string[] = []): Service => {
  const found = <T>(what: string, value: T) => {
    asked.push(what);
    return value;
  };
  return {
    classifiers: async () => found('classifiers', CLASSIFIERS),
    attributes: async () => found('attributes', [{ id: 'damage', name: 'Damage' }]),
    item: async (id: string) => found(`item ${id}`, id === 'gem' ? { id, name: 'Gem of Dawn' } : undefined),
  } as unknown as Service;
};

const plain = (columns = 80, isVerbose = false): Style => ({
  terminal: { columns, paint: (_: Colour, text: string) => text },
  isVerbose,
});

const planOf = (more: Partial<Plan>): Plan => ({
  baseVersion: 17,
  changes: [],
  faults: [],
  warnings: [],
  odds: [],
  ...more,
});

const lines = async (plan: Plan, style = plain(), request?: PlanRequest): Promise<string[]> =>
  formatPlan(plan, await findNames(plan, serviceWith(), request), style);

const item = (more: object = {}) => ({
  id: 'sword',
  name: 'Sword',
  ...{ thumbnail: null, rollNumerator: 100, width: 1, height: 1, classifierOptionIds: [], itemAttributes: [] },
  ...more,
});

const update = (kind: Change['kind'], before: object, after: object): Change =>
  ({ kind, id: (before as { id: string }).id, action: 'update', before, after }) as Change;

/** The lines below the name of the one entity that changed. */
const detailsOf = async (change: Change, style?: Style): Promise<string[]> =>
  (await lines(planOf({ changes: [change] }), style)).slice(2, -2).map((line) => line.slice(6));

describe('a plan', () => {
  test('is grouped by kind, with creations, changes and deletions, and summed up', async () => {
    const change = (kind: Change['kind'], id: string, action: Change['action'], entity: object): Change =>
      ({
        kind,
        id,
        action,
        before: action === 'create' ? null : entity,
        after: action === 'delete' ? null : entity,
      }) as Change;
    const option = (name: string, dropRateMultiplier: number | null) => ({ id: name, name, dropRateMultiplier });
    const plan = planOf({
      changes: [
        change('attribute', 'luck', 'create', { id: 'luck', name: 'Luck', min: 0, max: 10, step: 0.5 }),
        change('classifier', 'kind', 'create', {
          id: 'kind',
          name: 'Kind',
          classifierOptions: [option('Weapon', null), option('Relic', 0.01)],
        }),
        change('space', 'bag', 'create', { id: 'bag', name: 'Bag', cols: 10, rows: 6 }),
        change('item', 'axe', 'delete', item({ id: 'axe', name: 'Axe' })),
        change(
          'item',
          'bow',
          'create',
          item({
            ...{
              id: 'bow',
              name: 'bow',
              rollNumerator: 50,
              width: 2,
              height: 3,
              classifierOptionIds: ['o-Epic', 'Relic'],
            },
            itemAttributes: [{ id: 'x', attributeId: 'damage', min: 1, max: 5 }],
          }),
        ),
        change('template', 'dawn', 'create', {
          ...{ id: 'dawn', name: 'Dawn', type: 'gacha', bindings: {} },
          config: { baseRates: { 'o-Epic': 0.1 }, softPity: [{ from: 74, add: 0.06 }] },
        }),
      ],
    });
    assert.deepEqual(await lines(plan), [
      'Attributes',
      '  + Luck (luck)',
      '      0 to 10, step 0.5',
      '',
      'Classifiers',
      '  + Kind (kind)',
      '      Weapon, Relic ×0.01',
      '',
      'Spaces',
      '  + Bag (bag)',
      '      10 × 6',
      '',
      'Items',
      '  + bow',
      '      rollNumerator 50, 2 × 3, Epic, Relic, Damage 1 to 5',
      '  - Axe (axe)',
      '',
      'Templates',
      '  + Dawn (dawn)',
      '      gacha',
      '      config.baseRates.Epic:   + 0.1',
      '      config.softPity[0].from: + 74',
      '      config.softPity[0].add:  + 0.06',
      '',
      'Plan: 5 to create, 0 to change, 1 to delete; no odds change.',
    ]);
  });

  test('shows each member of an item that changes, with names', async () => {
    const before = item({
      classifierOptionIds: ['o-Common', 'gone'],
      itemAttributes: [
        { id: 'x', attributeId: 'damage', min: 1, max: 5 },
        { id: 'y', attributeId: 'unknown', min: 2, max: 2 },
      ],
    });
    const after = item({
      ...{
        name: 'Sword of Dawn',
        rollNumerator: 120.5,
        thumbnail: '',
        classifierOptionIds: ['o-Epic', 'o-Rare', 'gone'],
      },
      itemAttributes: [{ id: 'x', attributeId: 'damage', min: 2, max: 6 }],
    });
    assert.deepEqual(await detailsOf(update('item', before, after)), [
      'name:          Sword → Sword of Dawn',
      'thumbnail:     none → ""',
      'rollNumerator: 100 → 120.5',
      'Rarity:        - Common',
      'Rarity:        + Epic',
      'Rarity:        + Rare',
      'Damage:        1 to 5 → 2 to 6',
      'unknown:       - 2',
    ]);
    assert.deepEqual(await detailsOf(update('item', before, { ...before, classifierOptionIds: ['o-Epic', 'gone'] })), [
      'Rarity: Common → Epic',
    ]);
    assert.deepEqual(
      await detailsOf(update('item', before, { ...before, classifierOptionIds: ['gone', 'o-Common'] })),
      ['options: in another order'],
    );
    const [first, second] = before.itemAttributes as object[];
    assert.deepEqual(
      await detailsOf(update('item', before, { ...before, itemAttributes: [{ ...first, id: 'z' }, second] })),
      ['itemAttributes: changed'],
    );
  });

  test('shows the options of a classifier that change', async () => {
    const option = (id: string, name: string, dropRateMultiplier: number | null) => ({ id, name, dropRateMultiplier });
    const before = {
      id: 'c',
      name: 'C',
      classifierOptions: [option('1', 'A', 1), option('2', 'B', null), option('3', 'D', 2)],
    };
    const after = {
      ...before,
      classifierOptions: [option('2', 'Better', 0.5), option('1', 'A', null), option('4', 'New', 0.1)],
    };
    assert.deepEqual(await detailsOf(update('classifier', before, after)), [
      'option B: B ×1 (default) → Better ×0.5',
      'option A: ×1 → ×1 (default)',
      'option:   + New ×0.1',
      'option:   - D ×2',
      'options:  in another order',
    ]);
  });

  test('shows the paths of a configuration that change, with names of tiers and items', async () => {
    const template = (config: object, bindings: object = {}) => ({
      id: 't',
      name: 'T',
      type: 'gacha',
      config,
      bindings,
    });
    const before = template(
      {
        pityThreshold: 90,
        baseRates: { 'o-Epic': 0.1, Rare: 0.9 },
        pities: [{ tier: 'o-Rare', threshold: 5 }],
        featuredItemIds: ['old', 'kept'],
      },
      { Rare: 'o-Rare' },
    );
    const after = template(
      {
        baseRates: { 'o-Epic': 0.2, Rare: 0.9 },
        pities: [
          { tier: 'o-Epic', threshold: 5 },
          { tier: 'x', threshold: 1 },
        ],
        featuredItemIds: ['kept', 'gem'],
        unique: true,
      },
      { Rare: 'o-Epic', 'o-Epic': 'o-Epic' },
    );
    assert.deepEqual(await detailsOf(update('template', before, after)), [
      'config.pityThreshold:       - 90',
      'config.baseRates.Epic:      0.1 → 0.2',
      'config.pities[0].tier:      Rare → Epic',
      'config.pities[1].tier:      + x',
      'config.pities[1].threshold: + 1',
      'config.featuredItemIds:     - old',
      'config.featuredItemIds:     + Gem of Dawn',
      'config.unique:              + true',
      'bindings.Rare:              Rare → Epic',
    ]);
  });

  test('puts long values below each other, and shows where they differ', async () => {
    const url = `https://cdn.example/${'x'.repeat(200)}`;
    const details = await detailsOf(
      update('item', item({ thumbnail: `${url}/a.png` }), item({ thumbnail: `${url}/b.png` })),
    );
    assert.equal(details.length, 3);
    assert.equal(details[0], 'thumbnail:');
    assert.match(details[1] as string, /^ {2}- …x+\/a\.png$/);
    assert.match(details[2] as string, /^ {2}\+ …x+\/b\.png$/);
  });

  test('fits its width, whatever things are called', async () => {
    const name = '剣'.repeat(191);
    const change = update(
      'item',
      item({ name }),
      item({ name: `${name.slice(1)}x`, classifierOptionIds: [name], width: 2 }),
    );
    const odds = [poolOf({ name, items: [{ itemId: 'a', itemName: name, before: 0.1, after: 0.2 }] })];
    const finding = { kind: 'item', id: 'sword', path: '/name', message: `${name} is bad` } as const;
    const plan = planOf({ changes: [change], odds, warnings: [finding], oddsLeftOut: [{ pool: 'x', name }] });
    for (const columns of [80, 100])
      for (const line of await lines(plan, plain(columns))) assert.ok(widthOf(line) <= columns, line);
  });

  test('never prints control characters', async () => {
    const name = 'a\u001b[2J\u009b\n\u202e';
    const change = update('item', item({ name }), item({ classifierOptionIds: [name], thumbnail: name }));
    const template = update(
      'template',
      { id: 't', name, type: 'gacha', config: {} },
      { id: 't', name, type: 'gacha', config: { [name]: name } },
    );
    const finding = { kind: null, id: null, path: name, message: name };
    const plan = planOf({
      changes: [change, template],
      ...{ faults: [finding], warnings: [finding], oddsLeftOut: [{ pool: name, name }] },
      odds: [
        poolOf({
          name,
          tiers: [{ tier: name, name, before: 0, after: 1 }],
          items: [{ itemId: name, itemName: name, before: 0, after: 1 }],
        }),
      ],
    });
    const text = (await lines(plan, plain(80, true))).join('');
    assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
    assert.match(text, /a\\u001b\[2J\\u009b\\u000a\\u202e/);
  });

  test('marks creations, changes and deletions with colours', async () => {
    const style: Style = {
      terminal: { columns: 80, paint: (colour, text) => `<${colour} ${text}>` },
      isVerbose: false,
    };
    const changed = update('item', item(), item({ width: 2, classifierOptionIds: ['o-Epic'] }));
    const text = await lines(
      planOf({
        changes: [
          { ...changed, before: null, action: 'create' },
          changed,
          { ...changed, after: null, action: 'delete' },
        ],
        faults: [{ kind: null, id: null, path: '', message: 'is bad' }],
      }),
      style,
    );
    for (const line of [
      '<bold Items>',
      '  <green + Sword (sword)>',
      '  <yellow ~ Sword (sword)>',
      '  <red - Sword (sword)>',
      '      Rarity: <green + Epic>',
      '<red Faults>',
    ])
      assert.ok(text.includes(line), `${line} in\n${text.join('\n')}`);
  });

  test('names what faults and warnings are about, once', async () => {
    const text = await lines(
      planOf({
        changes: [update('item', item(), item({ width: 2 }))],
        faults: [
          { kind: 'item', id: 'sword', path: '/width', message: 'must be >= 1' },
          { kind: 'item', id: 'sword', path: '', message: 'Sword has instances' },
          { kind: 'item', id: 'axe', path: '/name', message: 'is required' },
          { kind: null, id: null, path: '', message: 'is too large' },
        ],
        warnings: [{ kind: 'template', id: 'dawn', path: '/config', message: 'w '.repeat(50).trim() }],
        odds: [poolOf({})],
      }),
      plain(),
      { items: [item({ id: 'axe', name: 'Axe' })] },
    );
    assert.deepEqual(text.slice(4), [
      'Faults',
      '  item Sword (sword) /width: must be >= 1',
      '  item sword: Sword has instances',
      '  item Axe (axe) /name: is required',
      '  is too large',
      '',
      'Warnings',
      `  template Dawn (dawn) /config: ${'w '.repeat(23).trim()}`,
      `    ${'w '.repeat(27).trim()}`,
      '',
      'Plan: 0 to create, 1 to change, 0 to delete; it cannot be published: 4 faults.',
    ]);
  });

  test('shows the odds of every pool that changes, and names those that are left out', async () => {
    const odds = [
      poolOf({
        tiers: [
          { tier: 'o-Epic', name: 'Epic', before: 0.006, after: 0.007 },
          { tier: 'o-Rare', name: 'Rare', before: 0.994, after: 0.993 },
        ],
        items: [
          { itemId: 'a', itemName: 'Axe', before: 0.006, after: 0.007 },
          { itemId: 'b1', itemName: 'Bow', before: 0.00001234, after: null },
          { itemId: 'b2', itemName: 'Bow', before: null, after: 0.5 },
        ],
        featuredMean: { before: 93.446, after: 86.95 },
        worst: { before: 90, after: 80 },
      }),
    ];
    const plan = planOf({
      changes: [update('item', item(), item({ width: 2 }))],
      ...{ odds, oddsLeftOut: [{ pool: 'big', name: 'Big' }], players: { withState: 1204 } },
    });
    assert.deepEqual((await lines(plan)).slice(4), [
      'Odds: Dawn (dawn)',
      '                 before    after  change',
      '  Tiers',
      '    Epic       0.600%     0.700%  +16.7%',
      '    Rare      99.40%     99.30%   -0.10%',
      '  Items',
      '    Axe        0.600%     0.700%  +16.7%',
      '    Bow (b1)   0.00123%   –         gone',
      '    Bow (b2)   –         50.00%      new',
      '  Until a featured item, on average: 93.4 → 87.0 rolls',
      '  Until the rarest tier, at most: 90 → 80 rolls',
      '',
      'Odds that change, too, but are too much to compute at once',
      '  Big (big)',
      '',
      'Players with counters on templates that this changes: 1,204',
      '',
      'Plan: 0 to create, 1 to change, 0 to delete; odds of 2 pools change.',
    ]);
  });

  test('shows the largest changes of a pool, and says how many more there are', async () => {
    const items = Array.from({ length: 30 }, (_, at) => ({
      itemId: `i${at}`,
      itemName: `Item ${at}`,
      before: 0.1,
      after: 0.2,
    }));
    const changes = [update('item', item(), item({ width: 2 }))];
    const shown = async (moreItems: number, isVerbose = false) =>
      (await lines(planOf({ changes, odds: [poolOf({ items, moreItems })] }), plain(80, isVerbose))).filter((line) =>
        /^ {4}(Item|…)/.test(line),
      );
    const some = await shown(0);
    assert.equal(some.length, 21);
    assert.equal(some.at(-1), '    … and 10 more items; --verbose shows all of them');
    assert.equal((await shown(5)).at(-1), '    … and 15 more items; --verbose shows the first 30');
    assert.equal((await shown(0, true)).length, 30);
    assert.equal((await shown(1, true)).at(-1), '    … and 1 more item');
  });

  test('shows a limited number of entities, unless it is verbose', async () => {
    const changes = Array.from({ length: 60 }, (_, at) =>
      update('item', item({ id: `i${at}` }), item({ id: `i${at}`, width: 2 })),
    );
    const some = await lines(planOf({ changes }));
    assert.equal(some.filter((line) => line.startsWith('  ~ Sword')).length, 50);
    assert.ok(some.includes('  ~ … and 10 more; --verbose shows them'));
    assert.equal(
      (await lines(planOf({ changes }), plain(80, true))).filter((line) => line.startsWith('  ~ Sword')).length,
      60,
    );
  });

  test('without changes says so', async () => {
    assert.deepEqual(await lines(planOf({})), ['Nothing to do: version 17 of the catalog is like this already.']);
  });

  test('asks the service for names only where it has none itself', async () => {
    const askedFor = async (...changes: Change[]) => {
      const asked: string[] = [];
      await findNames(planOf({ changes }), serviceWith(asked));
      return asked;
    };
    assert.deepEqual(await askedFor(update('item', item(), item({ width: 2 }))), []);
    assert.deepEqual(await askedFor(update('item', item(), item({ classifierOptionIds: ['o-Epic'] }))), [
      'classifiers',
    ]);
    const attribute = { id: 'damage', name: 'Damage', min: 0, max: 1, step: null };
    const carrying = update(
      'item',
      item(),
      item({ itemAttributes: [{ id: 'x', attributeId: 'damage', min: 0, max: 1 }] }),
    );
    assert.deepEqual(await askedFor(carrying), ['attributes']);
    assert.deepEqual(await askedFor(carrying, update('attribute', attribute, { ...attribute, max: 2 })), []);
  });
});

const poolOf = (more: Partial<PoolOdds>): PoolOdds => ({
  ...{ pool: 'dawn', name: 'Dawn', tiers: [], items: [], moreItems: 0, featuredMean: null, worst: null },
  ...more,
});

describe('a version', () => {
  test('is shown like a plan, in the past', () => {
    const names = { options: new Map(), attributes: new Map(), items: new Map(), find: () => undefined };
    const changes = [
      update('space', { id: 'bag', name: 'Bag', cols: 1, rows: 1 }, { id: 'bag', name: 'Bag', cols: 2, rows: 1 }),
    ];
    assert.deepEqual(formatEffect({ changes }, names, plain()), [
      'Spaces',
      '  ~ Bag (bag)',
      '      cols: 1 → 2',
      '',
      '0 created, 1 changed, 0 deleted.',
    ]);
  });
});

describe('odds', () => {
  test('have as many digits as it takes', () => {
    for (const [before, after, texts] of [
      [0.006, 0.007, ['0.600%', '0.700%']],
      [0.5, 0.25, ['50.00%', '25.00%']],
      [0.12471, 0.12466, ['12.471%', '12.466%']],
      [0.1, 0.1 + 1e-9, ['10.0000000%', '10.0000001%']],
      [0.00001234, null, ['0.00123%', '–']],
      [0, 1, ['0%', '100.00%']],
      [1e-17, 2e-17, ['1.00e-15%', '2.00e-15%']],
      [null, null, ['–', '–']],
    ] as const)
      assert.deepEqual(percents({ before, after }), texts);
  });

  test('change in relation to what they were', () => {
    for (const [before, after, text] of [
      [0.1, 0.11, '+10.0%'],
      [0.1, 0.05, '-50.0%'],
      [0.1, 0.10001, '+0.010%'],
      [0.001, 0.0245, '×24.5'],
      [null, 0.1, 'new'],
      [0, 0.1, 'new'],
      [0.1, 0, 'gone'],
      [0.1, null, 'gone'],
      [0.1, 0.1, ''],
      [null, 0, ''],
    ] as const)
      assert.equal(relativeChange({ before, after }), text);
  });
});
