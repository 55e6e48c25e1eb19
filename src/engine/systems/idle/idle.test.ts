import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogOf, templateOf } from '../../../../test/catalogs.ts';
import { cheapDraws } from '../../../../test/statistics.ts';
import { rollTemplate, viewState } from '../rolling.ts';
import { type IdleAccount, initialState } from '../state.ts';
import { accrue, claim } from './idle.ts';

const catalog = catalogOf({ five: 1, three: 3 });
const chestOf = (rollsPerHour: number, maxHours?: number) =>
  templateOf('idle', { baseRates: { five: 1, three: 9 }, pityThreshold: 5, rollsPerHour, maxHours }, catalog);
const HOUR = 3_600_000;

describe('accrual', () => {
  test('starts with the first call, which gives nothing', () => {
    const { rules } = chestOf(10);
    assert.deepEqual(claim(rules, null, 5000), { count: 0, account: { atMs: 5000, rolls: 0, units: 0 } });
  });

  test('gives whole rolls and keeps the rest, to the millisecond', () => {
    const { rules } = chestOf(0.3);
    const start: IdleAccount = { atMs: 0, rolls: 0, units: 0 };
    assert.equal(claim(rules, start, HOUR * 10).count, 3);
    assert.equal(claim(rules, start, 12_000_000 - 1).count, 0);
    assert.equal(claim(rules, start, 12_000_000).count, 1);
    assert.deepEqual(claim(rules, start, 12_000_001).account, { atMs: 12_000_001, rolls: 0, units: 300_000 });
  });

  test('stops at maxHours, and at 1,000 rolls per call with the rest kept', () => {
    const start: IdleAccount = { atMs: 0, rolls: 0, units: 0 };
    assert.equal(claim(chestOf(2).rules, start, HOUR * 1000).count, 48);
    assert.equal(claim(chestOf(2, 0.75).rules, start, HOUR * 1000).count, 1);
    const first = claim(chestOf(100).rules, start, HOUR * 24);
    assert.deepEqual([first.count, first.account.rolls], [1000, 1400]);
    assert.equal(claim(chestOf(100).rules, first.account, HOUR * 24).count, 1000);
  });

  test('gains nothing from a clock that goes back', () => {
    const { rules } = chestOf(10);
    const at = accrue(rules, { atMs: HOUR, rolls: 0, units: 0 }, 0);
    assert.deepEqual(at, { atMs: HOUR, rolls: 0, units: 0 });
    assert.equal(claim(rules, at, 2 * HOUR).count, 10);
  });

  test('neither gains nor loses rolls by the order and spacing of calls', () => {
    const moments = fc.array(fc.integer({ min: -HOUR, max: 2 * HOUR }), { minLength: 1, maxLength: 40 });
    const rate = fc.integer({ min: 50_000, max: 40_000_000 }).map((millionths) => millionths / 1e6);
    fc.assert(
      fc.property(moments, rate, (steps, rollsPerHour) => {
        // The cap is out of reach here, so everything that accrued must have been given.
        const { rules } = chestOf(rollsPerHour, 1000);
        let account = claim(rules, null, 0).account;
        let now = 0;
        let latest = 0;
        let given = 0;
        for (const step of steps) {
          now += step;
          latest = Math.max(latest, now);
          const claimed = claim(rules, account, now);
          given += claimed.count;
          account = JSON.parse(JSON.stringify(claimed.account));
          const accrued = (BigInt(latest) * BigInt(Math.round(rollsPerHour * 1e6))) / (3_600_000n * 1_000_000n);
          assert.equal(BigInt(given + account.rolls), accrued);
        }
      }),
      { seed: 60, numRuns: 500 },
    );
  });

  test('never owes more than its cap, even for rates beyond the precision of numbers', () => {
    const { rules } = chestOf(1e300, 1e6);
    const { count, account } = claim(rules, { atMs: 0, rolls: 0, units: 0 }, HOUR);
    assert.equal(count, 1000);
    assert.ok(Number.isSafeInteger(account.rolls));
  });
});

test('an idle template rolls what has accrued and counts it', () => {
  const template = chestOf(10);
  const draws = cheapDraws(61);
  const request = { count: 1, depth: 0, drawsOf: () => draws };
  const first = rollTemplate(template, initialState(), { ...request, nowMs: 0 });
  assert.deepEqual(first.results, []);
  assert.equal(viewState(template, first.state, HOUR).accruedRolls, 10);
  const second = rollTemplate(template, first.state, { ...request, nowMs: HOUR });
  assert.deepEqual(
    [second.results.map(({ item: { id } }) => id), second.state],
    [
      ['five-1', 'three-3', 'three-2', 'five-1', 'three-2', 'three-1', 'three-2', 'three-3', 'five-1', 'three-2'],
      {
        pity: { counters: [{ tier: 'five', since: 1 }], losses: 0 },
        own: { rolls: 10, sparkPoints: 10, idle: { atMs: 3600000, rolls: 0, units: 0 } },
      },
    ],
  );
  assert.throws(() => rollTemplate(template, null, { ...request, nowMs: 0 }));
});
