import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, item, option } from '../../../test/catalogs.ts';
import { type Catalog, compileCatalog } from '../pool/catalog.ts';
import { bindTiers, referencedIds } from './binding.ts';
import type {
  CardPackConfig,
  GachaConfig,
  IdleConfig,
  RoguelikeConfig,
  TemplateConfig,
  TemplateType,
} from './config.ts';
import { bindTemplate, compileTemplate } from './templates.ts';

const catalog = catalogOf({ five: 2, four: 3, three: 5, none: 0 });
const baseRates = { five: 0.006, four: 0.051, three: 0.943 };

const faultsOf = (type: TemplateType, config: TemplateConfig, of: Catalog = catalog): [string, string][] =>
  bindTemplate({ id: 't', type, config }, of).faults.map(({ path, message }) => [path, message]);

/** A configuration and the paths of its errors. */
type Case<C> = [statement: string, config: C, paths: string[]];

const rejects = <C extends TemplateConfig>(
  type: TemplateType,
  cases: readonly Case<C>[],
  of: Catalog = catalog,
): void => {
  for (const [statement, config, paths] of cases) {
    test(paths.length === 0 ? `accepts ${statement}` : `rejects ${statement}`, () => {
      assert.deepEqual(
        faultsOf(type, config, of).map(([path]) => path),
        paths,
      );
    });
  }
};

describe('binding', () => {
  const options = [
    option('a', 'rarity', 'Five'),
    option('b', 'rarity', 'Four'),
    option('c', 'element', 'Four'),
    option('Five', 'odd', 'x'),
    option('d', 'rarity', '__proto__'),
  ];
  const named = compileCatalog(options, []);

  test('binds ids and unique names, ids before names', () => {
    const config: GachaConfig = { baseRates: { x: 1, a: 2 }, pityTier: 'Five' };
    assert.deepEqual(bindTiers('gacha', config, named), { bindings: { x: 'Five', a: 'a', Five: 'Five' }, faults: [] });
  });

  test('reports unknown and ambiguous names, and two keys for one option, each with its path', () => {
    const config: GachaConfig = {
      baseRates: { 'no/such~tier': 1, Four: 1, x: 1, Five: 1 },
      pities: [{ tier: 'gone', threshold: 3 }],
    };
    const { bindings, faults } = bindTiers('gacha', config, named);
    assert.deepEqual(bindings, { x: 'Five', Five: 'Five' });
    assert.deepEqual(faults, [
      { path: '/baseRates/no~1such~0tier', message: 'does not match any classifier option' },
      { path: '/baseRates/Four', message: 'is the name of 2 classifier options; use an id' },
      { path: '/baseRates/Five', message: 'is the same classifier option as "x"' },
      { path: '/pities/0/tier', message: 'does not match any classifier option' },
    ]);
  });

  test('is safe for names of built-in members', () => {
    const config = { baseRates: JSON.parse('{ "__proto__": 1, "constructor": 2 }') };
    const { bindings, faults } = bindTiers('gacha', config, named);
    assert.deepEqual(Object.entries(bindings), [['__proto__', 'd']]);
    assert.deepEqual(
      faults.map(({ path }) => path),
      ['/baseRates/constructor'],
    );
  });

  test('includes the tiers of slots and of depth scaling', () => {
    const pack: CardPackConfig = { baseRates: { a: 1 }, slots: [{ count: 1 }, { count: 1, rates: { x: 1 } }] };
    assert.deepEqual(bindTiers('card_pack', pack, named).bindings, { a: 'a', x: 'Five' });
    assert.deepEqual(bindTiers('roguelike', { depthScaling: { x: 1 } }, named).bindings, { x: 'Five' });
  });

  test('lists every option and item that a configuration refers to', () => {
    const config: CardPackConfig = {
      baseRates: { x: 1 },
      pool: { classifierOptionIds: ['b'], itemIds: ['i2'] },
      featuredItemIds: ['i1', 'i2'],
      slots: [{ count: 1, classifierOptionIds: ['c', 'b'] }],
    };
    const { bindings } = bindTiers('card_pack', config, named);
    assert.deepEqual(referencedIds(config, bindings), { optionIds: ['Five', 'b', 'c'], itemIds: ['i1', 'i2'] });
  });
});

