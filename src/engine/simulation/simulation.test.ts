import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, item, option, templateOf } from '../../../test/catalogs.ts';
import { cheapDraws, countedDraws } from '../../../test/statistics.ts';
import { compileCatalog } from '../pool/catalog.ts';
import type { Draws } from '../random.ts';
import type { TemplateConfig, TemplateType } from '../systems/config.ts';
import { rollTemplate } from '../systems/rolling.ts';
import { initialState, type RollResult, sinceOf, type TemplateState } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import type { Histogram } from './histogram.ts';
import { itemsPerRoll, type PityCounts, type SimulationPlan, simulate } from './simulation.ts';

const rates = { five: 0.05, four: 0.15, three: 0.8 };
const gacha: TemplateConfig = {
  baseRates: rates,
  pityThreshold: 12,
  softPity: [{ from: 8, add: 0.1 }],
  pities: [{ tier: 'four', threshold: 5 }],
  featuredItemIds: ['five-1', 'five-2'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};
const damage = { id: 'damage-of-it', attributeId: 'damage', min: 1, max: 6, step: null };
/** Some items have an attribute, which takes a draw more. */
const catalog = compileCatalog(
  [option('five'), option('four'), option('three')],
  ['five-1', 'five-2', 'five-3', 'four-1', 'four-2', 'three-1', 'three-2', 'three-3'].map((id, index) =>
    item(id, [id.slice(0, -2)], 1 + index, index % 2 === 0 ? [{ ...damage, id: `${id}-damage` }] : []),
  ),
);

const CASES: [name: string, type: TemplateType, config: TemplateConfig, depth?: number][] = [
  ['a banner', 'gacha', gacha],
  ['no tiers', 'gacha', {}],
  ['a chest', 'idle', { ...gacha, rollsPerHour: 2 } as TemplateConfig],
  [
    'packs',
    'card_pack',
    {
      baseRates: rates,
      slots: [{ count: 2 }, { count: 1, rates: { four: 9, five: 1 } }],
      unique: true,
      pityThreshold: 4,
    },
  ],
  [
    'offers at depth 3',
    'roguelike',
    { baseRates: rates, choices: 3, depthScaling: { five: 1.2 }, pityThreshold: 5 },
    3,
  ],
];

const PLAN = { players: 40, rolls: 230, itemIds: ['three-1', 'five-1', 'three-1'] };

/** What real rolls give: one at a time, on the state that the last one left. An idle template is claimed hour by hour. */
const rollReally = (template: CompiledTemplate, depth: number, draws: Draws) => {
  const HOUR_MS = 3_600_000;
  let state: TemplateState = initialState();
  let nowMs = 0;
  if (template.type === 'idle')
    state = rollTemplate(template, state, { count: 1, depth, drawsOf: () => draws, nowMs }).state ?? state;
  return Array.from({ length: PLAN.rolls }, () => {
    const before = state;
    nowMs += HOUR_MS / 2;
    const rolled = rollTemplate(template, state, { count: 1, depth, drawsOf: () => draws, nowMs });
    state = rolled.state ?? state;
    return { before, results: rolled.results };
  });
};

const valuesOf = (histogram: Histogram): number[] =>
  [...histogram.counts()].flatMap((count, value) => Array.from({ length: count }, () => value));

const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** What a target should have counted: the rolls with a hit of each player, and the number of hits. */
const expectedOf = (hits: readonly (readonly number[])[]) => {
  const rollsOf = hits.map((counts) => counts.flatMap((count, index) => (count > 0 ? index + 1 : [])));
  return {
    firsts: ascending(rollsOf.flatMap(([first]) => first ?? [])),
    gaps: ascending(rollsOf.flatMap((rolls) => rolls.map((roll, index) => roll - (rolls[index - 1] ?? 0)))),
    counts: ascending(hits.map((counts) => counts.reduce((sum, count) => sum + count, 0))),
  };
};

describe('a simulation', () => {
  for (const [name, type, config, depth = 0] of CASES) {
    test(`counts what real rolls give, draw for draw: ${name}`, () => {
      const template = templateOf(type, config, catalog);
      const sources = Array.from({ length: PLAN.players }, (_, player) => cheapDraws(player));
      const real = sources.map((draws) => rollReally(template, depth, draws));
      const { targets, pity } = simulate(template, { ...PLAN, depth }, (player) => cheapDraws(player));
      const hitsOf = (matches: (result: RollResult) => boolean) =>
        real.map((rolls) => rolls.map(({ results }) => results.filter(matches).length));
      for (const { kind, id, firsts, gaps, counts } of targets) {
        const matches = ({ tier, item: given }: RollResult) => (kind === 'tier' ? tier : given.id) === id;
        const counted = { firsts: valuesOf(firsts), gaps: valuesOf(gaps), counts: valuesOf(counts) };
        assert.deepEqual(counted, expectedOf(hitsOf(matches)), `${kind} ${id}`);
      }

      const expected: PityCounts = { top: 0, hard: 0, soft: 0, guarantee: 0 };
      const top = template.tiers.all[template.tiers.top]?.optionId ?? null;
      for (const { before, results } of real.flat())
        for (const result of results.filter(({ tier }) => tier === top)) {
          expected.top += 1;
          // The banner's odds are raised from its eighth roll on, and the top tier is due at the twelfth.
          const isGacha = type !== 'card_pack' && type !== 'roguelike' && top !== null;
          if (result.pity) expected.hard += 1;
          else if (isGacha && sinceOf(before.pity, top) + 1 >= 8) expected.soft += 1;
          if (isGacha && before.pity.losses >= 1) expected.guarantee += 1;
        }
      assert.deepEqual(pity, expected);
      if (name === 'a banner') for (const [what, count] of Object.entries(pity)) assert.ok(count > 0, what);
    });
  }

  test('reports tiers, rarest first, then featured items, then the others, each once', () => {
    const { targets } = simulate(templateOf('gacha', gacha, catalog), { ...PLAN, depth: 0 }, cheapDraws);
    assert.deepEqual(
      targets.map(({ kind, id }) => `${kind} ${id}`),
      ['tier five', 'tier four', 'tier three', 'featured five-1', 'featured five-2', 'item three-1'],
    );
  });

  test('reports every hundredth of the way, in order and once', () => {
    const run = (plan: Omit<SimulationPlan, 'depth' | 'itemIds'>): number[] => {
      const told: number[] = [];
      simulate(templateOf('gacha', {}, catalog), { ...plan, depth: 0, itemIds: [] }, cheapDraws, (progress) => {
        told.push(progress);
      });
      return told;
    };
    const hundredths = Array.from({ length: 100 }, (_, index) => (index + 1) / 100);
    assert.deepEqual(run({ players: 1000, rolls: 7 }), hundredths);
    assert.deepEqual(run({ players: 1, rolls: 10_000 }), hundredths);
    assert.deepEqual(run({ players: 4, rolls: 5 }), [0.25, 0.5, 0.75, 1]);
    assert.deepEqual(run({ players: 1, rolls: 1 }), [1]);
  });

  test('takes the draws of a player from that player alone', () => {
    const template = templateOf('gacha', {}, catalogOf({ five: 2 }));
    const sources = Array.from({ length: 3 }, (_, player) => countedDraws(cheapDraws(player)));
    simulate(template, { players: 3, rolls: 150, depth: 0, itemIds: [] }, (player) => {
      const source = sources[player];
      assert.ok(source !== undefined);
      return source.draws;
    });
    for (const { count } of sources) assert.equal(count(), 450);
  });

  test('knows how many items a roll gives', () => {
    const perRoll = CASES.map(([, type, config]) => itemsPerRoll(templateOf(type, config, catalog)));
    assert.deepEqual(perRoll, [1, 1, 1, 3, 3]);
  });
});
