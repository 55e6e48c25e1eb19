import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addSnapshot,
  callOf,
  fairnessVectors,
  hashOfReceipt,
  relink,
  rotationOf,
  type TestProof,
} from '../../../test/fairness.ts';
import {
  afterChange,
  assertFailures,
  changeAt,
  changed,
  failuresOf,
  labelOf,
  leavesOf,
  playedHistory,
} from '../../../test/proofs.ts';
import { checkedTexts, verified } from '../../../test/verified.ts';
import { canonicalText } from './canonical.ts';
import { manifestEntry } from './receipts.ts';
import { hashOfText } from './sha256.ts';
import { FULL_PROOF, verifyProofs } from './verify.ts';

/** Another configuration of the banner. */
const lookalike = (proof: TestProof): { from: string; to: string } => {
  const { config: from } = callOf(proof, 0, 0);
  const value = JSON.parse(proof.snapshots[from] as string);
  value.config.baseRates.five = 0.003;
  return { from, to: addSnapshot(proof, canonicalText(value)) };
};

describe('tampering with a proof is found:', () => {
  test('a changed item', () => {
    const verification = afterChange((proof) => {
      (callOf(proof, 1, 3).results[4] as unknown[])[0] = 'dawnblade';
    });
    assertFailures(verification, {
      '1 #3': [/^item 5 should be "cap", but the receipt says "dawnblade"$/, changed],
      '1 #4': [changed],
    });
  });

  test('an item that does not exist, even while the seed is hidden', () => {
    const verification = afterChange((proof) => {
      (callOf(proof, 2, 0).results[0] as unknown[])[0] = 'excalibur';
    });
    assertFailures(verification, { '2 #0': [/^"excalibur" is not an item of its pool$/] });
  });

  test('a changed value', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, 16).results[0]?.[4].splice(0, 1, 60);
    });
    assertFailures(verification, {
      '1 #16': [/^the values of item 1, "dawnblade", should be 59, but the receipt says 60$/, changed],
      '1 #17': [changed],
    });
  });

  for (const [what, place, value, reason] of [
    ['tier', 1, 'five', /^item 1 should be of the tier "three", but the receipt says the tier "five"$/],
    ['pity flag', 2, true, /^item 1 should not be marked as due by pity$/],
    ['featured flag', 3, true, /^item 1 should not be marked as featured$/],
  ] as const) {
    test(`a changed ${what}`, () => {
      const verification = afterChange((proof) => {
        (callOf(proof, 1, 0).results[0] as unknown[])[place] = value;
      });
      assertFailures(verification, { '1 #0': [reason, changed], '1 #1': [changed] });
    });
  }

  test('many changed items, of which only some are told', () => {
    const verification = afterChange((proof) => {
      for (const row of callOf(proof, 1, 21).results) row[0] = 'dawnblade';
    });
    const reasons = failuresOf(verification)['1 #21'] ?? [];
    assert.equal(reasons.length, 5);
    assert.ok(
      reasons.some((reason) => /^and \d+ more differences like these$/.test(reason)),
      reasons.join(),
    );
  });

  test('a dropped roll in the middle', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 1, 5)), 1);
    });
    assertFailures(verification, {
      '1 #6': [/^before it, the counters were not what the last roll had left/, /^before it, #5 is missing$/],
      '1 #7': [/^before it, the counters were not what the last roll had left/],
    });
  });

  test('a dropped last roll', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 0, 6)), 1);
    });
    assertFailures(verification, {
      'rotation 1': [/^it ends the epoch with #6, but #6 is missing$/],
    });
  });

  test('a dropped last roll of a proof that was made to look full', () => {
    const { proof } = fairnessVectors();
    proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 0, 6)), 1);
    const { length } = FULL_PROOF;
    const padded = [
      JSON.stringify({ ...proof, receipts: Array(60).fill(proof.receipts).flat() }),
      JSON.stringify(proof) + ' '.repeat(length),
      JSON.stringify({ ...proof, snapshots: { ...proof.snapshots, ['0'.repeat(64)]: ' '.repeat(length) } }),
    ];
    for (const source of padded) {
      const verification = checkedTexts([source]);
      assert.ok(!('error' in verification));
      assertFailures(verification, {
        'rotation 1': [/^it ends the epoch with #6, but #6 is missing$/],
      });
    }
  });

  test('a dropped roll whose place was given to the next ones, with all links computed again', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 1, 5)), 1);
      relink(proof);
    });
    const failures = failuresOf(verification);
    // Every later roll now has the draws of another place.
    for (let nonce = 5; nonce < 21; nonce += 1)
      assert.ok(
        (failures[`1 #${nonce}`] ?? []).some((reason) => /should be/.test(reason)),
        `#${nonce}`,
      );
    assert.equal(failures['1 #4'], undefined);
  });

  test('rolls that were swapped', () => {
    const verification = afterChange((proof) => {
      const [one, other] = [callOf(proof, 1, 8), callOf(proof, 1, 9)];
      [one.nonce, other.nonce] = [other.nonce, one.nonce];
    });
    const failures = failuresOf(verification);
    assert.deepEqual(Object.keys(failures), ['1 #7', '1 #9', '1 #8', '1 #10']);
    for (const nonce of [8, 9]) {
      assert.ok(failures[`1 #${nonce}`]?.some((reason) => /^item \d+ should be/.test(reason)));
      assert.ok(failures[`1 #${nonce}`]?.some((reason) => /^before it, the counters/.test(reason)));
    }
  });

  test('rolls that were swapped, with all links computed again', () => {
    const verification = afterChange((proof) => {
      const place = proof.receipts.indexOf(callOf(proof, 0, 1));
      const [one, other] = proof.receipts.splice(place, 2);
      proof.receipts.splice(place, 0, other as never, one as never);
      relink(proof);
    });
    const failures = failuresOf(verification);
    assert.ok(failures['0 #1'] !== undefined && failures['0 #2'] !== undefined);
  });

  test('a changed nonce', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, 21).nonce = 22;
    });
    const failures = failuresOf(verification);
    assert.deepEqual(Object.keys(failures), ['1 #22']);
    assert.ok(failures['1 #22']?.includes('before it, #21 is missing'));
    assert.ok(failures['1 #22']?.some((reason) => /^the next rotation ends with #21$/.test(reason)));
    assert.ok(failures['1 #22']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('two receipts for one place', () => {
    const verification = afterChange((proof) => {
      proof.receipts.push({ ...callOf(proof, 1, 21), at: '2027-03-01T15:00:31.001Z' });
    });
    const failed = verification.receipts.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map((checked) => [labelOf(checked), checked.reasons]),
      Array(2).fill(['1 #21', ['there are two different receipts for the same place']]),
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
    for (const label of ['0 #0', '0 #1', '0 #2', '0 #3', '0 #4'])
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
    assert.match(failures['1 #7']?.join() ?? '', /is not the one promised/);
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
    assert.ok(failures['1 #0']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('a changed client seed', () => {
    const verification = afterChange((proof) => {
      rotationOf(proof, 1).clientSeed = 'another one';
      relink(proof);
    });
    const failures = failuresOf(verification);
    assert.equal(failures['rotation 1'], undefined);
    assert.ok(failures['1 #0']?.some((reason) => /^item \d+ should be/.test(reason)));
  });

  test('a server seed that is used again, so that it may be known before its epoch ends', () => {
    for (const [epoch, used] of [
      [0, 0],
      [1, 1],
      [1, 0],
    ] as const) {
      const verification = afterChange((proof) => {
        rotationOf(proof, epoch).nextCommitment = rotationOf(proof, used).commitment;
        relink(proof);
      });
      const reasons = failuresOf(verification)[`rotation ${epoch}`];
      assert.deepEqual(reasons, ['it has the same server seed for two epochs']);
    }
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
    const { config, pool } = callOf(fairnessVectors().proof, 0, 0);
    const ofConfig = failuresOf(afterChange(changeSnapshot(config)));
    assert.deepEqual(ofConfig['0 #0'], ['its configuration was changed: its text has another hash']);
    assert.equal(ofConfig['0 #1'], undefined);
    const ofPool = failuresOf(afterChange(changeSnapshot(pool)));
    assert.deepEqual(ofPool['0 #3'], ['its configuration needs a pool that was changed: its text has another hash']);
    assert.equal(ofPool['0 #1'], undefined);
  });

  test('a missing snapshot', () => {
    const { config } = callOf(fairnessVectors().proof, 0, 0);
    const failures = failuresOf(
      afterChange((proof) => {
        delete proof.snapshots[config];
      }),
    );
    assert.deepEqual(failures['0 #0'], ['its configuration is not in the proof']);
    const manifest = rotationOf(fairnessVectors().proof, 0).manifest;
    const withoutManifest = afterChange((proof) => {
      delete proof.snapshots[manifest];
    });
    assert.deepEqual(failuresOf(withoutManifest)['0 #1'], [
      'the list of configurations that its epoch began with is not in the proof',
    ]);
  });

  /** Replaces a configuration by one that looks alike, with a snapshot of its own. */
  test('a configuration that is not in the manifest', () => {
    const verification = afterChange((proof) => {
      const call = callOf(proof, 2, 0);
      call.config = lookalike(proof).to;
    });
    assertFailures(verification, {
      '2 #0': [/was not fixed when the epoch began, before the client seed was known/],
    });
  });

  test('a configuration, pool or scope of something else', () => {
    const { config, pool } = callOf(fairnessVectors().proof, 0, 1);
    const last = (change: (call: ReturnType<typeof callOf>) => void) =>
      failuresOf(afterChange((proof) => change(callOf(proof, 2, 0))));
    assert.match(
      last((call) => {
        call.config = config;
      })['2 #0']?.join() ?? '',
      /its configuration is that of another template/,
    );
    assert.match(
      last((call) => {
        call.pool = pool;
      })['2 #0']?.join() ?? '',
      /its pool is not the one of its configuration/,
    );
    assert.match(
      last((call) => {
        call.scope = 'template:b';
      })['2 #0']?.join() ?? '',
      /it is listed under the template "b", but belongs to the pity group "g"/,
    );
  });

  test('a changed state', () => {
    const after = afterChange((proof) => {
      const { after: state } = callOf(proof, 1, 7);
      if (state !== null) state.pity.losses = 1;
    });
    assertFailures(after, {
      '1 #7': [/^after it, the losses in a row should be 0, not 1$/, changed],
      '1 #8': [
        changed,
        /^before it, the counters were not what the last roll had left: the losses in a row should be 1, not 0$/,
      ],
    });
    const before = afterChange((proof) => {
      const { before: state } = callOf(proof, 2, 0);
      if (state !== null) state.own.sparkPoints = 0;
    });
    assertFailures(before, {
      '2 #0': [/the counters were not what the last roll had left: the spark points should be 221, not 0$/],
    });
  });

  test('a changed number of draws', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 0, 0).draws = 4;
      relink(proof);
    });
    assertFailures(verification, { '0 #0': [/^it takes 3 draws, but the receipt says 4$/] });
  });

  test('a changed request', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 0, 3).request = { count: 4 };
      callOf(proof, 0, 4).request = { count: 2, depth: 1001 };
      callOf(proof, 0, 6).request = { count: 20 };
      callOf(proof, 0, 2).request = { classifierOptionIds: ['five'] };
      callOf(proof, 0, 1).request = { count: 1 };
      callOf(proof, 1, 20).request = { itemId: 'duskblade' };
      relink(proof);
    });
    assertFailures(verification, {
      '0 #3': [/^it should give 12 items, but the receipt has 9$/],
      '0 #4': [/^the depth 1001 is out of range$/],
      '0 #6': [/^it cannot be asked for like this$/],
      '0 #2': [/^item 1 should be "d\w+", but the receipt says "cap"$/, /^it takes 4 draws, but the receipt says 3$/],
      '0 #1': [/^a plain roll cannot be asked for like this$/],
      '1 #20': [/^"duskblade" is not a featured item$/],
    });
  });

  test('an exchange that cost nothing', () => {
    const verification = afterChange((proof) => {
      const spark = callOf(proof, 1, 20);
      spark.after = spark.before;
      relink(proof);
    });
    assert.match(failuresOf(verification)['1 #20']?.join() ?? '', /the spark points should be 121, not 131/);
  });

  test('a changed time', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, 21).at = '2027-03-01T15:00:31.001Z';
    });
    assertFailures(verification, {
      '1 #21': [/the next rotation names another receipt as the last one/],
      'rotation 2': [/it names another receipt as the last one/],
    });
    // What has accrued depends on the time.
    const idle = afterChange((proof) => {
      callOf(proof, 0, 6).at = '2027-03-01T11:00:08.000Z';
      relink(proof);
    });
    assert.deepEqual(failuresOf(idle)['0 #6'], ['it should give 4 items, but the receipt has 20']);
  });

  test('a chain that was rewritten with all links computed again', () => {
    const verification = afterChange((proof) => {
      (callOf(proof, 1, 7).results[4] as unknown[]).splice(0, 5, 'dawnblade', 'five', false, true, [60]);
      relink(proof);
    });
    assertFailures(verification, {
      '1 #7': [/^item 5 should be "club", but the receipt says "dawnblade"$/],
    });
  });

  test('a roll that was added to an epoch after its end', () => {
    const verification = afterChange((proof) => {
      const last = callOf(proof, 0, 6);
      proof.receipts.push({ ...last, nonce: 7, previous: hashOfReceipt(last) });
    });
    const reasons = failuresOf(verification)['0 #7'] ?? [];
    assert.match(reasons.at(-1) ?? '', /^the next rotation ends with #6$/);
  });

  test('a rotation that ends nothing, or ends something before the first epoch', () => {
    const verification = afterChange((proof) => {
      Object.assign(rotationOf(proof, 1), { count: 0, head: hashOfReceipt(rotationOf(proof, 0)) });
      const first = rotationOf(proof, 0);
      Object.assign(first, { count: 1, head: first.manifest, revealed: first.manifest, previous: first.manifest });
    });
    const failures = failuresOf(verification);
    assert.match(failures['0 #1']?.join() ?? '', /^the next rotation says that nothing was rolled/);
    assert.match(failures['rotation 2']?.join() ?? '', changed);
    assert.equal(failures['rotation 0']?.length, 4);
  });

  test('a time before that of the receipt before', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 1, 9).at = '2027-03-01T14:59:00.000Z';
      relink(proof);
    });
    assertFailures(verification, { '1 #9': [/^its time, 2027-03-01T14:59:00.000Z, is before that of the receipt/] });
  });

  test('a missing epoch', () => {
    const verification = afterChange((proof) => {
      proof.receipts = proof.receipts.filter(({ epoch }) => epoch !== 0);
    });
    assert.match(failuresOf(verification)['rotation 1']?.join() ?? '', /before it, the rotation to epoch 0 is missing/);
  });

  test('receipts of another player', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 2, 0).userId = 'p2';
    });
    assertFailures(verification, { '2 #0': [/it belongs to another player or team/] });
  });

  test('a missing rotation', () => {
    const verification = afterChange((proof) => {
      proof.receipts.splice(proof.receipts.indexOf(rotationOf(proof, 1)), 1);
    });
    const failures = failuresOf(verification);
    assert.deepEqual(failures['1 #0'], ['the rotation that began its epoch is missing']);
  });

  test('a first roll that follows another rotation', () => {
    const verification = afterChange((proof) => {
      callOf(proof, 2, 0).previous = hashOfReceipt(rotationOf(proof, 1));
    });
    assertFailures(verification, { '2 #0': [/^it names another receipt as the rotation before it/] });
  });

  test('a snapshot that is not in the one form it may have', () => {
    /** The reasons of the last roll if a snapshot has another text, with its own hash. */
    const reasonsWith = (of: 'config' | 'pool' | 'manifest', change: (text: string) => string): string => {
      const verification = afterChange((proof) => {
        const call = callOf(proof, 2, 0);
        const rotation = rotationOf(proof, 2);
        const text = (hash: string): string => proof.snapshots[hash] as string;
        if (of === 'manifest') rotation.manifest = addSnapshot(proof, change(text(rotation.manifest)));
        if (of === 'pool') call.pool = addSnapshot(proof, change(text(call.pool)));
        if (of === 'pool')
          call.config = addSnapshot(proof, text(call.config).replace(/"pool":"\w+"/, `"pool":"${call.pool}"`));
        if (of === 'config') call.config = addSnapshot(proof, change(text(call.config)));
      });
      return failuresOf(verification)['2 #0']?.join() ?? '';
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
      reasonsWith('manifest', (text) => {
        const { templates, v } = JSON.parse(text) as { templates: unknown[]; v: number };
        return JSON.stringify({ templates: templates.toReversed(), v });
      }),
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
          const call = callOf(proof, 2, 0);
          const value = JSON.parse(proof.snapshots[call.config] as string);
          change(value);
          call.config = addSnapshot(proof, canonicalText(value));
        }),
      )['2 #0']?.join() ?? '';
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

