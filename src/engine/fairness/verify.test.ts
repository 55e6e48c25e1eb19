import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { item, option } from '../../../test/catalogs.ts';
import {
  addSnapshot,
  callOf,
  fairnessVectors,
  hashOfReceipt,
  playHistory,
  relink,
  rotationOf,
  type TestHistory,
  type TestProof,
  type TestTemplate,
} from '../../../test/fairness.ts';
import { LIMITS } from '../../limits.ts';
import { canonicalText } from './canonical.ts';
import { hashOfText } from './sha256.ts';
import { type CheckedReceipt, FULL_PROOF, type Verification, verifyInSteps, verifyProof } from './verify.ts';

const verify = (proof: unknown, kept: readonly string[] = []): Verification => {
  const verification = verifyProof(JSON.stringify(proof), kept);
  assert.ok(!('error' in verification), 'error' in verification ? verification.error : '');
  return verification;
};

const labelOf = ({ receipt }: CheckedReceipt): string =>
  receipt.kind === 'rotate' ? `rotation ${receipt.epoch}` : `${receipt.epoch} ${receipt.scope} #${receipt.nonce}`;

/** The failed receipts with their reasons. */
const failuresOf = ({ receipts }: Verification): Record<string, readonly string[]> =>
  Object.fromEntries(
    receipts.filter(({ status }) => status === 'failed').map((checked) => [labelOf(checked), checked.reasons]),
  );

/** What is found after a change of the published proof. */
const afterChange = (change: (proof: TestProof) => void, kept: readonly string[] = []): Verification => {
  const { proof } = fairnessVectors();
  change(proof);
  return verify(proof, kept);
};

/** A change must be found at exactly these receipts, for reasons like these. */
const assertFailures = (verification: Verification, expected: Record<string, readonly RegExp[]>): void => {
  const failures = failuresOf(verification);
  assert.deepEqual(Object.keys(failures).sort(), Object.keys(expected).sort(), JSON.stringify(failures, null, 2));
  for (const [label, patterns] of Object.entries(expected)) {
    for (const pattern of patterns)
      assert.ok(
        failures[label]?.some((reason) => pattern.test(reason)),
        `${pattern} of ${label}: ${failures[label]}`,
      );
    assert.equal(failures[label]?.length, patterns.length, `${label}: ${failures[label]?.join(' | ')}`);
  }
  assert.equal(verification.isSound, false);
};

const options = [
  ...['five', 'three'].map((id) => option(id)),
  ...['steel', 'wood'].map((id) => option(id, 'material')),
];
const power = { id: 'power-1', attributeId: 'power', min: 1, max: 9, step: 0.5 };
const items = [
  item('dawn', ['five', 'steel'], 3, [power, { id: 'luck-1', attributeId: 'luck', min: -5, max: 5, step: null }]),
  item('dusk', ['five', 'wood'], 1.5, [{ ...power, id: 'power-2' }]),
  ...['axe', 'bow', 'cap', 'dart', 'rope'].map((id, index) => item(id, ['three', index % 2 === 0 ? 'wood' : 'steel'])),
];
const baseRates = { five: 0.1, three: 0.9 };
const banner: TestTemplate = {
  id: 'banner',
  type: 'gacha',
  config: { baseRates, pityThreshold: 10, featuredItemIds: ['dawn', 'dusk'], featuredShare: 0.5, sparkCurrency: 3 },
};
const inGroup = (template: TestTemplate): TestTemplate => ({
  ...template,
  config: { ...template.config, pityGroup: 'group' },
});
const templates: TestTemplate[] = [
  banner,
  inGroup({ id: 'twin', type: 'gacha', config: { baseRates, pityThreshold: 10 } }),
  { id: 'pack', type: 'card_pack', config: { baseRates, slots: [{ count: 2 }], unique: true, pityThreshold: 3 } },
  { id: 'offer', type: 'roguelike', config: { baseRates, choices: 2, depthScaling: { five: 1.1 } } },
  { id: 'chest', type: 'idle', config: { baseRates, pityThreshold: 5, rollsPerHour: 1 } },
];

/** A call of every kind in each of two epochs, the second of which goes on. */
const playedHistory = (secret: string): TestHistory => {
  const history = playHistory({ options, items, templates, secret });
  for (const clientSeed of ['one', 'two']) {
    history.rotate(clientSeed);
    history.roll('banner', { count: 4 });
    history.spark('banner', 'dawn');
    history.roll('twin', { count: 1 });
    history.roll('pack', { count: 1 });
    history.roll('offer', { count: 1, depth: 2 });
    history.wait(2 * 3_600_000);
    history.roll('chest');
    history.roll('');
    history.roll('', { classifierOptionIds: ['five', 'wood'] });
  }
  return history;
};

const changed = /one of the two was changed/;
const g = 'group:g';