describe('members of all types', () => {
  rejects<GachaConfig>('gacha', [
    ['rates that are bound', { baseRates }, []],
    ['no rates at all', {}, []],
    ['a tier at rate 0 that is empty', { baseRates: { ...baseRates, none: 0 } }, []],
    ['rates that are all 0', { baseRates: { five: 0, four: 0 } }, ['/baseRates']],
    ['rates that add up to too little', { baseRates: { five: 1e-290 } }, ['/baseRates']],
    ['a tier with a rate and no item', { baseRates: { ...baseRates, none: 1 } }, ['/baseRates/none']],
    ['a tier that the pool leaves empty', { baseRates, pool: { itemIds: ['five-1', 'three-1'] } }, ['/baseRates/four']],
    ['an empty pool', { pool: { itemIds: [] } }, ['/pool']],
    [
      'unknown ids',
      { pool: { classifierOptionIds: ['five', 'gone'], itemIds: ['five-1', 'gone'] }, featuredItemIds: ['gone'] },
      ['/pool/classifierOptionIds/1', '/pool/itemIds/1', '/pool', '/featuredItemIds/0'],
    ],
    [
      'featured items outside the pool',
      { baseRates: { five: 1 }, featuredItemIds: ['five-1', 'four-1'] },
      ['/featuredItemIds/1'],
    ],
    [
      'a rate-up of 0 that empties a tier',
      { baseRates: { five: 1 }, featuredItemIds: ['five-1', 'five-2'], rateUpMultiplier: 0 },
      ['/baseRates/five'],
    ],
    [
      'all errors at once',
      {
        baseRates: { five: 1, gone: 1, none: 1 },
        softPity: [
          { from: 2, add: 1 },
          { from: 2, add: 1 },
        ],
        pityTier: 'three',
      },
      ['/baseRates/gone', '/baseRates/none', '/pityTier', '/softPity/1/from'],
    ],
  ]);

  test('rejects an item in two tiers, once per pair', () => {
    const both = compileCatalog(
      [option('five'), option('fire')],
      [item('a', ['five', 'fire']), item('b', ['five', 'fire']), item('c', ['fire'])],
    );
    assert.deepEqual(faultsOf('gacha', { baseRates: { five: 1, fire: 2 } }, both), [
      ['/baseRates/five', 'shares the item "a" with the tier "fire"'],
    ]);
  });

  test('rejects a template without tiers on an empty catalog', () => {
    assert.deepEqual(faultsOf('gacha', {}, compileCatalog([], [])), [['', 'the pool has no item that can be rolled']]);
  });

  test('rejects weights beyond the precision of doubles', () => {
    const heavy = compileCatalog([option('five')], [item('a', ['five'], 1e308), item('b', ['five'], 1e308)]);
    assert.deepEqual(
      faultsOf('gacha', { baseRates: { five: 1 } }, heavy).map(([path]) => path),
      ['/baseRates/five'],
    );
  });

  test('rejects an end that is not after its start', () => {
    for (const [startsAtMs, endsAtMs, paths] of [
      [5, 5, ['/endsAt']],
      [5, 6, []],
      [5, null, []],
    ] as const) {
      const { faults } = bindTemplate({ id: 't', type: 'gacha', config: {}, startsAtMs, endsAtMs }, catalog);
      assert.deepEqual(
        faults.map(({ path }) => path),
        paths,
      );
    }
  });

  test('reports a catalog that was broken later with the same messages', () => {
    const config = { baseRates };
    const { bindings } = bindTiers('gacha', config, catalog);
    const later = catalogOf({ five: 2, four: 0, three: 5 });
    const { faults } = compileTemplate({ id: 't', type: 'gacha', config, bindings }, later);
    assert.deepEqual(faults, bindTemplate({ id: 't', type: 'gacha', config }, later).faults);
    assert.deepEqual(faults, [{ path: '/baseRates/four', message: 'has no item that can be rolled' }]);
  });
});

