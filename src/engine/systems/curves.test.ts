import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogOf, item, option, templateOf } from '../../../test/catalogs.ts';
import { LIMITS } from '../../shared/limits.ts';
import { curveOf } from '../chains/curve.ts';
import { compileCatalog } from '../pool/catalog.ts';
import type { CardPackConfig, GachaConfig, SoftPitySegment, TemplateConfig, TemplateType } from './config.ts';
import { followTemplate, templateOddsAndCurve } from './odds.ts';

const TIERS = ['a', 'b', 'c'];
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ 'a-1': 1, 'a-2': 2, 'a-5': 5 },
  ...{ 'b-3': 3, 'b-4': 4, 'b-never': 0 },
  'c-1': 1,
};
const tierOf = (id: string): string => id.charAt(0);
const catalog = compileCatalog(
  TIERS.map((id) => option(id)),
  Object.entries(WEIGHTS).map(([id, weight]) => item(id, [tierOf(id)], weight)),
);

/** Chances of exclusive outcomes. */
type Outcomes<T> = readonly (readonly [outcome: T, chance: number])[];

const choose = (ids: readonly string[], weightOf = (id: string): number => WEIGHTS[id] ?? 0): Outcomes<string> => {
  const total = ids.reduce((sum, id) => sum + weightOf(id), 0);
  return total === 0 ? [] : ids.map((id) => [id, weightOf(id) / total] as const);
};

/** Follows a roll state by state, each of which is worked out once. States are compared as JSON. */
const byHand = <T, S>(rolls: number, first: S, roll: (state: S) => Outcomes<readonly [outcome: T, after: S]>) => {
  const known = new Map<string, Outcomes<readonly [outcome: T, after: string]>>();
  const rollFrom = (key: string) => {
    const outcomes =
      known.get(key) ??
      roll(JSON.parse(key)).map(([[outcome, after], chance]) => [[outcome, JSON.stringify(after)], chance] as const);
    known.set(key, outcomes);
    return outcomes;
  };
  /** The chance of a hit by roll 1, 2 and so on. */
  return (isHit: (outcome: T) => boolean): number[] => {
    let states = new Map([[JSON.stringify(first), 1]]);
    let chance = 0;
    return Array.from({ length: rolls }, () => {
      const next = new Map<string, number>();
      for (const [key, mass] of states)
        for (const [[outcome, after], share] of rollFrom(key))
          if (isHit(outcome)) chance += mass * share;
          else next.set(after, (next.get(after) ?? 0) + mass * share);
      states = next;
      return chance;
    });
  };
};

/** The chances of every tier and item, as the odds follow them. */
const followed = (type: TemplateType, config: TemplateConfig, rolls: number) => {
  const template = templateOf(type, config, catalog);
  const follow = followTemplate(template);
  const chances = (place: number, index?: number): number[] =>
    curveOf(follow(place, index), { points: rolls, rolls, chance: 2 }).map(({ chance }) => chance);
  return new Map(
    template.tiers.all.flatMap(({ optionId, items }, place) => [
      [optionId as string, chances(place)] as const,
      ...items.map(({ id }, index) => [id, chances(place, index)] as const),
    ]),
  );
};

const assertNear = (found: readonly number[], expected: readonly number[], what: string): void => {
  assert.equal(found.length, expected.length);
  for (const [index, chance] of expected.entries())
    assert.ok(Math.abs((found[index] ?? 2) - chance) < 1e-9, `${what}, roll ${index + 1}: ${found[index]}, ${chance}`);
};