describe('the published proof', () => {
  const { proof, held, serverSeed } = fairnessVectors();
  const verification = verify(proof, held);

  test('is sound: every kind of call is verified, and sealed while the seed is hidden', () => {
    assert.deepEqual(failuresOf(verification), {});
    assert.deepEqual(verification.counts, { verified: 32, sealed: 1, failed: 0 });
    assert.equal(verification.isSound, true);
    assert.deepEqual(verification.notes, []);
    const kinds = new Set(
      verification.receipts
        .filter(({ status }) => status === 'verified')
        .map(({ receipt }) => (receipt.kind === 'rotate' ? 'rotate' : `${receipt.kind} ${receipt.templateId}`)),
    );
    assert.deepEqual([...kinds].sort(), [
      'roll ',
      'roll b',
      'roll chest',
      'roll pack',
      'roll second',
      'roll shrine',
      'rotate',
      'spark b',
    ]);
    assert.deepEqual(verification.receipts.filter(({ status }) => status === 'sealed').map(labelOf), ['2 group:g #0']);
  });

  test('has the published hashes, in the order of the proof', () => {
    assert.deepEqual(
      verification.receipts.map(({ hash }) => hash),
      held,
    );
    assert.ok(verification.kept.length === held.length && verification.kept.every(({ isFound }) => isFound));
  });

  test('reveals the seeds of the epochs that ended', () => {
    assert.deepEqual(verification.seeds[0], { epoch: 0, seed: serverSeed, isCommitted: true });
    assert.deepEqual(
      verification.seeds.map(({ epoch }) => epoch),
      [0, 1],
    );
  });

  test('is shown with names and values from its pool', () => {
    const receipt = callOf(proof, 1, g, 20);
    assert.deepEqual(verification.itemsOf(receipt), [
      {
        itemId: 'dawnblade',
        name: 'dawnblade',
        tier: null,
        pity: false,
        featured: true,
        values: [{ attributeId: 'power', value: 42 }],
      },
    ]);
  });

  test('may come in any order, with receipts twice, or with their hashes beside them', () => {
    const shuffled = [...proof.receipts, ...proof.receipts].reverse();
    assert.deepEqual(verify({ ...proof, receipts: shuffled }).counts, verification.counts);
    const listed = proof.receipts.map((receipt) => ({ hash: hashOfReceipt(receipt), receipt }));
    assert.deepEqual(verify({ ...proof, receipts: listed }, held).counts, verification.counts);
    listed[3] = { hash: held[4] as string, receipt: proof.receipts[3] as never };
    assertFailures(verify({ ...proof, receipts: listed }), { '0 plain #1': [/not the one that stands beside it/] });
  });

  test('can be a part: what is left out is told, and the rest is verified', () => {
    const part = (keep: (epoch: number, scope: string, nonce: number) => boolean) => ({
      ...proof,
      receipts: proof.receipts.filter(
        (receipt) =>
          (receipt.kind === 'rotate' && [1, 2].includes(receipt.epoch)) ||
          (receipt.kind !== 'rotate' && keep(receipt.epoch, receipt.scope, receipt.nonce)),
      ),
    });
    const epoch = verify(part((epoch) => epoch === 1));
    assert.deepEqual(epoch.counts, { verified: 24, sealed: 0, failed: 0 });
    assert.deepEqual(epoch.notes, [
      'The first counters of the pity group "g" come from rolls before this proof, and are taken as given.',
    ]);
    assert.deepEqual(epoch.receipts.filter(({ isStartGiven }) => isStartGiven).map(labelOf), ['1 group:g #0']);
    const end = verify(part((epoch, _, nonce) => epoch === 1 && nonce >= 18));
    assert.deepEqual(end.counts, { verified: 6, sealed: 0, failed: 0 });
    assert.match(end.notes[1] ?? '', /^In epoch 1, #0 to #17 of the pity group "g" are not in this proof.$/);

    const first = proof.receipts.filter(({ epoch, kind }) => (kind === 'rotate' ? epoch < 2 : epoch === 0));
    const scope = first.filter((receipt) => receipt.kind === 'rotate' || receipt.scope === 'plain');
    const oneScope = verify({ ...proof, receipts: scope });
    assert.deepEqual(oneScope.counts, { verified: 4, sealed: 0, failed: 0 });
    assert.deepEqual(oneScope.notes, [
      'Epoch 0 also has rolls that are not in this proof: the pity group "g", the template "chest", the template "pack", the template "shrine".',
    ]);
  });

  test('is sealed without the rotation that reveals a seed', () => {
    const receipts = proof.receipts.filter(({ kind, epoch }) => (kind === 'rotate' ? epoch === 0 : epoch === 0));
    assert.deepEqual(verify({ ...proof, receipts }).counts, { verified: 1, sealed: 7, failed: 0 });
  });

  test('is checked in steps that tell how far it is', () => {
    const shares = [...verifyInSteps(JSON.stringify(proof))];
    assert.ok(shares.length > 30);
    assert.ok(shares.every((share, index) => share >= (shares[index - 1] ?? 0) && share <= 1));
    assert.equal(shares.at(-1), 1);
  });
});

describe('tampering with a proof is found:', () => {
  test('a changed item', () => {
    const verification = afterChange((proof) => {
      (callOf(proof, 1, g, 3).results[4] as unknown[])[0] = 'dawnblade';
    });
    assertFailures(verification, {
      '1 group:g #3': [/^item 5 should be "cap", but the receipt says "dawnblade"$/, changed],
      '1 group:g #4': [changed],
    });
  });

  test('an item that does not exist, even while the seed is hidden', () => {
    const verification = afterChange((proof) => {
      (callOf(proof, 2, g, 0).results[0] as unknown[])[0] = 'excalibur';
    });
    assertFailures(verification, { '2 group:g #0': [/^"excalibur" is not an item of its pool$/] });
  });

  test('a changed value', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, g, 16).results[0]?.[4].splice(0, 1, 60);
    });
    assertFailures(verification, {
      '1 group:g #16': [/^the values of item 1, "dawnblade", should be 49, but the receipt says 60$/, changed],
      '1 group:g #17': [changed],
    });
  });

  for (const [what, place, value, reason] of [
    ['tier', 1, 'five', /^item 1 should be of the tier "three", but the receipt says the tier "five"$/],
    ['pity flag', 2, true, /^item 1 should not be marked as due by pity$/],
    ['featured flag', 3, true, /^item 1 should not be marked as featured$/],
  ] as const) {
    test(`a changed ${what}`, () => {
      const verification = afterChange((proof) => {
        (callOf(proof, 1, g, 0).results[0] as unknown[])[place] = value;
      });
      assertFailures(verification, { '1 group:g #0': [reason, changed], '1 group:g #1': [changed] });
    });
  }

  test('many changed items, of which only some are told', () => {
    const verification = afterChange((proof) => {
      for (const row of callOf(proof, 1, g, 21).results) row[0] = 'dawnblade';
    });
    const reasons = failuresOf(verification)['1 group:g #21'] ?? [];
    assert.equal(reasons.length, 5);
    assert.ok(
      reasons.some((reason) => /^and \d+ more differences like these$/.test(reason)),
      reasons.join(),
    );
  });

  test('a dropped roll in the middle', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 1, g, 5)), 1);
    });
    assertFailures(verification, {
      '1 group:g #6': [/^before it, #5 is missing from the proof$/],
    });
  });

  test('a dropped last roll', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 0, 'plain', 1)), 1);
    });
    assertFailures(verification, {
      'rotation 1': [/^it ends plain rolls with #1, but #1 of plain rolls is not in this proof$/],
    });
  });

  test('a dropped roll whose place was given to the next ones, with all links computed again', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 1, g, 5)), 1);
      relink(proof);
    });
    const failures = failuresOf(verification);
    // Every later roll now has the draws of another place.
    for (let nonce = 5; nonce < 21; nonce += 1)
      assert.ok(
        (failures[`1 group:g #${nonce}`] ?? []).some((reason) => /should be/.test(reason)),
        `#${nonce}`,
      );
    assert.equal(failures['1 group:g #4'], undefined);
  });

  test('rolls that were swapped', () => {
    const verification = afterChange((proof) => {
      const [one, other] = [callOf(proof, 1, g, 8), callOf(proof, 1, g, 9)];
      [one.nonce, other.nonce] = [other.nonce, one.nonce];
    });
    const failures = failuresOf(verification);
    assert.deepEqual(Object.keys(failures), ['1 group:g #7', '1 group:g #9', '1 group:g #8', '1 group:g #10']);
    for (const nonce of [8, 9]) {
      assert.ok(failures[`1 group:g #${nonce}`]?.some((reason) => /^item \d+ should be/.test(reason)));
      assert.ok(failures[`1 group:g #${nonce}`]?.some((reason) => /^before it, the counters/.test(reason)));
    }
  });

  test('rolls that were swapped, with all links computed again', () => {
    const verification = afterChange((proof) => {
      const place = proof.receipts.indexOf(callOf(proof, 0, 'plain', 0));
      const [one, other] = proof.receipts.splice(place, 2);
      proof.receipts.splice(place, 0, other as never, one as never);
      relink(proof);
    });
    const failures = failuresOf(verification);
    assert.ok(failures['0 plain #0'] !== undefined && failures['0 plain #1'] !== undefined);
  });

  test('a changed nonce', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, g, 21).nonce = 22;
    });
    const failures = failuresOf(verification);
    assert.deepEqual(Object.keys(failures), ['1 group:g #22']);
    assert.ok(failures['1 group:g #22']?.includes('before it, #21 is missing from the proof'));
    assert.ok(
      failures['1 group:g #22']?.some((reason) =>
        /^the next rotation ends the pity group "g" with #21, before this$/.test(reason),
      ),
    );
    assert.ok(failures['1 group:g #22']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('two receipts for one place', () => {
    const verification = afterChange((proof) => {
      proof.receipts.push({ ...callOf(proof, 1, g, 21), at: '2027-03-01T15:00:31.001Z' });
    });
    const failed = verification.receipts.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map((checked) => [labelOf(checked), checked.reasons]),
      Array(2).fill(['1 group:g #21', ['the proof has two different receipts for the same place']]),
    );
  });

  test('a changed seed', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).revealed = 'ff'.repeat(32);
    });
    const failures = failuresOf(verification);
    assert.match(
      failures['rotation 1']?.join() ?? '',
      /the server seed that it reveals is not the one that was promised/,
    );
    for (const label of ['0 group:g #0', '0 plain #0', '0 plain #1', '0 template:pack #0', '0 template:shrine #0'])
      assert.match(failures[label]?.[0] ?? '', /the server seed of its epoch is not the one promised$/, label);
    assert.deepEqual(verification.seeds[0], { epoch: 0, seed: 'ff'.repeat(32), isCommitted: false });
  });

  test('a seed that is never revealed', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 2).revealed = null;
      relink(proof);
    });
    assertFailures(verification, { 'rotation 2': [/does not reveal the server seed of the epoch before/] });
    assert.equal(verification.counts.sealed, 23);
  });

  test('a changed commitment', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).commitment = 'ab'.repeat(32);
      relink(proof);
    });
    const failures = failuresOf(verification);
    assert.match(failures['rotation 1']?.join() ?? '', /another server seed than the rotation before it had promised/);
    assert.match(failures['rotation 2']?.join() ?? '', /is not the one that was promised/);
    assert.match(failures['1 group:g #7']?.join() ?? '', /is not the one promised/);
  });

  test('another seed with a commitment that fits, chosen after the client seed was known', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).commitment = hashOfText('\u0000'.repeat(32));
      rotationOf(proof, 2).revealed = '00'.repeat(32);
      relink(proof);
    });
    const failures = failuresOf(verification);
    assert.deepEqual(failures['rotation 1'], ['it uses another server seed than the rotation before it had promised']);
    assert.equal(failures['rotation 2'], undefined, 'the seed fits the commitment');
    assert.ok(failures['1 group:g #0']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('a changed client seed', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).clientSeed = 'another one';
      relink(proof);
    });
    const failures = failuresOf(verification);
    assert.equal(failures['rotation 1'], undefined);
    assert.ok(failures['1 group:g #0']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('a client seed that was used again', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 2).clientSeed = rotationOf(proof, 1).clientSeed;
      relink(proof);
    });
    assertFailures(verification, { 'rotation 2': [/its client seed is the one of the epoch before: it must be new/] });
  });

  test('a changed snapshot', () => {
    const changeSnapshot = (hash: string) => (proof: TestProof) => {
      proof.snapshots[hash] = (proof.snapshots[hash] as string).replace('0.006', '0.007').replace('100', '200');
    };
    const { config, pool } = callOf(fairnessVectors().proof, 0, g, 0);
    const ofConfig = failuresOf(afterChange(changeSnapshot(config)));
    assert.deepEqual(ofConfig['0 group:g #0'], ['its configuration was changed: its text has another hash']);
    assert.equal(ofConfig['0 plain #0'], undefined);
    const ofPool = failuresOf(afterChange(changeSnapshot(pool)));
    assert.deepEqual(ofPool['0 template:pack #0'], [
      'its configuration needs a pool that was changed: its text has another hash',
    ]);
    assert.equal(ofPool['0 plain #0'], undefined);
  });

  test('a missing snapshot', () => {
    const { config } = callOf(fairnessVectors().proof, 0, g, 0);
    const failures = failuresOf(
      afterChange((proof) => {
        delete proof.snapshots[config];
      }),
    );
    assert.deepEqual(failures['0 group:g #0'], ['its configuration is not in the proof']);
    const manifest = rotationOf(fairnessVectors().proof, 0).manifest;
    const withoutManifest = afterChange((proof) => {
      delete proof.snapshots[manifest];
    });
    assert.deepEqual(failuresOf(withoutManifest)['0 plain #0'], [
      'the list of configurations that its epoch began with is not in the proof',
    ]);
  });

  /** Replaces a configuration by one that looks alike, with a snapshot of its own. */
  const lookalike = (proof: TestProof): { from: string; to: string } => {
    const { config: from } = callOf(proof, 0, g, 0);
    const value = JSON.parse(proof.snapshots[from] as string);
    value.config.baseRates.five = 0.003;
    return { from, to: addSnapshot(proof, canonicalText(value)) };
  };

  test('a configuration that is not in the manifest', () => {
    const verification = afterChange((proof) => {
      const call = callOf(proof, 2, g, 0);
      call.config = lookalike(proof).to;
    });
    assertFailures(verification, {
      '2 group:g #0': [/was not fixed when the epoch began, before the client seed was known/],
    });
  });

  test('a configuration that was put into the manifest later, with all links computed again', () => {
    const verification = afterChange((proof) => {
      const { from, to } = lookalike(proof);
      const { manifest } = rotationOf(proof, 0);
      const other = addSnapshot(proof, (proof.snapshots[manifest] as string).replace(from, to));
      for (const receipt of proof.receipts) {
        if (receipt.kind === 'rotate') receipt.manifest = other;
        else if (receipt.config === from) receipt.config = to;
      }
      relink(proof);
    });
    // The draws depend on the configuration.
    assert.ok(failuresOf(verification)['1 group:g #1']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('a configuration, pool or scope of something else', () => {
    const { config, pool } = callOf(fairnessVectors().proof, 0, 'plain', 0);
    const last = (change: (call: ReturnType<typeof callOf>) => void) =>
      failuresOf(afterChange((proof) => change(callOf(proof, 2, g, 0))));
    assert.match(
      last((call) => {
        call.config = config;
      })['2 group:g #0']?.join() ?? '',
      /its configuration is that of another template/,
    );
    assert.match(
      last((call) => {
        call.pool = pool;
      })['2 group:g #0']?.join() ?? '',
      /its pool is not the one of its configuration/,
    );
    assert.match(
      last((call) => {
        call.scope = 'template:b';
      })['2 template:b #0']?.join() ?? '',
      /it is listed under the template "b", but belongs to the pity group "g"/,
    );
  });

  test('a changed state', () => {
    const after = afterChange((proof) => {
      const { after: state } = callOf(proof, 1, g, 7);
      if (state !== null) state.pity.losses = 0;
    });
    assertFailures(after, {
      '1 group:g #7': [/^after it, the losses in a row should be 1, not 0$/, changed],
      '1 group:g #8': [
        changed,
        /^before it, the counters were not what the last roll had left: the losses in a row should be 0, not 1$/,
      ],
    });
    const before = afterChange((proof) => {
      const { before: state } = callOf(proof, 2, g, 0);
      if (state !== null) state.own.sparkPoints = 0;
    });
    assertFailures(before, {
      '2 group:g #0': [/the counters were not what the last roll had left: the spark points should be 221, not 0$/],
    });
  });

  test('a changed number of draws', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 0, g, 0).draws = 4;
      relink(proof);
    });
    assertFailures(verification, { '0 group:g #0': [/^it takes 3 draws, but the receipt says 4$/] });
  });

  test('a changed request', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 0, 'template:pack', 0).request = { count: 4 };
      callOf(proof, 0, 'template:shrine', 0).request = { count: 2, depth: 1001 };
      callOf(proof, 0, 'template:chest', 1).request = { count: 20 };
      callOf(proof, 0, 'plain', 1).request = { classifierOptionIds: ['five'] };
      callOf(proof, 0, 'plain', 0).request = { count: 1 };
      callOf(proof, 1, g, 20).request = { itemId: 'duskblade' };
      relink(proof);
    });
    assertFailures(verification, {
      '0 template:pack #0': [/^it should give 12 items, but the receipt has 9$/],
      // The depth changes the odds; with these draws, of one of the cards.
      ...(failuresOf(verification)['0 template:shrine #0'] === undefined
        ? {}
        : { '0 template:shrine #0': [/should be/] }),
      '0 template:shrine #0': [/^the depth 1001 is out of range$/],
      '0 template:chest #1': [/^it cannot be asked for like this$/],
      '0 plain #1': [/^item 1 should be "d\w+", but the receipt says "moonbow"$/],
      '0 plain #0': [/^a plain roll cannot be asked for like this$/],
      '1 group:g #20': [/^"duskblade" is not a featured item$/],
    });
  });

  test('an exchange that cost nothing', () => {
    const verification = afterChange((proof) => {
      const spark = callOf(proof, 1, g, 20);
      spark.after = spark.before;
      relink(proof);
    });
    assert.match(failuresOf(verification)['1 group:g #20']?.join() ?? '', /the spark points should be 121, not 131/);
  });

  test('a changed time', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, g, 21).at = '2027-03-01T15:00:31.001Z';
    });
    assertFailures(verification, {
      '1 group:g #21': [/the next rotation names another receipt as the last one/],
      'rotation 2': [/it names another receipt as the last of the pity group "g"/],
    });
    // What has accrued depends on the time.
    const idle = afterChange((proof) => {
      callOf(proof, 0, 'template:chest', 1).at = '2027-03-01T11:00:08.000Z';
      relink(proof);
    });
    assert.deepEqual(failuresOf(idle)['0 template:chest #1'], ['it should give 4 items, but the receipt has 20']);
  });

  test('a chain that was rewritten with all links computed again', () => {
    const verification = afterChange((proof) => {
      (callOf(proof, 1, g, 7).results[4] as unknown[]).splice(0, 5, 'dawnblade', 'five', false, true, [60]);
      relink(proof);
    });
    assertFailures(verification, {
      '1 group:g #7': [/^item 5 should be "duskblade", but the receipt says "dawnblade"$/],
    });
  });

  test('a roll that was added to an epoch after its end', () => {
    const verification = afterChange((proof) => {
      const last = callOf(proof, 0, 'plain', 1);
      proof.receipts.push({ ...last, nonce: 2, previous: hashOfReceipt(last) });
    });
    const reasons = failuresOf(verification)['0 plain #2'] ?? [];
    assert.match(reasons.at(-1) ?? '', /^the next rotation ends plain rolls with #1, before this$/);
  });

  test('a chain that a rotation does not list', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).chains.splice(1, 1);
    });
    const failures = failuresOf(verification);
    assert.match(failures['0 plain #0']?.join() ?? '', /^the next rotation does not list plain rolls/);
    assert.match(failures['rotation 2']?.join() ?? '', changed);
  });

  test('a list of chains that is out of order, or in the first rotation', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).chains.reverse();
      const first = rotationOf(proof, 0);
      first.chains = [['plain', 1, first.manifest]];
      first.revealed = first.manifest;
      first.previous = first.manifest;
    });
    const failures = failuresOf(verification);
    assert.match(failures['rotation 1']?.join() ?? '', /its list of closed rolls is not in order/);
    assert.equal(failures['rotation 0']?.length, 4);
  });

  test('receipts of another player', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 2, g, 0).userId = 'p2';
    });
    assertFailures(verification, { '2 group:g #0': [/it belongs to another player or team/] });
  });

  test('a missing rotation', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(rotationOf(proof, 1)), 1);
    });
    const failures = failuresOf(verification);
    assert.deepEqual(failures['1 group:g #0'], ['the rotation that began its epoch is not in the proof']);
  });

  test('a first roll that follows another rotation', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 2, g, 0).previous = hashOfReceipt(rotationOf(proof, 1));
    });
    assertFailures(verification, { '2 group:g #0': [/^it names another receipt as the rotation before it/] });
  });

  test('a snapshot that is not in the one form it may have', () => {
    /** The reasons of the last roll if a snapshot has another text, with its own hash. */
    const reasonsWith = (of: 'config' | 'pool' | 'manifest', change: (text: string) => string): string => {
      const verification = afterChange((proof) => {
        const call = callOf(proof, 2, g, 0);
        const rotation = rotationOf(proof, 2);
        const text = (hash: string): string => proof.snapshots[hash] as string;
        if (of === 'manifest') rotation.manifest = addSnapshot(proof, change(text(rotation.manifest)));
        if (of === 'pool') call.pool = addSnapshot(proof, change(text(call.pool)));
        if (of === 'pool')
          call.config = addSnapshot(proof, text(call.config).replace(/"pool":"\w+"/, `"pool":"${call.pool}"`));
        if (of === 'config') call.config = addSnapshot(proof, change(text(call.config)));
      });
      return failuresOf(verification)['2 group:g #0']?.join() ?? '';
    };
    assert.match(
      reasonsWith('config', (text) => ` ${text}`),
      /its configuration is not in canonical form/,
    );
    assert.match(
      reasonsWith('config', (text) => text.replace('"config":{', '"config":{},"config":{')),
      /its configuration is not in canonical form/,
    );
    assert.match(
      reasonsWith('pool', (text) => text.replaceAll('torch', 'aaa')),
      /its configuration needs a pool that is not in order/,
    );
    assert.match(
      reasonsWith('pool', (text) => text.replace('"optionIds":["four"]', '"optionIds":["six"]')),
      /needs a pool that has an item with an option that it does not list/,
    );
    assert.match(
      reasonsWith('manifest', (text) => text.replace('"second"', '"aaa"')),
      /the list of configurations that its epoch began with is not in order/,
    );
    assert.match(
      reasonsWith('manifest', () => 'x'),
      /the list of configurations that its epoch began with is not JSON/,
    );
  });

  test('a snapshot of an unknown engine, or one that does not compile', () => {
    const replaced = (change: (value: { engine: number; config: Record<string, unknown> }) => void) =>
      failuresOf(
        afterChange((proof) => {
          const call = callOf(proof, 2, g, 0);
          const value = JSON.parse(proof.snapshots[call.config] as string);
          change(value);
          call.config = addSnapshot(proof, canonicalText(value));
        }),
      )['2 group:g #0']?.join() ?? '';
    assert.match(
      replaced((value) => {
        value.engine = 2;
      }),
      /its configuration cannot be read: engine is not 1/,
    );
    assert.match(
      replaced((value) => {
        value.config.pityTier = 'six';
      }),
      /its configuration does not work: pityTier does not match/,
    );
    assert.match(
      replaced((value) => {
        value.config.baseRates = { five: '1' };
      }),
      /its configuration cannot be read: config.baseRates.five is not a number/,
    );
  });
});