describe('gacha', () => {
  const soft = [{ from: 74, add: 0.06 }];
  rejects<GachaConfig>('gacha', [
    ['a banner', { baseRates, pityThreshold: 90, softPity: soft, pities: [{ tier: 'four', threshold: 10 }] }, []],
    ['a pity tier that is no tier', { baseRates: { five: 1 }, pityTier: 'four' }, ['/pityTier']],
    ['a pity tier without named tiers', { pityTier: 'four' }, ['/pityTier']],
    ['a pity tier at rate 0 that is empty', { baseRates: { five: 1, none: 0 }, pityTier: 'none' }, ['/pityTier']],
    ['a pity on an empty top tier', { baseRates: { five: 1, none: 0 }, pityThreshold: 3 }, ['/pityThreshold']],
    ['a soft pity on an empty top tier', { baseRates: { five: 1, none: 0 }, softPity: soft }, ['/softPity']],
    ['a second pity for the top tier', { baseRates, pities: [{ tier: 'five', threshold: 9 }] }, ['/pities/0/tier']],
    [
      'a pity of an unknown tier',
      { baseRates: { five: 1, four: 2 }, pities: [{ tier: 'three', threshold: 9 }] },
      ['/pities/0/tier'],
    ],
    [
      'a tier with two pities',
      {
        baseRates,
        pities: [
          { tier: 'four', threshold: 9 },
          { tier: 'three', threshold: 2 },
          { tier: 'four', threshold: 8 },
        ],
      },
      ['/pities/2/tier'],
    ],
    [
      'segments out of order',
      {
        baseRates,
        pities: [
          {
            tier: 'four',
            threshold: 9,
            softPity: [
              { from: 3, add: 0.1 },
              { from: 2, add: 0.1 },
            ],
          },
        ],
      },
      ['/pities/0/softPity/1/from'],
    ],
    [
      'a share without a featured item',
      { baseRates, featuredShare: 0.5, guaranteeAfterLosses: 1 },
      ['/featuredShare', '/guaranteeAfterLosses'],
    ],
    [
      'a share whose featured item is in another tier',
      { baseRates, featuredShare: 0.5, featuredItemIds: ['four-1'] },
      ['/featuredShare'],
    ],
    ['a share with a featured item', { baseRates, featuredShare: 0.5, featuredItemIds: ['five-1'] }, []],
    ['4,000 states', { baseRates, pityThreshold: 1000, pities: [{ tier: 'four', threshold: 4 }] }, []],
    [
      'more than 4,000 states',
      { baseRates, pityThreshold: 1000, pities: [{ tier: 'four', threshold: 5 }] },
      ['/pities'],
    ],
    ['a soft pity that takes forever', { baseRates, softPity: [{ from: 1, add: 1e-9 }] }, ['/softPity']],
  ]);
});

