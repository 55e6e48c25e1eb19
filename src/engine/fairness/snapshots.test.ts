import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { item, option } from '../../../test/catalogs.ts';
import { type Catalog, type CatalogItem, type CatalogOption, compileCatalog } from '../pool/catalog.ts';
import { allAtOnce } from '../steps.ts';
import type { TemplateConfig } from '../systems/config.ts';
import { type CompiledTemplate, compileTemplate } from '../systems/templates.ts';
import { canonicalText } from './canonical.ts';
import {
  type ConfigSnapshot,
  configText,
  plainPoolText,
  type SnapshotCatalog,
  templateFromSnapshot,
  templatePoolText,
} from './snapshots.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/fairness-vectors.json', import.meta.url), 'utf8'),
) as { receipt: object; receiptCanonical: string; receiptHash: string; proof: { snapshots: Record<string, string> } };
const texts = Object.entries(vectors.proof.snapshots);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Numerators are not part of a compiled catalog; here they are looked up in what it was compiled from. */
const sourceOf = (catalog: Catalog, items: readonly CatalogItem[]): SnapshotCatalog => ({
  catalog,
  rollNumeratorOf: ({ id }) => items.find((one) => one.id === id)?.rollNumerator ?? Number.NaN,
});

const compiled = (catalog: Catalog, { templateId, type, config, bindings }: ConfigSnapshot): CompiledTemplate => {
  assert.ok(type !== 'plain');
  const { template, faults } = compileTemplate({ id: templateId, type, config, bindings }, catalog);
  assert.ok(template !== null, JSON.stringify(faults));
  return template;
};

describe('canonical texts', () => {
  test('sort members by code units, also inside of others, and have no spaces', () => {
    const value = { b: [{ z: 1, a: null }], é: true, A: 'x', '😀': 1, '\ufb33': 2, 10: 1, 9: 2, left: undefined };
    assert.equal(canonicalText(value), '{"10":1,"9":2,"A":"x","b":[{"a":null,"z":1}],"é":true,"😀":1,"\ufb33":2}');
  });

  test('print numbers and strings as RFC 8785 says', () => {
    const numbers = [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0];
    const string = '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/';
    assert.equal(
      canonicalText({ numbers, string, literals: [null, true, false] }),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  test('are those of the published receipt', () => {
    assert.equal(canonicalText(vectors.receipt), vectors.receiptCanonical);
    assert.equal(hashOf(vectors.receiptCanonical), vectors.receiptHash);
  });
});

describe('the published snapshots', () => {
  const parsed = texts.map(([hash, text]) => ({ hash, text, value: JSON.parse(text) }));
  const pools = parsed.filter(({ value }) => 'items' in value);
  const configs = parsed.filter(({ value }) => 'engine' in value) as { text: string; value: ConfigSnapshot }[];
  // The pool of plain rolls is the whole catalog.
  const plain = configs.find(({ value }) => value.type === 'plain');
  const whole = pools.find(({ hash }) => hash === plain?.value.pool);
  assert.ok(whole !== undefined);
  const { options, items } = whole.value as { options: CatalogOption[]; items: CatalogItem[] };
  const catalog = compileCatalog(
    options,
    items.map((one) => ({ ...one, width: 2, height: 3 })),
  );
  const source = sourceOf(catalog, items);

  test('are known by their hashes', () => {
    assert.ok(pools.length === 2 && configs.length === 6);
    for (const { hash, text, value } of parsed) {
      assert.equal(hashOf(text), hash);
      assert.equal(canonicalText(value), text);
    }
  });

  test('are made of the catalog and the configurations', () => {
    for (const { text, value } of configs) {
      const pool =
        value.type === 'plain'
          ? allAtOnce(plainPoolText(source))
          : allAtOnce(templatePoolText(source, compiled(catalog, value), value));
      assert.ok(pool !== null);
      assert.equal(pool.join(''), vectors.proof.snapshots[value.pool], value.templateId);
      assert.equal(configText({ ...value, pool: hashOf(pool.join('')) }), text);
    }
  });

  test('compile into templates with the same snapshots', () => {
    for (const { value } of configs) {
      if (value.type === 'plain') continue;
      const pool = vectors.proof.snapshots[value.pool] as string;
      const template = templateFromSnapshot(value, pool);
      assert.equal(template.type, value.type);
      const { items: known } = JSON.parse(pool) as { items: CatalogItem[] };
      const again = compileCatalog(
        options,
        known.map((one) => ({ ...one, width: 1, height: 1 })),
      );
      const text = allAtOnce(templatePoolText(sourceOf(again, known), compiled(again, value), value));
      assert.equal(text?.join(''), pool);
    }
  });
});

describe('the pool of a template', () => {
  const items = [
    item('axe', ['rare', 'steel'], 3),
    item('bow', ['wood'], 5),
    item('club', ['common', 'wood'], 7, [
      { id: 'b', attributeId: 'power', min: 0.5, max: 2, step: 0.5 },
      { id: 'a', attributeId: 'luck', min: -1, max: 1, step: null },
    ]),
    item('dart', [], 9),
  ];
  const options = [
    ...['rare', 'common'].map((id) => option(id)),
    ...['steel', 'wood', 'bone'].map((id) => option(id, 'material')),
    option('unused', 'other'),
  ];
  const catalog = compileCatalog(options, items);
  const config: TemplateConfig = {
    baseRates: { rare: 1, common: 9 },
    slots: [{ count: 1, classifierOptionIds: ['wood', 'bone', 'steel'] }],
    pool: { itemIds: ['axe', 'club', 'dart'] },
  };
  const bindings = { rare: 'rare', common: 'common' };
  const snapshot: ConfigSnapshot = { templateId: 't', type: 'card_pack', config, bindings, pool: '' };
  const template = compiled(catalog, snapshot);
  const textOf = (mostLength?: number) =>
    allAtOnce(templatePoolText(sourceOf(catalog, items), template, snapshot, mostLength));

  test('has items of the tiers and named ones, with their options and named ones, in byte order', () => {
    const text = textOf()?.join('') ?? '';
    const value = JSON.parse(text);
    assert.deepEqual(
      value.items.map(({ id, rollNumerator }: CatalogItem) => [id, rollNumerator]),
      [
        ['axe', 3],
        ['club', 7],
        ['dart', 9],
      ],
    );
    assert.deepEqual(value.items[1].attributes, [
      { attributeId: 'luck', id: 'a', max: 1, min: -1, step: null },
      { attributeId: 'power', id: 'b', max: 2, min: 0.5, step: 0.5 },
    ]);
    assert.deepEqual(
      value.options.map(({ id }: CatalogOption) => id),
      ['bone', 'common', 'rare', 'steel', 'wood'],
    );
    assert.equal(canonicalText(value), text);
  });

  test('is null if it is longer than allowed', () => {
    const length = textOf()?.join('').length ?? 0;
    assert.notEqual(textOf(length), null);
    assert.equal(textOf(length - 1), null);
  });

  test('comes in parts if it is long', () => {
    const many = Array.from({ length: 2000 }, (_, index) => item(`item-${String(index).padStart(4, '0')}`, ['rare']));
    const large = compileCatalog(options, many);
    const source = sourceOf(large, [{ ...(many[0] as CatalogItem) }]);
    const parts = allAtOnce(plainPoolText({ ...source, rollNumeratorOf: () => 1 }));
    assert.ok(parts !== null && parts.length > 2);
    assert.equal(JSON.parse(parts.join('')).items.length, 2000);
    assert.equal(allAtOnce(plainPoolText({ ...source, rollNumeratorOf: () => 1 }, 100_000)), null);
  });
});