describe('only a kept hash can show', () => {
  const { held } = fairnessVectors();

  test('that the last rolls of an epoch that goes on were dropped', () => {
    const drop = (proof: TestProof): void => {
      proof.receipts.pop();
    };
    assert.equal(afterChange(drop).isSound, true);
    const verification = afterChange(drop, [held.at(-1) as string]);
    assert.equal(verification.isSound, false);
    assert.deepEqual(verification.kept, [{ hash: held.at(-1), isFound: false }]);
  });

  test('that the last roll of a closed epoch was dropped, and the rotations after it rewritten', () => {
    const drop = (proof: TestProof): void => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 0, 'plain', 1)), 1);
      relink(proof);
    };
    assert.equal(afterChange(drop).isSound, true);
    assert.equal(afterChange(drop, [held[3] as string]).isSound, false);
  });

  test('that a roll with a hidden seed was changed', () => {
    const change = (proof: TestProof): void => {
      (callOf(proof, 2, g, 0).results[0] as unknown[])[0] = 'ironwill';
    };
    assert.equal(afterChange(change).isSound, true);
    assert.equal(afterChange(change, held).isSound, false);
  });

  test('that everything was rewritten, with other seeds', () => {
    const [kept, other] = ['one', 'other'].map((secret) => playedHistory(secret).proof()) as [TestProof, TestProof];
    const hashes = kept.receipts.map(hashOfReceipt);
    assert.equal(verify(kept, hashes).isSound, true);
    assert.equal(verify(other).isSound, true);
    for (const hash of hashes) assert.equal(verify(other, [hash]).isSound, false);
  });
});