describe('card packs', () => {
  const elements = compileCatalog(
    [option('five'), option('three'), option('fire', 'element'), option('ice', 'element')],
    [
      item('a', ['five', 'fire']),
      item('b', ['five', 'fire']),
      item('c', ['three', 'fire']),
      item('d', ['three', 'ice']),
      item('e', ['three', 'ice'], 0),
    ],
  );
  const rates = { five: 1, three: 3 };
  rejects<CardPackConfig>(
    'card_pack',
    [
      ['the default slots', { baseRates: rates }, []],
      ['rates of its own', { baseRates: rates, slots: [{ count: 2, rates: { five: 1 } }] }, []],
      ['no slots', { baseRates: rates, slots: [] }, ['/slots']],
      ['more than 20 cards', { baseRates: rates, slots: [{ count: 15 }, { count: 6 }] }, ['/slots']],
      [
        'slot rates of an unknown tier',
        { baseRates: { five: 1 }, slots: [{ count: 1, rates: { five: 1, three: 1 } }] },
        ['/slots/0/rates/three'],
      ],
      ['slot rates without named tiers', { slots: [{ count: 1, rates: { five: 1 } }] }, ['/slots/0/rates/five']],
      [
        'slot rates that are all 0',
        { baseRates: rates, slots: [{ count: 1 }, { count: 1, rates: { five: 0 } }] },
        ['/slots/1/rates'],
      ],
      [
        'a slot filter with an unknown option',
        { baseRates: rates, slots: [{ count: 1, classifierOptionIds: ['gone', 'fire'] }] },
        ['/slots/0/classifierOptionIds/0', '/slots/0/classifierOptionIds', '/slots/0/classifierOptionIds'],
      ],
      [
        'a slot filter that empties a tier',
        { baseRates: rates, slots: [{ count: 1, classifierOptionIds: ['ice'] }] },
        ['/slots/0/classifierOptionIds'],
      ],
      [
        'a slot filter that empties a tier without a rate there',
        { baseRates: rates, slots: [{ count: 1, rates: { three: 1 }, classifierOptionIds: ['ice'] }] },
        [],
      ],
      [
        'a slot filter that splits a tier',
        { baseRates: rates, slots: [{ count: 1, classifierOptionIds: ['fire'] }] },
        [],
      ],
      [
        'a unique pack whose filter splits a tier',
        { baseRates: rates, unique: true, slots: [{ count: 1, classifierOptionIds: ['fire'] }] },
        ['/slots/0/classifierOptionIds'],
      ],
      ['a unique pack of all items', { baseRates: rates, unique: true, slots: [{ count: 4 }] }, []],
      ['a unique pack of more', { baseRates: rates, unique: true, slots: [{ count: 5 }] }, ['/slots/0']],
      [
        'a unique slot that earlier cards can empty',
        { baseRates: rates, unique: true, slots: [{ count: 2 }, { count: 1, rates: { five: 1 } }] },
        ['/slots/1'],
      ],
      [
        'a unique slot that earlier cards cannot empty',
        { baseRates: rates, unique: true, slots: [{ count: 1 }, { count: 1, rates: { five: 1 } }] },
        [],
      ],
      [
        'a unique slot that later cards need not spare',
        { baseRates: rates, unique: true, slots: [{ count: 2, rates: { five: 1 } }, { count: 2 }] },
        [],
      ],
      [
        'a pity without a slot for the top tier',
        { baseRates: rates, pityThreshold: 3, slots: [{ count: 1, rates: { three: 1 } }] },
        ['/pityThreshold'],
      ],
      [
        'a pity with a slot for the top tier',
        {
          baseRates: rates,
          pityThreshold: 3,
          slots: [
            { count: 1, rates: { five: 1 } },
            { count: 1, rates: { three: 1 } },
          ],
        },
        [],
      ],
    ],
    elements,
  );
});

describe('roguelike', () => {
  rejects<RoguelikeConfig>('roguelike', [
    ['three choices', { baseRates, depthScaling: { five: 1.1 } }, []],
    ['as many choices as items', { baseRates: { five: 1, four: 2 }, choices: 5 }, []],
    ['more choices than items', { baseRates: { five: 1, four: 2 }, choices: 6 }, ['/choices']],
    ['more choices than items of a rate', { baseRates: { five: 0, four: 2 }, choices: 4 }, ['/choices']],
    [
      'depth scaling of an unknown tier',
      { baseRates: { five: 1, four: 2 }, depthScaling: { three: 1.1 } },
      ['/depthScaling/three'],
    ],
    [
      'depth scaling of an empty tier',
      { baseRates: { four: 2, none: 0 }, depthScaling: { none: 1.1 } },
      ['/depthScaling/none'],
    ],
    ['a pity on an empty top tier', { baseRates: { four: 2, none: 0 }, pityThreshold: 2 }, ['/pityThreshold']],
  ]);
});

describe('idle', () => {
  rejects<IdleConfig>('idle', [
    ['a chest', { baseRates, rollsPerHour: 0.5 }, []],
    ['six decimals', { baseRates, rollsPerHour: 0.123456 }, []],
    ['seven decimals', { baseRates, rollsPerHour: 0.1234567 }, ['/rollsPerHour']],
    ['less than a roll in a day', { baseRates, rollsPerHour: 0.04 }, ['/rollsPerHour']],
    ['less than a roll in all', { baseRates, rollsPerHour: 0.1, maxHours: 9.9 }, ['/maxHours']],
    ['a roll to the millisecond', { baseRates, rollsPerHour: 0.1, maxHours: 10 }, []],
  ]);
});
