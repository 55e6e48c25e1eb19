/** Snapshots that the service would never make: whatever is in them, calls on them fail, and nothing throws. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addSnapshot,
  callOf,
  playHistory,
  relink,
  rotationOf,
  type TestProof,
  type TestTemplate,
} from '../../../test/fairness.ts';
import { banner, baseRates, failuresOf, items, options, templates } from '../../../test/proofs.ts';
import { verified } from '../../../test/verified.ts';
import { canonicalText } from './canonical.ts';
import { manifestEntry } from './receipts.ts';

// biome-ignore lint/suspicious/noExplicitAny: it is changed into what no type describes.
type Anything = any;

const played = (template: TestTemplate, request: object = {}): TestProof => {
  const history = playHistory({ options, items, templates: [template], secret: template.id });
  history.rotate('one');
  history.roll(template.id, request);
  history.wait(7_200_000);
  history.roll(template.id, request);
  history.rotate('two');
  history.roll(template.id, request);
  return history.proof();
};

/** The proof with another pool or configuration, and everything that names it changed as well, as a forger would. */
const forged = (proof: TestProof, change: (pool: Anything, config: Anything) => void): TestProof => {
  const { templateId, salt, ...first } = callOf(proof, 0, 0);
  const pool = JSON.parse(proof.snapshots[first.pool] as string);
  const config = JSON.parse(proof.snapshots[first.config] as string);
  change(pool, config);
  config.pool = addSnapshot(proof, canonicalText(pool));
  const configHash = addSnapshot(proof, canonicalText(config));
  const [before, after] = [first.config, configHash].map((hash) => manifestEntry(templateId, hash, salt)[1]);
  const { manifest } = rotationOf(proof, 0);
  const other = addSnapshot(proof, (proof.snapshots[manifest] as string).replace(`${before}`, `${after}`));
  for (const receipt of proof.receipts)
    if (receipt.kind === 'rotate') receipt.manifest = other;
    else Object.assign(receipt, { config: configHash, pool: config.pool });
  relink(proof);
  return proof;
};

const [, , pack, offer, chest] = templates as [TestTemplate, TestTemplate, TestTemplate, TestTemplate, TestTemplate];
const itemIn = (pool: Anything, id: string) => pool.items.find((one: Anything) => one.id === id);
const REQUESTS: Readonly<Record<string, object>> = {
  banner: { count: 2 },
  pack: { count: 1 },
  offer: { count: 1, depth: 1 },
  chest: {},
};

const assertRefused = (template: TestTemplate, change: (pool: Anything, config: Anything) => void, reason: RegExp) => {
  const found = verified(forged(played(template, REQUESTS[template.id]), change));
  const failures = failuresOf(found);
  // Of both epochs, the sealed one, too.
  assert.deepEqual(Object.keys(failures), ['0 #0', '0 #1', '1 #0'], `${reason} ${JSON.stringify(failures)}`);
  for (const reasons of Object.values(failures)) assert.match(reasons[0] ?? '', reason);
};