/** The path of each value in a receipt that is neither list nor object. */
const leavesOf = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] => {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, member]) => leavesOf(member, [...path, key]));
};

const otherValue = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return 'f'.repeat(64);
  if (/^[0-9a-f]{64}$/.test(value)) return value.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  return /Z$/.test(value) ? value.replace('00Z', '01Z') : `${value}x`;
};

const changeAt = (root: unknown, path: readonly (string | number)[], change: (value: unknown) => unknown): void => {
  let place = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as typeof place;
  const last = path.at(-1) as string | number;
  place[last] = change(place[last]);
};

describe('of every receipt', () => {
  test('no value can be changed, except in an epoch that goes on, and there a kept hash shows it', () => {
    const proof = playedHistory('secret').proof();
    const kept = proof.receipts.map(hashOfReceipt);
    const last = proof.receipts.at(-1)?.epoch ?? 0;
    const leaves = leavesOf(proof.receipts);
    assert.ok(leaves.length > 300);
    for (const path of leaves) {
      const receipts = structuredClone(proof.receipts);
      changeAt(receipts, path, otherValue);
      const isOpen = proof.receipts[path[0] as number]?.epoch === last;
      const verification = verifyProof(JSON.stringify({ ...proof, receipts }), isOpen ? kept : []);
      assert.ok('error' in verification || !verification.isSound, path.join('.'));
    }
  });

  test('no character of a snapshot can be changed', () => {
    const proof = playedHistory('secret').proof();
    for (const [hash, text] of Object.entries(proof.snapshots)) {
      const place = text.length >> 1;
      const other = `${text.slice(0, place)}${text[place] === '0' ? '1' : '0'}${text.slice(place + 1)}`;
      const verification = verify({ ...proof, snapshots: { ...proof.snapshots, [hash]: other } });
      assert.equal(verification.isSound, false, text);
    }
  });
});

