import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addSnapshot, callOf, fairnessVectors } from '../../../test/fairness.ts';
import { afterChange, changeAt, leavesOf } from '../../../test/proofs.ts';
import { checkedTexts } from '../../../test/verified.ts';
import { canonicalText } from './canonical.ts';
import { verifyProofs } from './verify.ts';

describe('what is not a proof', () => {
  const { proof } = fairnessVectors();
  const errorOf = (source: string): string => {
    const verification = checkedTexts([source]);
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
      ['{"v":3}', /version that this verifier does not know/],
      ['{"v":1}', /of the first edition, whose results could be chosen/],
      ['{"v":2,"v":2}', /two members named "v"/],
      ['{"v":2,"a":[{"b" : 1, "\\u0062":2}]}', /two members named "b"/],
      ['{"v":2,"receipts":[],"snapshots":{}}', /it has no receipts/],
      ['{"v":2,"receipts":{},"snapshots":{}}', /receipts is not a list/],
      [JSON.stringify({ ...proof, more: 1 }), /more is not a known member/],
      [JSON.stringify({ ...proof, snapshots: { x: '' } }), /the name of snapshots.x is not a hash/],
      [JSON.stringify({ ...proof, snapshots: { ['a'.repeat(64)]: 1 } }), /is not a text/],
      [JSON.stringify({ ...proof, snapshots: [] }), /snapshots is not an object/],
      [with1([]), /receipts\[0\] is not an object/],
      [with1({}), /receipts\[0\] is not a receipt/],
      [with1({ ...rotation, v: 3 }), /receipts\[0\] is of a version/],
      [with1({ ...rotation, kind: 'gift' }), /kind is not "rotate", "roll" or "spark"/],
      [with1({ ...rotation, clientSeed: '' }), /clientSeed is not a client seed/],
      [with1({ ...rotation, clientSeed: 'a\u0000' }), /clientSeed is not a client seed/],
      [with1({ ...rotation, clientSeed: '\ud800' }), /clientSeed is not a client seed/],
      [with1({ ...rotation, userId: 'a\udc00' }), /userId is not a text/],
      [with1({ ...rotation, count: -1 }), /count is not a whole number of 0 or more/],
      [with1({ ...rotation, chains: [] }), /chains is not a known member/],
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
    assert.match(errorOf(`{"v":2,"snapshots":{},"receipts":[${deep}]}`), /receipts\[0\] is not an object/);
    const [rotation, roll] = proof.receipts.map((receipt) => JSON.stringify(receipt)) as [string, string];
    const proofOf = (receipt: string): string => `{"v":2,"snapshots":{},"receipts":[${receipt}]}`;
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
    assert.ok(!('error' in checkedTexts([`\ufeff${JSON.stringify(proof)}`])));
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
          verifyProofs([JSON.stringify(copy)]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('never throws, whatever is in a snapshot', () => {
    const call = callOf(proof, 0, 3);
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
          const other = callOf(changed, 0, 3);
          other.pool = poolHash;
          other.config = addSnapshot(changed, canonicalText({ ...copy.config, pool: poolHash }));
          assert.ok(!('error' in verifyProofs([JSON.stringify(changed)])));
        },
      ),
      { numRuns: 200 },
    );
  });

  test('gives no work beyond its own size', () => {
    const { user: before } = process.threadCpuUsage();
    const verification = afterChange((changed) => {
      const [pack, shrine, chest] = [3, 4, 5].map((nonce) => callOf(changed, 0, nonce));
      Object.assign(pack ?? {}, { request: { count: 2 ** 53 - 1 } });
      Object.assign(shrine ?? {}, { request: { count: 2 ** 53 - 1, depth: 2 ** 53 - 1 } });
      Object.assign(chest ?? {}, {
        before: {
          pity: { counters: [], losses: 0 },
          own: { rolls: 0, sparkPoints: 0, idle: { atMs: 0, rolls: 2 ** 53 - 1, units: 2 ** 53 - 1 } },
        },
      });
      callOf(changed, 0, 0).request = { count: 2 ** 53 - 1 };
    });
    assert.equal(verification.counts.failed > 4, true);
    // Far more than it takes; 2 ** 53 rolls would never end.
    assert.ok(process.threadCpuUsage().user - before < 2e6);
  });
});
