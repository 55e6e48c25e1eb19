import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { callOf, fairnessVectors, hashOfReceipt, playHistory } from '../../../test/fairness.ts';
import { assertFailures, failuresOf, g, inGroup, items, labelOf, options, templates } from '../../../test/proofs.ts';
import { verified } from '../../../test/verified.ts';
import { LIMITS } from '../../limits.ts';
import { FULL_PROOF, verifyInSteps } from './verify.ts';

describe('the published proof', () => {
  const { proof, held, serverSeed } = fairnessVectors();
  const verification = verified(proof, held);

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
    assert.deepEqual(verified({ ...proof, receipts: shuffled }).counts, verification.counts);
    const listed = proof.receipts.map((receipt) => ({ hash: hashOfReceipt(receipt), receipt }));
    assert.deepEqual(verified({ ...proof, receipts: listed }, held).counts, verification.counts);
    listed[3] = { hash: held[4] as string, receipt: proof.receipts[3] as never };
    assertFailures(verified({ ...proof, receipts: listed }), { '0 plain #1': [/not the one that stands beside it/] });
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
    const epoch = verified(part((epoch) => epoch === 1));
    assert.deepEqual(epoch.counts, { verified: 24, sealed: 0, failed: 0 });
    assert.deepEqual(epoch.notes, [
      'The first counters of the pity group "g" come from rolls before this proof, and are taken as given.',
    ]);
    assert.deepEqual(epoch.receipts.filter(({ isStartGiven }) => isStartGiven).map(labelOf), ['1 group:g #0']);
    const end = verified(part((epoch, _, nonce) => epoch === 1 && nonce >= 18));
    assert.deepEqual(end.counts, { verified: 6, sealed: 0, failed: 0 });
    assert.match(end.notes[1] ?? '', /^In epoch 1, #0 to #17 of the pity group "g" are not in this proof.$/);

    const first = proof.receipts.filter(({ epoch, kind }) => (kind === 'rotate' ? epoch < 2 : epoch === 0));
    const scope = first.filter((receipt) => receipt.kind === 'rotate' || receipt.scope === 'plain');
    const oneScope = verified({ ...proof, receipts: scope });
    assert.deepEqual(oneScope.counts, { verified: 4, sealed: 0, failed: 0 });
    assert.deepEqual(oneScope.notes, [
      'Epoch 0 also has rolls that are not in this proof: the pity group "g", the template "chest", the template "pack", the template "shrine".',
    ]);
  });

  test('is sealed without the rotation that reveals a seed', () => {
    const receipts = proof.receipts.filter(({ kind, epoch }) => (kind === 'rotate' ? epoch === 0 : epoch === 0));
    assert.deepEqual(verified({ ...proof, receipts }).counts, { verified: 1, sealed: 7, failed: 0 });
  });

  test('is checked in steps that tell how far it is', () => {
    const shares = [...verifyInSteps(JSON.stringify(proof))];
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
    const verification = verified({ ...rest, receipts: part });
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
    assert.match(JSON.stringify(failuresOf(verified({ ...rest, receipts: part }))), /had left: the number of rolls/);
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
    const first = verified({ ...rest, receipts: [...receipts.slice(0, 1000), ...receipts.slice(-1)] });
    assert.deepEqual(first.counts, { verified: 1001, sealed: 0, failed: 0 });
    assert.deepEqual(first.notes, [
      'In epoch 0, #999 to #1009 of plain rolls are not in this proof, which is full. Get another that begins there.',
      'Epoch 0 also has rolls that are not in this proof: the template "offer".',
    ]);
    const second = verified({ ...rest, receipts: [...receipts.slice(0, 1), ...receipts.slice(999)] });
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
        const verification = verified(history.proof());
        assert.deepEqual(failuresOf(verification), {});
        assert.equal(verification.counts.sealed, 0);
        assert.deepEqual(verification.notes, []);
      }),
      { numRuns: 60 },
    );
  });
});
