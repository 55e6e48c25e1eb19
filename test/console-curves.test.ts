import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { curveOf, type Waited } from '../console/src/pages/templates/curve.ts';
import { compileCatalog } from '../src/engine/pool/catalog.ts';
import type { GachaConfig, TemplateConfig, TemplateType } from '../src/engine/systems/config.ts';
import { type ItemRow, type TemplateOdds, type TierRow, templateOdds } from '../src/engine/systems/odds.ts';
import { catalogOf, item, option, templateOf } from './catalogs.ts';

const ROLLS = 2000;
const TIERS = ['a', 'b', 'c'];
const catalog = compileCatalog(
  TIERS.map((id) => option(id)),
  [
    ...[1, 2, 5].map((weight) => item(`a-${weight}`, ['a'], weight)),
    ...[3, 4].map((weight) => item(`b-${weight}`, ['b'], weight)),
    item('b-never', ['b'], 0),
    item('c-1', ['c']),
  ],
);

const softPity = fc.option(
  fc.integer({ min: 1, max: 3 }).map((from) => [
    { from, add: 0.05 },
    { from: from + 2, add: 0.2 },
  ]),
  { nil: undefined },
);
const pity = fc.record({
  tier: fc.constantFrom('b', 'c'),
  threshold: fc.integer({ min: 2, max: 6 }),
  softPity,
  higherResets: fc.boolean(),
});
const gacha = fc
  .record({
    rates: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 6 }), fc.integer({ min: 7, max: 9 })),
    pityThreshold: fc.integer({ min: 0, max: 7 }),
    softPity,
    pities: fc.uniqueArray(pity, { maxLength: 2, selector: ({ tier }) => tier }),
    featuredItemIds: fc.constantFrom(['a-1'], ['a-1', 'a-5', 'b-3'], ['a-1', 'a-2', 'a-5']),
    featuredShare: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
    guaranteeAfterLosses: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    rateUpMultiplier: fc.option(fc.constant(3), { nil: undefined }),
  })
  .map(({ rates, ...rest }): GachaConfig => {
    const baseRates = Object.fromEntries(TIERS.map((tier, place) => [tier, rates[place] ?? 0]));
    return { ...rest, baseRates, pityTier: 'a' };
  });

/** Every tier and every item, with the odds that the service discloses. */
const rowsOf = ({ tiers, items }: TemplateOdds) => [
  ...tiers.map((row, tier) => ({ row, name: row.name, waited: { tier } as Waited })),
  ...items.map((row) => ({ row, name: row.itemId, waited: { itemId: row.itemId } as Waited })),
];

const curveAnd = (type: TemplateType, config: TemplateConfig, odds: TemplateOdds, waited: Waited) =>
  curveOf(type, config as never, { tiers: [...odds.tiers], items: [...odds.items] }, waited, { rolls: ROLLS });

/** A curve has the mean, the median and the end of the exact odds. */
const agree = (curve: readonly number[], row: TierRow | ItemRow, what: string): void => {
  const leftAfter = (roll: number): number => (roll === 0 ? 1 : 1 - (curve[roll - 1] ?? 1));
  const { expectedRolls, medianRolls, worstRolls } = row;
  const last = leftAfter(curve.length);
  const taken = 1 - last / leftAfter(curve.length - 1);
  if (expectedRolls === null) {
    assert.ok(last > 1e-6 && Math.abs(taken) < 1e-9, `${what} comes at last`);
    return;
  }
  let mean = last > 1e-12 ? last / taken : 0;
  for (let roll = 0; roll < curve.length; roll += 1) mean += leftAfter(roll);
  assert.ok(Math.abs(mean - expectedRolls) <= 1e-7 * expectedRolls, `${what}: mean ${mean}, not ${expectedRolls}`);
  if (last < 0.4) assert.equal(curve.findIndex((share) => share >= 0.5 - 1e-12) + 1, medianRolls, `${what}: median`);
  if (worstRolls !== null) assert.ok(leftAfter(worstRolls) < 1e-12 && leftAfter(worstRolls - 1) > 0, `${what}: worst`);
};

test('curves of banners have the mean, the median and the maximum of the exact odds', () => {
  let drawn = 0;
  fc.assert(
    fc.property(gacha, (config) => {
      const odds = templateOdds(templateOf('gacha', config, catalog));
      for (const { row, name, waited } of rowsOf(odds)) {
        const curve = curveAnd('gacha', config, odds, waited);
        if (curve === undefined) continue;
        drawn += 1;
        agree(curve, row, `${name} of ${JSON.stringify(config)}`);
      }
    }),
    { seed: 7, numRuns: 60 },
  );
  assert.ok(drawn > 60 * 8, `only ${drawn} curves`);
});

test('curves of packs and offers do, too, and are missing where a pity changes the odds in an unknown way', () => {
  const packs = catalogOf({ five: 4, four: 4, three: 8 });
  const baseRates = { five: 0.05, four: 0.15, three: 0.8 };
  for (const [type, config] of [
    ['card_pack', { baseRates, slots: [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }], unique: true }],
    ['roguelike', { baseRates, choices: 3, featuredItemIds: ['five-2'], rateUpMultiplier: 4 }],
  ] as const) {
    const odds = templateOdds(templateOf(type, config, packs));
    for (const { row, name, waited } of rowsOf(odds)) {
      const curve = curveAnd(type, config, odds, waited);
      assert.ok(curve, `${name} of ${type}`);
      agree(curve, row, `${name} of ${type}`);
    }
    const due = { ...config, pityThreshold: 10 };
    const oddsWithPity = templateOdds(templateOf(type, due, packs));
    const [top, ...others] = rowsOf(oddsWithPity).map(({ waited }) => curveAnd(type, due, oddsWithPity, waited));
    agree(top ?? [], oddsWithPity.tiers[0] as TierRow, `top tier of ${type} with pity`);
    assert.deepEqual([top?.[9], others.every((curve) => curve === undefined)], [1, true]);
  }
});

test('a curve ends when enough players have it, and is missing for an unknown item', () => {
  const config = { baseRates: { a: 0.1, b: 0.2, c: 0.7 } };
  const { tiers, items } = templateOdds(templateOf('gacha', config, catalog));
  const odds = { tiers: [...tiers], items: [...items] };
  const curve = curveOf('gacha', config, odds, { tier: 0 }, { rolls: 1000, enough: 0.999 });
  assert.equal(curve?.length, Math.ceil(Math.log(0.001) / Math.log(0.9)));
  assert.equal(curveOf('gacha', config, odds, { itemId: 'nobody' }, { rolls: 10 }), undefined);
});