describe('a history', () => {
  test('is verified with templates that change, join a group and leave it', () => {
    const history = playHistory({ options, items, templates });
    history.rotate('one');
    for (let round = 0; round < 3; round += 1) history.roll('banner', { count: 2 });
    history.configure(templates.map((one) => (one.id === 'banner' ? inGroup(one) : one)));
    history.rotate('two');
    history.roll('banner', { count: 3 });
    history.roll('twin', { count: 3 });
    history.roll('banner', { count: 3 });
    history.configure(templates);
    history.rotate('three');
    history.roll('banner', { count: 1 });
    history.roll('twin', { count: 1 });
    history.rotate('four');
    const verification = verify(history.proof());
    assert.deepEqual(failuresOf(verification), {});
    assert.deepEqual(verification.notes, []);
    assert.deepEqual(verification.counts, { verified: 12, sealed: 0, failed: 0 });
  });

  test('is verified if rolls in between are left out', () => {
    const history = playHistory({ options, items, templates });
    for (const clientSeed of ['one', 'two', 'three']) {
      history.rotate(clientSeed);
      history.roll('twin', { count: 1 });
      history.roll('banner', { count: 1 });
    }
    history.rotate('four');
    const { receipts, ...rest } = history.proof();
    const part = receipts.filter(
      (receipt) => receipt.kind === 'rotate' || receipt.epoch !== 1 || receipt.scope !== 'group:group',
    );
    const verification = verify({ ...rest, receipts: part });
    assert.deepEqual(failuresOf(verification), {});
    assert.deepEqual(verification.notes, [
      'The first counters of the pity group "group" come from rolls before this proof, and are taken as given.',
      'Epoch 1 also has rolls that are not in this proof: the pity group "group".',
    ]);
    // What other templates leave still counts.
    const [last] = part.filter(
      (receipt) => receipt.kind === 'roll' && receipt.epoch === 2 && receipt.templateId === 'banner',
    );
    assert.ok(last?.kind === 'roll' && last.before !== null);
    last.before.own.rolls += 1;
    assert.match(JSON.stringify(failuresOf(verify({ ...rest, receipts: part }))), /had left: the number of rolls/);
  });

  test('is full where the service ends a proof', () => {
    assert.deepEqual(FULL_PROOF, { receipts: LIMITS.proofReceipts, length: LIMITS.proofLength });
  });

  test('of a thousand receipts ends without a fault: the rest is in another proof', () => {
    const history = playHistory({ options, items, templates });
    history.rotate('one');
    for (let round = 0; round < 1010; round += 1) history.roll('', {});
    history.roll('offer', { count: 1, depth: 1 });
    history.rotate('two');
    const { receipts, ...rest } = history.proof();
    assert.equal(verify({ ...rest, receipts }).counts.verified, 1013);
    const first = verify({ ...rest, receipts: [...receipts.slice(0, 999), ...receipts.slice(-1)] });
    assert.deepEqual(first.counts, { verified: 1000, sealed: 0, failed: 0 });
    assert.deepEqual(first.notes, [
      'In epoch 0, #998 to #1009 of plain rolls are not in this proof, which is full. Get another that begins there.',
      'Epoch 0 also has rolls that are not in this proof: the template "offer".',
    ]);
    const second = verify({ ...rest, receipts: [...receipts.slice(0, 1), ...receipts.slice(999)] });
    assert.deepEqual(second.counts, { verified: 15, sealed: 0, failed: 0 });
    assert.match(second.notes.join(), /^In epoch 0, #0 to #997 of plain rolls are not in this proof/);
  });

  test('with any seeds and requests is verified', () => {
    const calls = fc.array(
      fc.oneof(
        fc.record({ id: fc.constantFrom('banner', 'twin', 'pack'), count: fc.integer({ min: 1, max: 12 }) }),
        fc.record({ id: fc.constant('offer'), count: fc.integer({ min: 1, max: 3 }), depth: fc.nat(20) }),
        fc.record({ id: fc.constant('chest'), ms: fc.nat(10 * 3_600_000) }),
        fc.record({ id: fc.constant(''), classifierOptionIds: fc.subarray(['five', 'three', 'steel', 'wood']) }),
        fc.record({ id: fc.constant('spark'), itemId: fc.constantFrom('dawn', 'dusk') }),
        fc.record({ id: fc.constant('rotate') }),
      ),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), calls, (secret, clientSeed, list) => {
        const history = playHistory({ options, items, templates, secret });
        const seed = clientSeed.replaceAll(/\p{Cc}/gu, '').slice(0, 50);
        history.rotate(`0${seed}`.toWellFormed());
        let points = 0;
        for (const [index, { id, ...request }] of list.entries()) {
          if (id === 'rotate') history.rotate(`${index + 1}${seed}`.toWellFormed());
          else if (id === 'spark') {
            if (points < 3) continue;
            points -= 3;
            history.spark('banner', (request as { itemId: string }).itemId);
          } else {
            if ('ms' in request) history.wait(request.ms ?? 0);
            if (id === 'banner') points += (request as { count: number }).count;
            const { ms: _, ...asked } = request as { ms?: number; count?: number };
            history.roll(id, asked);
          }
        }
        history.rotate('last');
        const verification = verify(history.proof());
        assert.deepEqual(failuresOf(verification), {});
        assert.equal(verification.counts.sealed, 0);
        assert.deepEqual(verification.notes, []);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what is not a proof', () => {
  const { proof } = fairnessVectors();
  const errorOf = (source: string): string => {
    const verification = verifyProof(source);
    assert.ok('error' in verification, 'it was read');
    return verification.error;
  };

  test('is refused with the reason', () => {
    const with1 = (receipt: object) => JSON.stringify({ ...proof, receipts: [receipt] });
    const [rotation, roll] = proof.receipts as [object, object];
    for (const [source, reason] of [
      ['', /it is not JSON/],
      ['{"v":1', /it is not JSON/],
      ['null', /it is not an object/],
      ['[]', /it is not an object/],
      ['{}', /v is missing/],
      ['{"v":2}', /version that this verifier does not know/],
      ['{"v":1,"receipts":[],"snapshots":{}}', /it has no receipts/],
      ['{"v":1,"receipts":{},"snapshots":{}}', /receipts is not a list/],
      [JSON.stringify({ ...proof, more: 1 }), /more is not a known member/],
      [JSON.stringify({ ...proof, snapshots: { x: '' } }), /the name of snapshots.x is not a hash/],
      [JSON.stringify({ ...proof, snapshots: { ['a'.repeat(64)]: 1 } }), /is not a text/],
      [JSON.stringify({ ...proof, snapshots: [] }), /snapshots is not an object/],
      [with1([]), /receipts\[0\] is not an object/],
      [with1({}), /receipts\[0\] is not a receipt/],
      [with1({ ...rotation, v: 2 }), /receipts\[0\] is of a version/],
      [with1({ ...rotation, kind: 'gift' }), /kind is not "rotate", "roll" or "spark"/],
      [with1({ ...rotation, clientSeed: '' }), /clientSeed is not a client seed/],
      [with1({ ...rotation, clientSeed: 'a\u0000' }), /clientSeed is not a client seed/],
      [with1({ ...rotation, clientSeed: '\ud800' }), /clientSeed is not a client seed/],
      [with1({ ...rotation, userId: 'a\udc00' }), /userId is not a text/],
      [with1({ ...rotation, chains: [['plain', 0, 'a'.repeat(64)]] }), /chains\[0\]\[1\] is not a whole number of 1/],
      [with1({ ...rotation, epoch: -1 }), /epoch is not a whole number of 0 or more/],
      [with1({ ...rotation, epoch: 2 ** 53 }), /epoch is not a whole number/],
      [with1({ ...rotation, at: '2027-02-29T00:00:00.000Z' }), /at is not a time/],
      [with1({ ...rotation, previous: 'A'.repeat(64) }), /previous is not a hash/],
      [with1({ ...roll, results: [['a', null, false, false]] }), /results\[0\] is not a list of 5 entries/],
      [with1({ ...roll, results: [['a', null, 0, false, []]] }), /results\[0\]\[2\] is not true or false/],
      [with1({ ...roll, request: { count: 1.5 } }), /request.count is not a whole number/],
      [with1({ ...roll, request: { itemId: 'a' } }), /request.itemId is not a known member/],
      [with1({ ...roll, before: { pity: {}, own: {} } }), /before.pity.counters is missing/],
      [with1({ ...roll, draws: null }), /draws is not a whole number/],
      [with1({ ...roll, extra: {} }), /extra is not a known member/],
      [with1({ hash: 'a'.repeat(64), receipt: 1 }), /receipts\[0\].receipt is not an object/],
      [with1({ hash: 1, receipt: rotation }), /receipts\[0\].hash is not a hash/],
    ] as const) {
      assert.match(errorOf(source), reason, source.slice(0, 200));
      assert.match(errorOf(source), /^This is not a proof that can be read: .*\.$/);
    }
  });

  test('is refused quickly, however hostile', () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    assert.match(errorOf(deep), /not/);
    assert.match(errorOf(`{"v":1,"snapshots":{},"receipts":[${deep}]}`), /receipts\[0\] is not an object/);
    const [rotation, roll] = proof.receipts.map((receipt) => JSON.stringify(receipt)) as [string, string];
    const proofOf = (receipt: string): string => `{"v":1,"snapshots":{},"receipts":[${receipt}]}`;
    assert.match(errorOf(proofOf(roll.replace(/"request":\{.*?\}/, `"request":${deep}`))), /request is not an object/);
    for (const name of ['__proto__', 'constructor', 'toString', 'x'.repeat(1_000_000)]) {
      const error = errorOf(proofOf(rotation.replace('"v"', `${JSON.stringify(name)}:{},"v"`)));
      assert.match(error, /is not a known member/);
      assert.ok(error.length < 200);
    }
    assert.match(errorOf(' '.repeat(64 * 1024 * 1024 + 1)), /longer than any proof/);
    assert.match(errorOf(proofOf(roll.replace('"draws":3', '"draws":1e999'))), /draws is not a whole number/);
  });

  test('may begin with a byte order mark', () => {
    assert.ok(!('error' in verifyProof(`\ufeff${JSON.stringify(proof)}`)));
  });

  test('never throws, whatever is put in the place of a value', () => {
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(null, -1, 0, 1e9, 2 ** 53 - 1, 1e300, '', 'constructor', '__proto__', [], {}, [[]], true),
      fc.string(),
    );
    const paths = leavesOf(proof);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...paths), fc.nat(6), odd), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const copy = structuredClone(proof);
          for (const [path, drop, value] of changes) {
            try {
              changeAt(copy, path.slice(0, Math.max(1, path.length - drop)), () => structuredClone(value));
            } catch {
              // An earlier change has removed the place.
            }
          }
          verifyProof(JSON.stringify(copy));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('never throws, whatever is in a snapshot', () => {
    const call = callOf(proof, 0, 'template:pack', 0);
    const config = JSON.parse(proof.snapshots[call.config] as string);
    const pool = JSON.parse(proof.snapshots[call.pool] as string);
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(null, -1, 0, 1e9, 1e300, 5e-324, '', 'constructor', '__proto__', [], {}, true),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...leavesOf({ config, pool }), ['config', 'config', 'choices'], ['config', 'config', 'pool']),
        fc.nat(4),
        odd,
        fc.constantFrom('card_pack', 'gacha', 'roguelike', 'idle', 'plain'),
        (path, drop, value, type) => {
          const copy = structuredClone({ config: { ...config, type }, pool });
          changeAt(copy, path.slice(0, Math.max(2, path.length - drop)), () => structuredClone(value));
          const changed = structuredClone(proof);
          const poolHash = addSnapshot(changed, canonicalText(copy.pool));
          const other = callOf(changed, 0, 'template:pack', 0);
          other.pool = poolHash;
          other.config = addSnapshot(changed, canonicalText({ ...copy.config, pool: poolHash }));
          verify(changed);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('gives no work beyond its own size', () => {
    const started = performance.now();
    const verification = afterChange((changed) => {
      const [pack, shrine, chest] = ['pack', 'shrine', 'chest'].map((id) => callOf(changed, 0, `template:${id}`, 0));
      Object.assign(pack ?? {}, { request: { count: 2 ** 53 - 1 } });
      Object.assign(shrine ?? {}, { request: { count: 2 ** 53 - 1, depth: 2 ** 53 - 1 } });
      Object.assign(chest ?? {}, {
        before: {
          pity: { counters: [], losses: 0 },
          own: { rolls: 0, sparkPoints: 0, idle: { atMs: 0, rolls: 2 ** 53 - 1, units: 2 ** 53 - 1 } },
        },
      });
      callOf(changed, 0, g, 0).request = { count: 2 ** 53 - 1 };
    });
    assert.equal(verification.counts.failed > 4, true);
    assert.ok(performance.now() - started < 2000);
  });
});