describe('a forged snapshot', () => {
  test('is sound if it is one that the service could have made', () => {
    for (const template of [banner, pack, offer, chest])
      assert.equal(verified(forged(played(template, REQUESTS[template.id]), () => {})).isSound, true, template.id);
  });

  test('fails with a pool of another form', () => {
    const inPool: [(pool: Anything) => void, RegExp][] = [
      [({ items: [one] }) => Object.assign(one, { rollNumerator: -1 }), /rollNumerator is not a number from 0/],
      [({ items: [one] }) => Object.assign(one, { rollNumerator: null }), /rollNumerator is not a number/],
      [({ items: [one] }) => Object.assign(one, { rollNumerator: '1' }), /rollNumerator is not a number/],
      [({ items: [one] }) => Object.assign(one, { color: 'red' }), /color is not a known member/],
      [({ items: [one] }) => one.optionIds.push('none'), /has an item with an option that it does not list/],
      [({ items: [one] }) => one.optionIds.push(...Array(100).fill('five')), /has 102 entries, more than 100/],
      [({ items: all }) => all.reverse(), /is not in order/],
      [({ items: all }) => all.push(all.at(-1)), /is not in order/],
      [({ options: all }) => all.reverse(), /is not in order/],
      [({ options: [one] }) => Object.assign(one, { dropRateMultiplier: -1 }), /dropRateMultiplier is not a number/],
      [({ options: [one] }) => delete one.name, /name is missing/],
      [(pool) => Object.assign(pool, { v: 2 }), /v is not 1/],
    ];
    for (const [change, reason] of inPool) assertRefused(banner, change, reason);
    const inRange: [object, RegExp][] = [
      [{ step: 0 }, /step is 0/],
      [{ step: -1 }, /step is not a number from 0/],
      [{ step: '1' }, /step is not a number/],
      [{ min: 10 }, /min is greater than max/],
      [{ max: null }, /max is not a number/],
      [{ attributeId: 7 }, /attributeId is not a text/],
    ];
    const attributeOf = (pool: Anything) => pool.items.find(({ id }: Anything) => id === 'dusk').attributes[0];
    for (const [members, reason] of inRange)
      assertRefused(banner, (pool) => Object.assign(attributeOf(pool), members), reason);
  });

  test('fails with a configuration that the service would not accept', () => {
    const set =
      (members: object) =>
      (_: Anything, { config }: Anything) =>
        Object.assign(config, members);
    const bound =
      (bindings: object, members: object) =>
      (_: Anything, value: Anything): void => {
        Object.assign(value.bindings, bindings);
        Object.assign(value.config, members);
      };
    const of: [TestTemplate, (pool: Anything, config: Anything) => void, RegExp][] = [
      [banner, (_, value) => Object.assign(value, { engine: 2 }), /engine is not 1/],
      [banner, (_, value) => Object.assign(value, { type: 'slots' }), /type is not/],
      [banner, (_, value) => Object.assign(value, { templateId: 'other' }), /that of another template/],
      [banner, (_, value) => Object.assign(value, { bindings: {} }), /does not work/],
      [banner, set({ colour: 'red' }), /colour is not a known member/],
      [banner, set({ baseRates: { five: -1, three: 1 } }), /five is not a number from 0/],
      [banner, set({ baseRates: { five: 0, three: 0 } }), /does not work/],
      [banner, set({ baseRates: { five: 1e-300, three: 0 } }), /does not work/],
      [banner, bound({ cinq: 'five' }, { baseRates: { five: 0.1, cinq: 0.1, three: 0.8 } }), /does not work/],
      [banner, bound({ steel: 'steel' }, { baseRates: { five: 0.1, steel: 0.9 } }), /does not work/],
      [banner, set({ pityThreshold: 1001 }), /pityThreshold is not a whole number/],
      [banner, set({ pityTier: 'six' }), /does not work/],
      [banner, set({ pities: [{ tier: 'five', threshold: 3 }] }), /does not work/],
      [
        banner,
        set({
          pities: [
            { tier: 'three', threshold: 3 },
            { tier: 'three', threshold: 4 },
          ],
        }),
        /does not work/,
      ],
      [banner, set({ pityThreshold: 1000, pities: [{ tier: 'three', threshold: 5 }] }), /does not work/],
      [banner, set({ softPity: [{ from: 0, add: 0.1 }] }), /from is not a whole number/],
      [banner, set({ featuredItemIds: ['nothing'] }), /does not work/],
      [banner, set({ featuredItemIds: ['axe'] }), /does not work/],
      [banner, set({ featuredShare: 1.5 }), /featuredShare is not a number from 0 to 1/],
      [banner, set({ guaranteeAfterLosses: 11 }), /guaranteeAfterLosses is not a whole number/],
      [banner, set({ pool: { itemIds: ['nothing'] } }), /does not work/],
      [banner, set({ pool: { classifierOptionIds: ['nothing'] } }), /does not work/],
      [pack, set({ slots: [] }), /does not work|slots/],
      [pack, set({ slots: [{ count: 0 }] }), /count is not a whole number/],
      [pack, set({ slots: [{ count: 11 }, { count: 10 }] }), /does not work/],
      [pack, set({ slots: [{ count: 6, rates: { three: 1 } }, { count: 2 }] }), /does not work/],
      [pack, set({ slots: [{ count: 1, classifierOptionIds: ['steel'] }] }), /does not work/],
      [pack, set({ slots: [{ count: 1, rates: { three: 1 } }] }), /does not work/],
      [
        pack,
        bound({ cinq: 'five' }, { slots: [{ count: 1, rates: { five: 1, cinq: 2, three: 3 } }] }),
        /two of its tiers are one option/,
      ],
      [banner, (pool) => itemIn(pool, 'dawn').optionIds.push('five'), /does not work/],
      [
        banner,
        (pool) => ['dawn', 'dusk'].map((id) => Object.assign(itemIn(pool, id), { rollNumerator: 0 })),
        /does not work/,
      ],
      [
        banner,
        set({
          ...{ pityThreshold: 0, softPity: [{ from: 1000, add: 1e-6 }] },
          pities: [{ tier: 'three', threshold: 3 }],
        }),
        /does not work/,
      ],
      [pack, set({ slots: [{ count: 1, classifierOptionIds: ['nothing'] }] }), /does not work/],
      [
        pack,
        set({
          slots: [
            { count: 5, rates: { three: 1 } },
            { count: 1, rates: { three: 1 } },
          ],
        }),
        /does not work/,
      ],
      [offer, set({ depthScaling: { five: 0, three: 0 } }), /./],
      [offer, set({ choices: 3, depthScaling: { three: 0 } }), /./],
      [offer, set({ choices: 8 }), /does not work/],
      [offer, set({ choices: 21 }), /choices is not a whole number/],
      [offer, set({ depthScaling: { five: 2.5 } }), /five is not a number from 0 to 2/],
      [offer, bound({ cinq: 'five' }, { depthScaling: { five: 1, cinq: 2 } }), /two of its tiers are one option/],
      [chest, set({ rollsPerHour: 0.01 }), /does not work/],
      [chest, set({ rollsPerHour: -1 }), /rollsPerHour is not a number/],
    ];
    for (const [template, change, reason] of of) assertRefused(template, change, reason);
  });

  test('shows no roll that was not made on a template that was closed', () => {
    const closing = (endsAt: string) =>
      verified(
        played(
          { ...banner, config: { baseRates, pityThreshold: 10, startsAt: '2027-01-01T09:00:00+09:00', endsAt } },
          {
            count: 1,
          },
        ),
      ).notMade.length;
    // The rotation is two hours after the first roll.
    assert.equal(closing('2027-01-01T02:00:05Z'), 1);
    assert.equal(closing('2027-01-01T11:00:04+09:00'), 0);
    assert.equal(closing('soon'), 1);
  });
});