describe('curves of banners', () => {
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

  const softened = (segments: readonly SoftPitySegment[] | undefined, k: number): number => {
    let sum = 0;
    for (let roll = 1; roll <= k; roll += 1) sum += segments?.findLast(({ from }) => from <= roll)?.add ?? 0;
    return sum;
  };

  /** The rates of a roll, rarest tier first. */
  const ratesOf = (config: GachaConfig, since: readonly number[]): number[] => {
    const shares = TIERS.map((tier) => config.baseRates?.[tier] ?? 0);
    const total = shares.reduce((sum, share) => sum + share, 0);
    let [left, base] = [1, 1];
    return TIERS.map((tier, rank) => {
      const own = config.pities?.find((one) => one.tier === tier);
      const { threshold, softPity } = rank === 0 ? { ...config, threshold: config.pityThreshold } : { ...own };
      const k = (since[rank] ?? 0) + 1;
      const share = (shares[rank] ?? 0) / total;
      const isDue = rank === 2 || (threshold ? k >= threshold : false);
      const rate = left * (isDue ? 1 : Math.min(1, (share + softened(softPity, k)) / base));
      left -= rate;
      base -= share;
      return rate;
    });
  };

  /** The items that a result of a tier can be. */
  const itemsOf = (config: GachaConfig, tier: string, losses: number): Outcomes<string> => {
    const { featuredItemIds = [], featuredShare: share, guaranteeAfterLosses: most, rateUpMultiplier = 1 } = config;
    const ids = Object.keys(WEIGHTS).filter((id) => tierOf(id) === tier);
    const featured = ids.filter((id) => featuredItemIds.includes(id));
    const others = ids.filter((id) => !featuredItemIds.includes(id));
    if (tier === 'a' && most !== undefined && losses >= most) return choose(featured);
    if (tier === 'a' && share !== undefined) {
      if (others.length === 0) return choose(featured);
      const scaled = (by: number, of: Outcomes<string>): Outcomes<string> => of.map(([id, part]) => [id, by * part]);
      return [...scaled(share, choose(featured)), ...scaled(1 - share, choose(others))];
    }
    return choose(ids, (id) => (WEIGHTS[id] ?? 0) * (featured.includes(id) ? rateUpMultiplier : 1));
  };

  /** Longer than any pity of these tests. */
  const MOST = 12;

  const bannerByHand = (config: GachaConfig, rolls: number) =>
    byHand(rolls, { since: [0, 0, 0], losses: 0 }, ({ since, losses }) =>
      ratesOf(config, since).flatMap((rate, rank) => {
        const after = since.map((count, place) => {
          const pity = config.pities?.find(({ tier }) => tier === TIERS[place]);
          const isReset = place === rank || (pity?.higherResets && rank < place);
          // The counter of a tier without a pity makes no difference.
          return isReset || (place > 0 && pity === undefined) ? 0 : Math.min(count + 1, MOST);
        });
        return itemsOf(config, TIERS[rank] as string, losses).map(([id, part]) => {
          const lost = config.featuredItemIds?.includes(id)
            ? 0
            : Math.min(losses + 1, config.guaranteeAfterLosses ?? 0);
          return [[id, { since: after, losses: rank === 0 ? lost : losses }], rate * part] as const;
        });
      }),
    );

  test('are those of the rules, followed state by state', () => {
    fc.assert(
      fc.property(gacha, (config) => {
        const chancesOf = bannerByHand(config, 24);
        for (const [target, chances] of followed('gacha', config, 24))
          assertNear(
            chances,
            chancesOf((id) => id === target || tierOf(id) === target),
            `${target} of ${JSON.stringify(config)}`,
          );
      }),
      { seed: 7, numRuns: 40 },
    );
  });

  test('are the same for an idle chest', () => {
    const config = { baseRates: { a: 1, b: 2, c: 7 }, pityThreshold: 5, pities: [{ tier: 'b', threshold: 3 }] };
    assert.deepEqual(followed('idle', { ...config, rollsPerHour: 1 }, 9), followed('gacha', config, 9));
  });
});

describe('curves of packs and offers', () => {
  const baseRates = { a: 0.1, b: 0.3, c: 0.6 };
  const slots = [{ count: 2 }, { count: 1, rates: { a: 1, b: 4 } }];

  /** Every pack that can be drawn, card by card. */
  const packsByHand = (
    { slots: ofPack = [], unique = false }: CardPackConfig,
    isDue: boolean,
    cards: readonly string[] = [],
  ): Outcomes<readonly string[]> => {
    const rates = ofPack.flatMap(({ count, rates = baseRates }) => Array<Record<string, number>>(count).fill(rates));
    if (cards.length === rates.length) return [[cards, 1]];
    const left = Object.keys(WEIGHTS).filter((id) => (WEIGHTS[id] ?? 0) > 0 && !(unique && cards.includes(id)));
    const isForced = isDue && cards.length === rates.length - 1 && !cards.some((id) => tierOf(id) === 'a');
    const rateOf = (tier: string): number =>
      isForced ? Number(tier === 'a') : left.some((id) => tierOf(id) === tier) ? (rates[cards.length]?.[tier] ?? 0) : 0;
    const total = TIERS.reduce((sum, tier) => sum + rateOf(tier), 0);
    return TIERS.filter((tier) => rateOf(tier) > 0).flatMap((tier) =>
      choose(left.filter((id) => tierOf(id) === tier)).flatMap(([id, part]) =>
        packsByHand({ slots: ofPack, unique }, isDue, [...cards, id]).map(
          ([pack, chance]) => [pack, (chance * part * rateOf(tier)) / total] as const,
        ),
      ),
    );
  };

  const assertByHand = (type: TemplateType, config: TemplateConfig, pack: CardPackConfig): void => {
    const threshold = config.pityThreshold || Number.POSITIVE_INFINITY;
    const [fresh, due] = [false, true].map((isDue) => packsByHand(pack, isDue)) as [
      Outcomes<readonly string[]>,
      Outcomes<readonly string[]>,
    ];
    const chancesOf = byHand(15, 0, (since) =>
      (since + 1 >= threshold ? due : fresh).map(([cards, chance]) => {
        const after = cards.some((id) => tierOf(id) === 'a') ? 0 : Math.min(since + 1, 20);
        return [[cards, after], chance] as const;
      }),
    );
    for (const [target, chances] of followed(type, config, 15)) {
      const expected = chancesOf((cards) => cards.some((id) => id === target || tierOf(id) === target));
      assertNear(chances, expected, `${target} of ${type} ${JSON.stringify(config)}`);
    }
  };

  for (const pityThreshold of [0, 1, 2, 5]) {
    for (const unique of [false, true])
      test(`are those of ${unique ? 'unique ' : ''}packs, dealt one by one, with pity ${pityThreshold}`, () => {
        const config = { baseRates, slots, unique, pityThreshold };
        assertByHand('card_pack', config, config);
      });
    test(`are those of offers, made one by one, with pity ${pityThreshold}`, () => {
      assertByHand('roguelike', { baseRates, choices: 3, pityThreshold }, { slots: [{ count: 3 }], unique: true });
    });
  }
});

