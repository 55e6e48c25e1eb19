import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, templateOf } from '../../../test/catalogs.ts';
import { curveOf } from '../chains/curve.ts';
import type { CardPackConfig, GachaConfig, RoguelikeConfig } from './config.ts';
import { counterFaults, setCounters, shownCounters } from './counters.ts';
import { followTemplate } from './odds.ts';
import { viewState } from './rolling.ts';
import { initialState, type PityState } from './state.ts';
import type { CompiledTemplate } from './templates.ts';
import { pityWaits, waitForTop } from './waiting.ts';

const catalog = catalogOf({ five: 3, four: 4, three: 6 });
const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
const gacha: GachaConfig = {
  ...{ baseRates, pityThreshold: 90, softPity: [{ from: 74, add: 0.06 }], pities: [{ tier: 'four', threshold: 10 }] },
  ...{ featuredItemIds: ['five-2'], featuredShare: 0.5, guaranteeAfterLosses: 1 },
};
const pack: CardPackConfig = { ...{ baseRates, pityThreshold: 8 }, slots: [{ count: 5 }] } as CardPackConfig;
const offer: RoguelikeConfig = { baseRates, pityThreshold: 6, choices: 3 };

const waited = (five: number): PityState => ({ counters: [{ tier: 'five', since: five }], losses: 0 });
const templates: Readonly<Record<string, CompiledTemplate>> = {
  gacha: templateOf('gacha', gacha, catalog),
  'gacha without pity': templateOf('gacha', { baseRates }, catalog),
  packs: templateOf('card_pack', pack, catalog),
  'packs without pity': templateOf('card_pack', { ...pack, pityThreshold: undefined } as CardPackConfig, catalog),
  offers: templateOf('roguelike', offer, catalog),
};

describe('a wait for the top tier', () => {
  for (const [name, template] of Object.entries(templates))
    test(`on ${name} is as likely as the curve of exact odds says`, () => {
      const limits = { points: 200, rolls: 89, chance: 0.9999 };
      const curve = curveOf(followTemplate(template)(template.tiers.top), limits);
      assert.ok(curve.length >= 4);
      for (const { roll, chance } of curve) {
        const { chance: none } = waitForTop(template, waited(roll));
        assert.ok(Math.abs((none ?? -1) - (1 - chance)) < 1e-12, `${roll}: ${none} is not ${1 - chance}`);
      }
      assert.equal(waitForTop(template, waited(0)).chance, 1);
    });

  test('ends for certain with the roll whose rate is 1', () => {
    for (const [name, template] of Object.entries(templates))
      for (let since = 0; since < 95; since += 1) {
        const { certainWithin } = waitForTop(template, waited(since));
        const rateIn = (rolls: number): number =>
          viewState(template, { ...initialState(), pity: waited(since + rolls - 1) }, 0).next[0]?.rate ?? 0;
        if (certainWithin === null) assert.ok(rateIn(1) < 1, name);
        else {
          assert.equal(rateIn(certainWithin), 1, `${name} after ${since}`);
          if (certainWithin > 1) assert.ok(rateIn(certainWithin - 1) < 1, `${name} after ${since}`);
        }
      }
    assert.equal(waitForTop(templates.gacha as CompiledTemplate, waited(81)).certainWithin, 9);
  });

  test('that the odds do not allow has no chance', () => {
    for (const name of ['gacha', 'packs', 'offers'])
      assert.equal(waitForTop(templates[name] as CompiledTemplate, waited(95)).chance, 0, name);
  });

  test('is of no known chance if that depends on the depth', () => {
    const scaled = templateOf('roguelike', { ...offer, depthScaling: { five: 1.1 } }, catalog);
    assert.deepEqual(waitForTop(scaled, waited(2)), { since: 2, chance: null, certainWithin: 4 });
  });

  test('takes no longer for a million rolls', () => {
    const { chance } = waitForTop(templates['gacha without pity'] as CompiledTemplate, waited(1_000_000));
    assert.equal(chance, (1 - 0.006) ** 1_000_000);
  });
});

test('lower tiers are certain within their own pities', () => {
  const counters = [
    { tier: 'five', since: 3 },
    { tier: 'four', since: 7 },
  ];
  const template = templates.gacha as CompiledTemplate;
  assert.deepEqual(pityWaits(template, { counters, losses: 0 }), [{ tier: 'four', certainWithin: 3 }]);
  assert.deepEqual(pityWaits(templates.packs as CompiledTemplate, { counters, losses: 0 }), []);
});

describe('counters that are set', () => {
  const template = templates.gacha as CompiledTemplate;
  test('are shown, and leave the others as they are, also those of other templates in a pity group', () => {
    const counters = [
      { tier: 'elsewhere', since: 5 },
      { tier: 'five', since: 1 },
    ];
    const before = { own: { rolls: 9, sparkPoints: 9, idle: null }, pity: { counters, losses: 1 } };
    const after = setCounters(template, before, { sinceTop: 80, pities: [{ tier: 'four', since: 2 }] });
    assert.deepEqual(shownCounters(template, after), {
      ...{ rolls: 9, sinceTop: 80, losses: 1, sparkPoints: 9 },
      pities: [{ tier: 'four', since: 2 }],
    });
    assert.deepEqual(
      after.pity.counters.map(({ tier, since }) => `${tier} ${since}`),
      ['elsewhere 5', 'five 80', 'four 2'],
    );
  });

  for (const [path, wanted] of [
    ['/sinceTop', { sinceTop: 90 }],
    ['/losses', { losses: 2 }],
    ['/pities/0/tier', { pities: [{ tier: 'three', since: 0 }] }],
    ['/pities/0/tier', { pities: [{ tier: 'five', since: 0 }] }],
    ['/pities/0/since', { pities: [{ tier: 'four', since: 10 }] }],
    [
      '/pities/1/tier',
      {
        pities: [
          { tier: 'four', since: 1 },
          { tier: 'four', since: 1 },
        ],
      },
    ],
  ] as const)
    test(`must be possible: ${JSON.stringify(wanted)}`, () =>
      assert.deepEqual(
        counterFaults(template, wanted).map((fault) => fault.path),
        [path],
      ));

  test('may be whatever rolls can lead to', () => {
    const wanted = { sinceTop: 89, losses: 1, sparkPoints: 5, pities: [{ tier: 'four', since: 9 }] };
    assert.deepEqual(counterFaults(template, wanted), []);
    assert.deepEqual(counterFaults(templates['gacha without pity'] as CompiledTemplate, { sinceTop: 1_000_000 }), []);
    assert.deepEqual(
      counterFaults(templateOf('gacha', {}, catalog), { sinceTop: 1, losses: 1 }).map(({ path }) => path),
      ['/sinceTop', '/losses'],
    );
  });
});
