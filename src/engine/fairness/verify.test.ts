import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { callOf, fairnessVectors, hashOfReceipt, playHistory } from '../../../test/fairness.ts';
import {
  assertFailures,
  banner,
  failuresOf,
  inGroup,
  items,
  labelOf,
  options,
  templates,
} from '../../../test/proofs.ts';
import { checkedTexts, verified } from '../../../test/verified.ts';
import { LIMITS } from '../../shared/limits.ts';
import { FULL_PROOF, type Verification, verifyInSteps } from './verify.ts';

describe('the published proof', () => {
  const { proof, held, serverSeed } = fairnessVectors();
  const verification = verified(proof, { receipts: held });

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
    assert.deepEqual(verification.receipts.filter(({ status }) => status === 'sealed').map(labelOf), ['2 #0']);
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
    const receipt = callOf(proof, 1, 20);
    assert.deepEqual(verification.itemsOf(receipt), [
      {
        itemId: 'dawnblade',
        name: 'dawnblade',
        tier: null,
        pity: false,
        featured: true,
        values: [{ attributeId: 'power', value: 49 }],
      },
    ]);
  });

  test('may come in any order, with receipts twice, or with their hashes beside them', () => {
    const shuffled = [...proof.receipts, ...proof.receipts].reverse();
    assert.deepEqual(verified({ ...proof, receipts: shuffled }).counts, verification.counts);
    const listed = proof.receipts.map((receipt) => ({ hash: hashOfReceipt(receipt), receipt }));
    assert.deepEqual(verified({ ...proof, receipts: listed }, { receipts: held }).counts, verification.counts);
    listed[3] = { hash: held[4] as string, receipt: proof.receipts[3] as never };
    assertFailures(verified({ ...proof, receipts: listed }), { '0 #2': [/not the one that stands beside it/] });
  });

  test('can be a part: what is left out is told, and the rest is verified', () => {
    const part = (claim: { epoch: number; from: number }, keep: (epoch: number, nonce: number) => boolean) => ({
      ...proof,
      ...claim,
      receipts: proof.receipts.filter((receipt) =>
        receipt.kind === 'rotate' ? receipt.epoch > 0 : keep(receipt.epoch, receipt.nonce),
      ),
    });
    const alone = verified(part({ epoch: 1, from: 0 }, (epoch) => epoch === 1));
    assert.deepEqual(alone.counts, { verified: 24, sealed: 0, failed: 0 });
    assert.deepEqual(alone.notes, [
      'The first counters of the pity group "g" come from rolls that are not shown here, and are taken as given.',
    ]);
    assert.deepEqual(alone.receipts.filter(({ isStartGiven }) => isStartGiven).map(labelOf), ['1 #0', '1 #1']);
    const end = verified(part({ epoch: 1, from: 19 }, (epoch, nonce) => epoch === 1 && nonce >= 18));
    assert.deepEqual(end.counts, { verified: 6, sealed: 0, failed: 0 });
    assert.match(end.notes.join(), /Of epoch 1, #0 to #18 are not shown here\./);
    const later = verified(part({ epoch: 2, from: 0 }, (epoch, nonce) => epoch === 2 || (epoch === 1 && nonce === 21)));
    assert.deepEqual(later.counts, { verified: 3, sealed: 1, failed: 0 });
    assert.deepEqual(later.notes, [
      'The first counters of the pity group "g" come from rolls that are not shown here, and are taken as given.',
      'Of epoch 1, only what later rolls go on from is shown here.',
    ]);
  });

  test('can be in several parts, which are one story', () => {
    const of = (epoch: number) => ({
      ...proof,
      epoch,
      receipts: proof.receipts.filter((receipt) =>
        receipt.kind === 'rotate' ? [epoch, epoch + 1].includes(receipt.epoch) : receipt.epoch === epoch,
      ),
    });
    const story = checkedTexts([of(1), of(0), of(2)].map((one) => JSON.stringify(one))) as Verification;
    assert.deepEqual(story.counts, verification.counts);
    assert.deepEqual(story.notes, []);
  });

  test('is sealed without the rotation that reveals a seed', () => {
    const receipts = proof.receipts.filter(({ kind, epoch }) => (kind === 'rotate' ? epoch === 0 : epoch === 0));
    assert.deepEqual(verified({ ...proof, receipts }).counts, { verified: 1, sealed: 7, failed: 0 });
  });

  test('is checked in steps that tell how far it is', () => {
    const shares: number[] = [];
    const steps = verifyInSteps([JSON.stringify(proof)]);
    for (let step = steps.next(null); !step.done; step = steps.next(null)) shares.push(Number(step.value));
    assert.ok(shares.length > 30);
    assert.ok(shares.every((share, index) => share >= (shares[index - 1] ?? 0) && share <= 1));
    assert.equal(shares.at(-1), 1);
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
    const verification = verified(history.proof());
    assert.deepEqual(failuresOf(verification), {});
    assert.deepEqual(verification.notes, []);
    assert.deepEqual(verification.counts, { verified: 12, sealed: 0, failed: 0 });
  });

  test('goes on from epoch to epoch: counters that were cleared in between are found', () => {
    const history = playHistory({ options, items, templates });
    for (const clientSeed of ['one', 'two', 'three']) {
      history.rotate(clientSeed);
      history.roll('twin', { count: 4 });
      history.roll('banner', { count: 1 });
    }
    history.rotate('four');
    const { receipts, ...rest } = history.proof();
    // The proof of an epoch has the last roll of each template before it.
    const part = receipts.filter(
      ({ kind, epoch }) => (kind === 'rotate' && epoch > 0) || (kind !== 'rotate' && epoch > 0),
    );
    const proof = { ...rest, epoch: 2, from: 0, receipts: part };
    assert.deepEqual(failuresOf(verified(proof)), {});
    const [cleared] = part.filter((receipt) => receipt.kind === 'roll' && receipt.epoch === 2);
    assert.ok(cleared?.kind === 'roll' && cleared.before !== null);
    cleared.before.pity.counters = [];
    assert.match(
      JSON.stringify(failuresOf(verified(proof))['2 #0']),
      /the counters were not what the last roll had left: the pity counter/,
    );
  });

  test('says what the next roll would have been at each rotation, and how likely so many of the best are', () => {
    const history = playHistory({ options, items, templates: [banner] });
    for (let epoch = 0; epoch < 30; epoch += 1) {
      history.rotate(`seed ${epoch}`);
      history.roll('banner', { count: 1 });
    }
    history.rotate('last');
    const { notMade, passedOver } = verified(history.proof());
    assert.equal(notMade.length, 30);
    assert.equal(passedOver.rolls, 30);
    // A steered history: every rotation comes before a result of the best tier.
    const steered = playHistory({ options, items, templates: [banner] });
    steered.rotate('first');
    for (let epoch = 0; epoch < 12; epoch += 1) {
      do steered.roll('banner', { count: 1 });
      while (steered.foresee('banner')[0]?.[1] !== 'five');
      steered.rotate(`avoided ${epoch}`);
    }
    const found = verified(steered.proof());
    assert.equal(found.isSound, true);
    assert.equal(found.passedOver.best, 12);
    assert.ok(found.passedOver.chance < 1e-5, String(found.passedOver.chance));
  });

  test('names templates of the same odds', () => {
    const twins = [banner, { ...banner, id: 'lookalike' }];
    const history = playHistory({ options, items, templates: [...twins, ...templates.slice(1)] });
    history.rotate('one');
    for (const { id } of twins) history.roll(id, { count: 1 });
    history.roll('twin', { count: 1 });
    assert.deepEqual(verified(history.proof()).lookalikes, [['banner', 'lookalike']]);
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
    assert.equal(verified({ ...rest, receipts }).counts.verified, 1013);
    const claim = { ...rest, epoch: 0 };
    const first = verified({ ...claim, receipts: [...receipts.slice(0, 1000), ...receipts.slice(-1)] });
    assert.deepEqual(first.counts, { verified: 1001, sealed: 0, failed: 0 });
    assert.deepEqual(first.notes, [
      'Of epoch 0, #999 to #1010 are not shown here, because the proof is full. Add the next one.',
    ]);
    const second = verified({ ...claim, from: 999, receipts: [...receipts.slice(0, 1), ...receipts.slice(999)] });
    assert.deepEqual(second.counts, { verified: 15, sealed: 0, failed: 0 });
    assert.match(second.notes.join(), /Of epoch 0, #0 to #998 are not shown here\./);
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
        const verification = verified(history.proof());
        assert.deepEqual(failuresOf(verification), {});
        assert.equal(verification.counts.sealed, 0);
        assert.deepEqual(verification.notes, []);
      }),
      { numRuns: 60 },
    );
  });
});