describe('only what was kept can show', () => {
  const { held } = fairnessVectors();

  test('that another configuration was put into the manifest later, and all links computed again', () => {
    const change = (proof: TestProof): void => {
      const { from, to } = lookalike(proof);
      const { manifest } = rotationOf(proof, 0);
      const { salt } = callOf(proof, 0, 0);
      const [before, after] = [from, to].map((config) => manifestEntry('b', config, salt)[1]) as [string, string];
      const other = addSnapshot(proof, (proof.snapshots[manifest] as string).replace(before, after));
      for (const receipt of proof.receipts) {
        if (receipt.kind === 'rotate') receipt.manifest = other;
        else if (receipt.config === from) receipt.config = to;
      }
      relink(proof);
    };
    // The draws stay the same, so whatever is rolled with the other configuration is no better chosen.
    assert.equal(afterChange(change).isSound, true);
    assert.equal(afterChange(change, { receipts: held }).isSound, false);
  });

  test('that another server seed was used, once the client seed was known', () => {
    const [shown, used] = ['one', 'other'].map((secret) => playedHistory(secret).proof()) as [TestProof, TestProof];
    const { commitment, clientSeed } = rotationOf(shown, 1);
    assert.equal(verified(used, { seeds: [{ clientSeed }] }).isSound, true);
    assert.equal(verified(shown, { seeds: [{ commitment, clientSeed }] }).isSound, true);
    const verification = verified(used, { seeds: [{ commitment, clientSeed }] });
    assert.equal(verification.isSound, false);
    assert.deepEqual(
      verification.kept.map(({ kind, isFound }) => [kind, isFound]),
      [
        ['commitment', false],
        ['client seed', false],
      ],
    );
  });

  test('that the last rolls of an epoch that goes on were dropped', () => {
    const drop = (proof: TestProof): void => {
      proof.receipts.pop();
    };
    assert.equal(afterChange(drop).isSound, true);
    const verification = afterChange(drop, { receipts: [held.at(-1) as string] });
    assert.equal(verification.isSound, false);
    assert.deepEqual(verification.kept, [{ kind: 'receipt', value: held.at(-1), isFound: false }]);
  });

  test('that the last roll of a closed epoch was dropped, and the rotations after it rewritten', () => {
    const drop = (proof: TestProof): void => {
      proof.receipts.splice(proof.receipts.indexOf(callOf(proof, 0, 6)), 1);
      relink(proof);
    };
    assert.equal(afterChange(drop).isSound, true);
    assert.equal(afterChange(drop, { receipts: [held[7] as string] }).isSound, false);
  });

  test('that a roll with a hidden seed was changed', () => {
    const change = (proof: TestProof): void => {
      (callOf(proof, 2, 0).results[0] as unknown[])[0] = 'moonbow';
    };
    assert.equal(afterChange(change).isSound, true);
    assert.equal(afterChange(change, { receipts: held }).isSound, false);
  });

  test('that everything was rewritten, with other seeds', () => {
    const [kept, other] = ['one', 'other'].map((secret) => playedHistory(secret).proof()) as [TestProof, TestProof];
    const hashes = kept.receipts.map(hashOfReceipt);
    assert.equal(verified(kept, { receipts: hashes }).isSound, true);
    assert.equal(verified(other).isSound, true);
    for (const hash of hashes) assert.equal(verified(other, { receipts: [hash] }).isSound, false);
  });
});

const otherValue = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return 'f'.repeat(64);
  if (/^[0-9a-f]{64}$/.test(value)) return value.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  return /Z$/.test(value) ? value.replace('00Z', '01Z') : `${value}x`;
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
      const verification = verifyProofs([JSON.stringify({ ...proof, receipts })], isOpen ? { receipts: kept } : {});
      assert.ok('error' in verification || !verification.isSound, path.join('.'));
    }
  });

  test('no character of a snapshot can be changed', () => {
    const proof = playedHistory('secret').proof();
    for (const [hash, text] of Object.entries(proof.snapshots)) {
      const place = text.length >> 1;
      const other = `${text.slice(0, place)}${text[place] === '0' ? '1' : '0'}${text.slice(place + 1)}`;
      const verification = verified({ ...proof, snapshots: { ...proof.snapshots, [hash]: other } });
      assert.equal(verification.isSound, false, text);
    }
  });
});
