import assert from 'node:assert/strict';
import type { Kept } from '../src/engine/fairness/kept.ts';
import type { CheckedReceipt, Verification } from '../src/engine/fairness/verify.ts';
import { item, option } from './catalogs.ts';
import { fairnessVectors, playHistory, type TestHistory, type TestProof, type TestTemplate } from './fairness.ts';
import { verified } from './verified.ts';

export const labelOf = ({ receipt }: CheckedReceipt): string =>
  receipt.kind === 'rotate' ? `rotation ${receipt.epoch}` : `${receipt.epoch} #${receipt.nonce}`;

/** The failed receipts with their reasons. */
export const failuresOf = ({ receipts }: Verification): Record<string, readonly string[]> =>
  Object.fromEntries(
    receipts.filter(({ status }) => status === 'failed').map((checked) => [labelOf(checked), checked.reasons]),
  );

/** What is found after a change of the published proof. */
export const afterChange = (change: (proof: TestProof) => void, kept: Kept = {}): Verification => {
  const { proof } = fairnessVectors();
  change(proof);
  return verified(proof, kept);
};

/** A change must be found at exactly these receipts, for reasons like these. */
export const assertFailures = (verification: Verification, expected: Record<string, readonly RegExp[]>): void => {
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

export const options = [
  ...['five', 'three'].map((id) => option(id)),
  ...['steel', 'wood'].map((id) => option(id, 'material')),
];
export const power = { id: 'power-1', attributeId: 'power', min: 1, max: 9, step: 0.5 };
export const items = [
  item('dawn', ['five', 'steel'], 3, [power, { id: 'luck-1', attributeId: 'luck', min: -5, max: 5, step: null }]),
  item('dusk', ['five', 'wood'], 1.5, [{ ...power, id: 'power-2' }]),
  ...['axe', 'bow', 'cap', 'dart', 'rope'].map((id, index) => item(id, ['three', index % 2 === 0 ? 'wood' : 'steel'])),
];
export const baseRates = { five: 0.1, three: 0.9 };
export const banner: TestTemplate = {
  id: 'banner',
  type: 'gacha',
  config: { baseRates, pityThreshold: 10, featuredItemIds: ['dawn', 'dusk'], featuredShare: 0.5, sparkCurrency: 3 },
};
export const inGroup = (template: TestTemplate): TestTemplate => ({
  ...template,
  config: { ...template.config, pityGroup: 'group' },
});
export const templates: TestTemplate[] = [
  banner,
  inGroup({ id: 'twin', type: 'gacha', config: { baseRates, pityThreshold: 10 } }),
  { id: 'pack', type: 'card_pack', config: { baseRates, slots: [{ count: 2 }], unique: true, pityThreshold: 3 } },
  { id: 'offer', type: 'roguelike', config: { baseRates, choices: 2, depthScaling: { five: 1.1 } } },
  { id: 'chest', type: 'idle', config: { baseRates, pityThreshold: 5, rollsPerHour: 1 } },
];

/** A call of every kind in each of two epochs, the second of which goes on. */
export const playedHistory = (secret: string): TestHistory => {
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

export const changed = /one of the two was changed/;

/** The path of each value in a receipt that is neither list nor object. */
export const leavesOf = (value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] => {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, member]) => leavesOf(member, [...path, key]));
};

export const changeAt = (
  root: unknown,
  path: readonly (string | number)[],
  change: (value: unknown) => unknown,
): void => {
  let place = root as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) place = place[key] as typeof place;
  const last = path.at(-1) as string | number;
  place[last] = change(place[last]);
};