describe('the curve of the top tier', () => {
  const pool = catalogOf({ five: 4, four: 4, three: 8 });
  const curve = (config: TemplateConfig, type: TemplateType = 'gacha') =>
    templateOddsAndCurve(templateOf(type, config, pool), LIMITS.curve).curve;
  const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
  const banner = { baseRates, pityThreshold: 90, softPity: [{ from: 74, add: 0.06 }] };

  test('has the median where it is one half, and ends when nearly everyone has it', () => {
    const points = curve(banner);
    assert.deepEqual(
      points.map(({ roll }) => roll),
      points.map((_, index) => index + 1),
    );
    assert.equal(points.findIndex(({ chance }) => chance >= 0.5) + 1, 76);
    const [before, last] = points.slice(-2).map(({ chance }) => chance) as [number, number];
    assert.ok(before < 0.999 && last >= 0.999 && points.length < 90, `${before}, ${last}`);
    assert.deepEqual(curve({ baseRates, pityThreshold: 10 }).at(-1), { roll: 10, chance: 1 });
  });

  test('has as many points as allowed, at equal distances, however long a pity is', () => {
    const { points, rolls } = LIMITS.curve;
    const hard = curve({ baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: LIMITS.pityThreshold });
    assert.equal(hard.length, points);
    assert.deepEqual(hard.slice(0, 2), [
      { roll: LIMITS.pityThreshold / points, chance: 0 },
      { roll: (2 * LIMITS.pityThreshold) / points, chance: 0 },
    ]);
    assert.deepEqual(hard.at(-1), { roll: LIMITS.pityThreshold, chance: 1 });
    const rare = curve({ baseRates: { five: 1e-5, three: 1 - 1e-5 } });
    assert.equal(rare.length, points);
    assert.equal(rare.at(-1)?.roll, rolls);
    for (const { roll, chance } of rare) assert.ok(Math.abs(chance - (1 - (1 - 1e-5) ** roll)) < 1e-12, `${roll}`);
    const packs = curve({ baseRates: { five: 1e-5, three: 1 - 1e-5 }, pityThreshold: 1000 }, 'card_pack');
    assert.deepEqual([packs.length, packs.at(-1)], [points, { roll: 1000, chance: 1 }]);
    assert.ok(JSON.stringify(rare).length < 10_000);
  });

  test('is one point if the tier always comes up, and none if it never does', () => {
    assert.deepEqual(curve({}), [{ roll: 1, chance: 1 }]);
    assert.deepEqual(curve({ baseRates: { five: 1 }, pityThreshold: 5 }), [{ roll: 1, chance: 1 }]);
    for (const type of ['gacha', 'card_pack', 'roguelike'] as const)
      assert.deepEqual(curve({ baseRates: { five: 0, three: 1 } }, type), []);
  });

  test('takes a moment, whatever the counters are', () => {
    // Every roll has another rate, so no two states can be merged.
    const softPity = [
      { from: 1, add: 1e-9 },
      { from: 3990, add: 0.5 },
    ];
    const template = templateOf('gacha', { ...banner, pityThreshold: 0, softPity }, pool);
    const { stepsOfRoll } = followTemplate(template)(template.tiers.top);
    assert.ok(stepsOfRoll * LIMITS.curve.rolls < LIMITS.inlineSteps);
  });
});
