import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { item } from '../../../test/catalogs.ts';
import { compileCatalog } from '../pool/catalog.ts';
import { compilePool, rollItem } from '../pool/pool.ts';
import { canonicalText } from './canonical.ts';
import {
  type AnyReceipt,
  EDITION,
  manifestEntry,
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
  v: fc.constant(EDITION),
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
  salt: hash,
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
    head: hash,
    count,
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

test('a manifest lists hidden configurations by the hash of their templates', () => {
  const { manifest } = vectors.proof.receipts[0] as { manifest: string };
  const published = vectors.proof.snapshots[manifest] as string;
  const { templates } = JSON.parse(published) as { templates: [string, string][] };
  assert.equal(manifestText(templates.toReversed()), published);
  assert.equal(hashOfText(published), manifest);
  assert.equal(published, canonicalText(JSON.parse(published)));
  const call = vectors.proof.receipts[1] as { templateId: string; config: string; salt: string };
  const [template, config] = manifestEntry(call.templateId, call.config, call.salt);
  assert.equal(template, createHash('sha256').update(call.templateId).digest('hex'));
  assert.equal(
    config,
    createHash('sha256').update(Buffer.from(call.salt, 'hex')).update(Buffer.from(call.config, 'hex')).digest('hex'),
  );
  assert.ok(templates.some(([key, value]) => key === template && value === config));
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
