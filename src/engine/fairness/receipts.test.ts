import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { item } from '../../../test/catalogs.ts';
import { compileCatalog } from '../pool/catalog.ts';
import { compilePool, rollItem } from '../pool/pool.ts';
import { canonicalText } from './canonical.ts';
import {
  type AnyReceipt,
  manifestText,
  NO_PREVIOUS,
  plainRow,
  receiptText,
  scopeOf,
  sparkRow,
  templateRow,
} from './receipts.ts';
import { hashOfText } from './sha256.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/fairness-vectors.json', import.meta.url), 'utf8'),
) as {
  receipt: AnyReceipt;
  receiptHash: string;
  held: string[];
  proof: { receipts: AnyReceipt[]; snapshots: Record<string, string> };
};

const text = fc.string({ unit: 'binary', maxLength: 20 });
const hash = text.map(hashOfText);
const count = fc.maxSafeNat();
const state = fc.option(
  fc.record({
    pity: fc.record({ losses: count, counters: fc.array(fc.record({ tier: text, since: count }), { maxLength: 3 }) }),
    own: fc.record({
      sparkPoints: count,
      rolls: count,
      idle: fc.option(fc.record({ units: count, rolls: count, atMs: count })),
    }),
  }),
);
const shared = {
  v: fc.constant(1 as const),
  userId: text,
  teamId: text,
  previous: hash,
  epoch: count,
  at: text,
};
const row = fc.tuple(
  text,
  fc.option(text),
  fc.boolean(),
  fc.boolean(),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 3 }),
);
const call = {
  ...shared,
  templateId: text,
  scope: text,
  results: fc.array(row, { maxLength: 3 }),
  pool: hash,
  nonce: count,
  draws: count,
  config: hash,
  before: state,
  after: state,
};
const anyReceipt: fc.Arbitrary<AnyReceipt> = fc.oneof(
  fc.record({
    ...shared,
    kind: fc.constant('rotate' as const),
    revealed: fc.option(hash),
    nextCommitment: hash,
    manifest: hash,
    commitment: hash,
    clientSeed: text,
    chains: fc.array(fc.tuple(text, count, hash), { maxLength: 3 }),
  }),
  fc.record({
    ...call,
    kind: fc.constant('roll' as const),
    request: fc.record(
      { depth: count, count, classifierOptionIds: fc.array(text, { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ ...call, kind: fc.constant('spark' as const), request: fc.record({ itemId: text }) }),
);

describe('the text of a receipt', () => {
  test('is canonical', () => {
    fc.assert(fc.property(anyReceipt, (receipt) => assert.equal(receiptText(receipt), canonicalText(receipt))));
  });

  test('has the published hashes', () => {
    assert.equal(hashOfText(receiptText(vectors.receipt)), vectors.receiptHash);
    assert.deepEqual(
      vectors.proof.receipts.map((receipt) => hashOfText(receiptText(receipt))),
      vectors.held,
    );
  });

  test('names nothing before the first rotation', () => {
    assert.equal(vectors.proof.receipts[0]?.previous, NO_PREVIOUS);
    assert.match(NO_PREVIOUS, /^0{64}$/);
  });
});

test('a manifest lists configurations in byte order of their templates', () => {
  const [hashOf, published] = Object.entries(vectors.proof.snapshots).at(-1) as [string, string];
  const { templates } = JSON.parse(published) as { templates: [string, string][] };
  assert.equal(manifestText(templates.toReversed()), published);
  assert.equal(hashOfText(published), hashOf);
  const entries = ['b', '\u{1f600}', '', '\ufb33', 'a'].map((id) => [id, NO_PREVIOUS] as const);
  assert.equal(
    manifestText(entries),
    canonicalText({ v: 1, templates: ['', 'a', 'b', '\ufb33', '\u{1f600}'].map((id) => [id, NO_PREVIOUS]) }),
  );
});

test('a scope is a template, or the pity group it is in', () => {
  assert.equal(scopeOf('banner', null), 'template:banner');
  assert.equal(scopeOf('banner', 'limited'), 'group:limited');
});

test('results are rows of item, tier, pity, featured and values', () => {
  const sword = item('sword', [], 1, [
    { id: 'b', attributeId: 'luck', min: 1, max: 3, step: 1 },
    { id: 'a', attributeId: 'power', min: 10, max: 20, step: 0.5 },
  ]);
  const rolled = rollItem(compilePool(compileCatalog([], [sword])), () => 0.5);
  assert.ok(rolled !== undefined);
  assert.deepEqual(plainRow(rolled), ['sword', null, false, false, [15, 2]]);
  assert.deepEqual(sparkRow(rolled), ['sword', null, false, true, [15, 2]]);
  assert.deepEqual(templateRow({ ...rolled, tier: 'five', pity: true, featured: true }), [
    'sword',
    'five',
    true,
    true,
    [15, 2],
  ]);
});
