/** Rules that few proofs need, one proof each: for verifiers in other languages, too. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { item, option } from '../../../test/catalogs.ts';
import { callOf, playHistory, relink, rotationOf, type TestProof, type TestTemplate } from '../../../test/fairness.ts';
import { baseRates, failuresOf, items, options, power } from '../../../test/proofs.ts';
import { createTestLog, leavesOf, otherLeaf } from '../../../test/public-log.ts';
import { verified } from '../../../test/verified.ts';
import type { RollReceiptRequest } from './receipts.ts';

const played = (
  template: TestTemplate,
  { rolls = 12, request = { count: 1 }, catalog = { options, items }, waitMs = 0 } = {} as {
    rolls?: number;
    request?: RollReceiptRequest;
    catalog?: { options: typeof options; items: typeof items };
    waitMs?: number;
  },
): TestProof => {
  const history = playHistory({ ...catalog, templates: [template], secret: `rules ${template.id}` });
  for (const seed of ['one', 'two', 'three']) {
    history.rotate(seed);
    for (let count = 0; count < rolls; count += 1) {
      history.wait(waitMs);
      history.roll(template.id, request);
    }
  }
  return history.proof();
};

const assertSound = (proof: TestProof): void => {
  const { isSound, counts } = verified(proof);
  assert.deepEqual([isSound, counts.failed], [true, 0], JSON.stringify(failuresOf(verified(proof))));
  assert.ok(counts.verified > counts.sealed);
};

const gacha = (config: object): TestTemplate => ({ id: 'banner', type: 'gacha', config });

describe('a proof is verified with', () => {
  const three = [...options, option('four')];
  const more = [...items, item('mace', ['four'], 2), item('bola', ['four'], 0)];
  const rates = { five: 0.02, four: 0.2, three: 0.78 };
  const catalog = { options: three, items: more };

  test('no tiers at all, and pools that are chosen by items and options', () => {
    assertSound(played(gacha({})));
    assertSound(played(gacha({ baseRates: {} })));
    assertSound(played(gacha({ pool: { itemIds: ['axe', 'dawn', 'rope'] } })));
    assertSound(played(gacha({ baseRates, pool: { classifierOptionIds: ['steel', 'wood', 'five', 'three'] } })));
    assertSound(played({ id: 'pack', type: 'card_pack', config: { slots: [{ count: 3 }], unique: true } }));
    assertSound(played({ id: 'offer', type: 'roguelike', config: {} }, { request: { count: 2, depth: 9 } }));
  });

  test('several pities, a pity tier, segments of soft pity, and rates that are raised', () => {
    const softPity = [
      { from: 2, add: 0.05 },
      { from: 4, add: 0.2 },
      { from: 6, add: 0 },
    ];
    assertSound(played(gacha({ baseRates: rates, pityThreshold: 9, softPity }), { catalog, rolls: 30 }));
    assertSound(
      played(
        gacha({
          ...{ baseRates: rates, pityTier: 'four', pityThreshold: 4 },
          pities: [{ tier: 'five', threshold: 8, softPity, higherResets: true }],
        }),
        { catalog, rolls: 30, request: { count: 3 } },
      ),
    );
    const featured = { featuredItemIds: ['dawn', 'axe'], rateUpMultiplier: 7 };
    assertSound(played(gacha({ baseRates: rates, ...featured, pityThreshold: 3 }), { catalog, rolls: 30 }));
    assertSound(
      played(gacha({ baseRates: rates, ...featured, pityThreshold: 3, guaranteeAfterLosses: 2 }), { catalog }),
    );
    assertSound(
      played(gacha({ baseRates: rates, ...featured, featuredShare: 0.3, guaranteeAfterLosses: 1, pityThreshold: 2 }), {
        catalog,
        rolls: 40,
      }),
    );
  });

  test('templates of a pity group that took turns before what is claimed, of which only the last calls are there', () => {
    const config = { baseRates, pityThreshold: 9, pityGroup: 'group' };
    const templates = ['first', 'second', 'alone'].map(
      (id): TestTemplate => ({
        ...{ id, type: 'gacha' },
        config: id === 'alone' ? { baseRates } : config,
      }),
    );
    const history = playHistory({ options, items, templates, secret: 'turns' });
    history.rotate('one');
    for (const id of ['first', 'second', 'second', 'alone', 'first']) history.roll(id, { count: 1 });
    history.rotate('two');
    history.roll('second', { count: 1 });
    const whole = history.proof();
    const isCall = (epoch: number, nonces: readonly number[]) => (one: TestProof['receipts'][number]) =>
      one.kind === 'rotate' || (one.epoch === epoch && nonces.includes(one.nonce));
    const part = { ...whole, epoch: 0, from: 3, receipts: whole.receipts.filter(isCall(0, [0, 2, 3, 4])) };
    assertSound(part);
    const claimed = { ...part, from: 0 };
    assert.match(JSON.stringify(failuresOf(verified(claimed))), /calls before it|not what the last roll had left/);
    // What the last call of the group left still counts.
    const changed = callOf(part, 0, 4);
    assert.ok(changed.before !== null);
    changed.before.pity.counters = [];
    relink(part);
    assert.match(JSON.stringify(failuresOf(verified(part))), /not what the last roll had left/);
  });

  test('multipliers of options, slots of their own rates and filters, and offers that are due', () => {
    const multiplied = options.map((one) => ({ ...one, dropRateMultiplier: one.id === 'steel' ? 3.7 : null }));
    assertSound(played(gacha({ baseRates }), { catalog: { options: multiplied, items }, rolls: 30 }));
    const slots = [{ count: 2, rates: { three: 3 } }, { count: 1, classifierOptionIds: ['wood'] }, { count: 1 }];
    assertSound(
      played({ id: 'pack', type: 'card_pack', config: { baseRates, slots, pityThreshold: 2 } }, { rolls: 20 }),
    );
    assertSound(
      played(
        {
          id: 'offer',
          type: 'roguelike',
          config: { baseRates, choices: 3, depthScaling: { five: 0, three: 1.5 }, pityThreshold: 2 },
        },
        { rolls: 20, request: { count: 1, depth: 0 } },
      ),
    );
  });

  test('attributes of every kind', () => {
    const ranges = [
      { min: 5, max: 5, step: null },
      { min: 2, max: 2.5, step: 1 },
      { min: -1e308, max: 1.7e308, step: null },
      { min: -1e308, max: 1.7e308, step: 1 },
      { min: 0, max: 1e300, step: 5e-324 },
      { min: -0.35, max: 0.35, step: 0.05 },
      { min: 1e-7, max: 5e-7, step: 1e-7 },
      { min: 0, max: 2 ** 60, step: null },
      { min: -3, max: 8, step: null },
      { min: 0.1, max: 0.7, step: null },
      { min: 1e21, max: 9e21, step: 1e20 },
    ];
    const attributes = ranges.map((range, index) => ({ ...power, id: `a${index}`, ...range }));
    const only = [item('relic', ['five'], 1, attributes), item('torn', ['three'], 1, attributes.toReversed())];
    assertSound(played(gacha({ baseRates }), { catalog: { options, items: only }, rolls: 20 }));
  });

  test('what accrues, as far as it is allowed to, and what is left of it', () => {
    const idle = (config: object): TestTemplate => ({
      id: 'chest',
      type: 'idle',
      config: { baseRates, ...config } as never,
    });
    for (const config of [
      { rollsPerHour: 0.1 },
      { rollsPerHour: 7.123457, maxHours: 1.5 },
      { rollsPerHour: 2000, maxHours: 3 },
      { rollsPerHour: 3, maxHours: 0.5, pityThreshold: 3 },
    ])
      assertSound(played(idle(config), { request: {}, waitMs: 4_321_987, rolls: 6 }));
  });
});

describe('a proof fails', () => {
  const proof = (): TestProof => played(gacha({ baseRates, pityThreshold: 6 }), { rolls: 3 });
  const found = (change: (proof: TestProof) => void) => {
    const changed = proof();
    change(changed);
    return verified(changed);
  };

  test('or not, by what it claims', () => {
    const drop =
      (...nonces: number[]) =>
      (one: TestProof): void => {
        one.receipts = one.receipts.filter(
          (receipt) => receipt.kind === 'rotate' || receipt.epoch > 0 || !nonces.includes(receipt.nonce),
        );
      };
    for (const [claim, nonces, isSound] of [
      [{}, [], true],
      // Complete from the first call that is there.
      [{}, [0], true],
      [{}, [1], false],
      [{ epoch: 'all', from: 1 }, [0], true],
      [{ epoch: 'all', from: 1 }, [1], false],
      [{ epoch: 'all', from: 0 }, [0], false],
      [{ epoch: 0, from: 0 }, [0], false],
      [{ epoch: 1, from: 0 }, [0, 1], true],
    ] as const) {
      const { isSound: is } = found((one) => {
        delete one.epoch;
        delete one.from;
        Object.assign(one, claim);
        drop(...nonces)(one);
      });
      assert.equal(is, isSound, JSON.stringify([claim, nonces]));
    }
  });

  test('if an epoch is missing of which others are there', () => {
    const without = (epoch: number, isWhole: boolean) =>
      found((one) => {
        one.receipts = one.receipts.filter(
          (receipt) => receipt.epoch !== epoch || (!isWhole && receipt.kind !== 'rotate'),
        );
      }).isSound;
    assert.deepEqual(
      [without(1, true), without(1, false), without(0, true), without(2, true)],
      [false, false, false, true],
    );
  });

  test('with counters that are out of order, or of a tier that is there twice', () => {
    const given = (counters: object[]) =>
      found((one) => {
        one.receipts = one.receipts.filter(({ epoch }) => epoch > 0);
        one.epoch = 1;
        const { before } = callOf(one, 1, 0);
        assert.ok(before !== null);
        Object.assign(before.pity, { counters });
        relink(one);
        Object.assign(rotationOf(one, 1), { previous: 'a'.repeat(64), count: 3, head: 'b'.repeat(64) });
        relink({ ...one, receipts: one.receipts.slice(1) });
      });
    assert.equal(given([{ tier: 'five', since: 3 }]).counts.failed > 0, true);
    assert.equal(
      given([
        { tier: 'zero', since: 1 },
        { tier: 'five', since: 3 },
        { tier: 'five', since: 9 },
      ]).counts.failed > 0,
      true,
    );
  });

  test('with times that do not exist, and not with the first year', () => {
    const at = (time: string) => {
      const changed = proof();
      for (const receipt of changed.receipts) Object.assign(receipt, { at: time });
      relink(changed);
      return verified(changed).isSound;
    };
    assert.equal(at('0000-02-29T23:59:59.999Z'), true);
    assert.equal(at('9999-12-31T23:59:59.999Z'), true);
  });

  test('with a client seed that did not meet the commitment that was kept with it', () => {
    const one = proof();
    const [first, second] = [rotationOf(one, 0), rotationOf(one, 1)];
    const kept = (commitment: string, clientSeed: string) =>
      verified(one, { seeds: [{ commitment, clientSeed }] }).isSound;
    assert.equal(kept(first.commitment, first.clientSeed), true);
    assert.equal(kept(second.commitment, first.clientSeed), false);
    assert.equal(kept(second.commitment, second.clientSeed), true);
    const apart = { seeds: [{ commitment: second.commitment }, { clientSeed: first.clientSeed }] };
    assert.equal(verified(one, apart).isSound, true);
  });

  test('with a log whose last word about a leaf is wrong, or with heads that nothing connects', () => {
    const one = proof();
    const own = leavesOf(one);
    const leaves = [otherLeaf('ann'), ...own, otherLeaf('bob'), otherLeaf('eve')];
    const log = createTestLog(leaves, { teamId: 'team', at: '2027-01-01T00:30:00.000Z' });
    const said = log.of(one, leaves.length);
    const [first] = said.inclusions as [(typeof said.inclusions)[0]];
    const wrong = { ...first, index: first.index + 1 };
    const withInclusions = (inclusions: typeof said.inclusions) =>
      verified({ ...one, log: { ...said, inclusions } }).isSound;
    assert.equal(withInclusions([...said.inclusions, wrong]), false);
    assert.equal(withInclusions([wrong, ...said.inclusions]), true);
    const earlier = { ...one, log: log.of(one, leaves.length - 1) };
    const { isSound, notes } = verified([{ ...one, log: said }, earlier]);
    assert.equal(isSound, true);
    assert.match(notes.join(), /are one is not shown here/);
    const shown = { ...one, log: log.of(one, leaves.length, leaves.length - 1) };
    assert.deepEqual(verified([shown, earlier]).notes, []);
    const forked = createTestLog([otherLeaf('zoe'), ...leaves.slice(1)], {
      teamId: 'team',
      at: '2027-01-01T00:30:00.000Z',
    });
    assert.equal(verified([shown, { ...one, log: forked.of(one, leaves.length - 1) }]).isSound, false);
  });
});
