import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIGS } from '../../catalog/configs.ts';
import { LIMITS } from '../../shared/limits.ts';
import { CONFIG_LIMITS, CONFIG_SHAPES } from './config-shape.ts';

/** A configuration with all members of a schema: the example, and any value for those that it leaves out. */
const sampleOf = (schema: Readonly<Record<string, unknown>>): unknown => {
  if (schema.type === 'object') {
    const properties = (schema.properties ?? { tier: schema.additionalProperties }) as Record<string, never>;
    return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, sampleOf(member)]));
  }
  if (schema.type === 'array') return [sampleOf(schema.items as never)];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'string') return schema.format === 'date-time' ? '2027-01-01T00:00:00.000Z' : 'text';
  return (schema.maximum as number | undefined) ?? 1;
};

test('the limits are those of the service', () => {
  for (const [name, limit] of Object.entries(CONFIG_LIMITS))
    assert.equal(LIMITS[name as keyof typeof LIMITS], limit, name);
});

test('every member of the contract is known, up to its largest value', () => {
  for (const [type, schema] of Object.entries(CONFIGS)) {
    const shape = CONFIG_SHAPES[type as keyof typeof CONFIGS];
    const sample = sampleOf({ ...schema }) as Record<string, unknown>;
    assert.ok(Object.keys(sample).length >= 10);
    assert.equal(shape(sample, ''), undefined);
    for (const name of schema.required ?? []) {
      const { [name]: _, ...rest } = sample;
      assert.equal(shape(rest, ''), `${name} is missing`);
    }
    assert.equal(shape({ ...sample, other: 1 }, ''), 'other is not a known member');
  }
});

test('values that the contract refuses are refused', () => {
  for (const [type, config, fault] of [
    ['gacha', [], /it is not an object/],
    ['gacha', { pityThreshold: 1001 }, /pityThreshold is not a whole number from 0 to 1000/],
    ['gacha', { baseRates: { five: -1 } }, /baseRates.five is not a number from 0/],
    ['gacha', { baseRates: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, 1])) }, /101 members/],
    ['gacha', { softPity: Array(101).fill({ from: 1, add: 1 }) }, /101 entries/],
    ['gacha', { pities: [{ tier: 'a', threshold: 0 }] }, /pities\[0\].threshold is not/],
    ['gacha', { pool: { itemIds: [1] } }, /pool.itemIds\[0\] is not a text/],
    ['card_pack', { slots: [{ count: 1e9 }, { count: -1e9 }] }, /slots\[0\].count is not a whole number from 1 to 20/],
    ['roguelike', { choices: 1e9 }, /choices is not a whole number from 1 to 20/],
    ['roguelike', { depthScaling: { five: 3 } }, /depthScaling.five is not a number from 0 to 2/],
    ['idle', { rollsPerHour: 1e7 }, /rollsPerHour is not a number from 0 to 1000000/],
    ['plain', { pool: {} }, /pool is not a known member/],
  ] as const)
    assert.match(CONFIG_SHAPES[type](config, '') ?? '', fault);
});
