import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { item } from '../../../test/catalogs.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { compileCatalog } from '../pool/catalog.ts';
import type { Observations } from './accumulation.ts';
import { type FrozenDays, freezeDays, logEvidence, logEvidenceOfDays } from './evidence.ts';
import { type EvidenceModel, plainEvidenceModel } from './model.ts';
import { logOfStreams, NOTHING_FROZEN } from './starts.ts';

const ALPHA = 0.05;
const ALARM = Math.log(1 / ALPHA);

/** A stream of plain rolls, one of whose two items has these odds. */
const modelOf = (percent: number): EvidenceModel => {
  const { items } = compileCatalog([], [item('hit', [], percent), item('miss', [], 100 - percent)]);
  return plainEvidenceModel(items);
};

const dayOf = (rolls: number, hits: number): Observations =>
  new Map([
    [
      'i',
      new Map([
        ['hit', hits],
        ['miss', rolls - hits],
      ]),
    ],
  ]);

const sumOf = (days: readonly Observations[]): Observations => {
  const count = (id: string): number => days.reduce((sum, day) => sum + (day.get('i')?.get(id) ?? 0), 0);
  return dayOf(count('hit') + count('miss'), count('hit'));
};

/** A stream of which only the last days are kept one by one. */
const watch = (model: EvidenceModel, kept: number) => {
  const days: Observations[] = [];
  let frozen: FrozenDays = { observed: dayOf(0, 0), starts: NOTHING_FROZEN };
  return {
    add: (day: Observations): void => {
      days.push(day);
      if (days.length <= kept) return;
      const starts = freezeDays(model, days, 1, frozen);
      frozen = { starts, observed: sumOf([frozen.observed, days.shift() as Observations]) };
    },
    log: (): number => logEvidenceOfDays(model, days, frozen),
    /** As it would be if what is not kept by day were forgotten. */
    slidingLog: (): number => logEvidenceOfDays(model, days),
  };
};

/**
 * What the evidence will be on average after one more roll, less what it is, at its largest over all that can happen on
 * some days with one roll each.
 */
const largestGain = (percent: number, days: number, logAfter: (hits: readonly number[]) => number): number => {
  let largest = 0;
  const visit = (hits: readonly number[]): void => {
    if (hits.length === days) return;
    const [hit, miss] = [
      [...hits, 1],
      [...hits, 0],
    ];
    const mean = (percent * Math.exp(logAfter(hit)) + (100 - percent) * Math.exp(logAfter(miss))) / 100;
    largest = Math.max(largest, Math.abs(mean - Math.exp(logAfter(hits))));
    visit(hit);
    visit(miss);
  };
  visit([]);
  return largest;
};

describe('evidence of which only the last days are kept one by one', () => {
  const model = modelOf(30);
  const days = [4, 1, 2, 7, 0, 3, 5].map((hits) => dayOf(10, hits));

  test('is the same right before and right after days are frozen', () => {
    const whole = logEvidenceOfDays(model, days);
    for (let count = 0; count <= days.length; count += 1) {
      const frozen = { observed: sumOf(days.slice(0, count)), starts: freezeDays(model, days, count) };
      assert.ok(Math.abs(logEvidenceOfDays(model, days.slice(count), frozen) - whole) < 1e-12, String(count));
    }
  });

  test('does not depend on how many days are frozen at once', () => {
    const first = { observed: sumOf(days.slice(0, 2)), starts: freezeDays(model, days, 2) };
    const inSteps = freezeDays(model, days.slice(2), 3, first);
    const atOnce = freezeDays(model, days, 5);
    assert.equal(inSteps.count, atOnce.count);
    assert.ok(Math.abs(inSteps.log - atOnce.log) < 1e-12);
  });

  test('never grows on average if the odds are right, whatever has happened; a sliding window does', () => {
    const after = (log: 'log' | 'slidingLog') => (hits: readonly number[]) => {
      const stream = watch(modelOf(20), 3);
      for (const hit of hits) stream.add(dayOf(1, hit));
      return stream[log]();
    };
    assert.ok(largestGain(20, 8, after('log')) < 1e-12);
    assert.ok(largestGain(20, 8, after('slidingLog')) > 0.01);
  });

  test('accuses fewer sound streams in 25 years than it may; a sliding window accuses more', () => {
    // Rolled on one day in four weeks, and looked at after each, so that 400 days are 14 of them.
    const [streams, daysOfRolls, kept, rolls, percent] = [100, 326, 14, 1000, 30];
    const sound = modelOf(percent);
    let [alarms, slidingAlarms] = [0, 0];
    for (let seed = 1; seed <= streams; seed += 1) {
      const draws = cheapDraws(seed);
      const stream = watch(sound, kept);
      let [isAlarm, isSlidingAlarm] = [false, false];
      for (let day = 0; day < daysOfRolls; day += 1) {
        let hits = 0;
        for (let roll = 0; roll < rolls; roll += 1) if (draws() * 100 < percent) hits += 1;
        stream.add(dayOf(rolls, hits));
        isAlarm ||= stream.log() >= ALARM;
        isSlidingAlarm ||= stream.slidingLog() >= ALARM;
      }
      if (isAlarm) alarms += 1;
      if (isSlidingAlarm) slidingAlarms += 1;
    }
    assert.ok(alarms < ALPHA * streams, `${alarms} alarms`);
    assert.ok(slidingAlarms > ALPHA * streams, `${slidingAlarms} alarms of a sliding window`);
  });
});

describe('evidence against several streams together', () => {
  test('is 1 without any, and half of it waits for streams to come', () => {
    assert.equal(logOfStreams([]), 0);
    assert.ok(Math.abs(Math.exp(logOfStreams([Math.log(24)])) - 12.5) < 1e-12);
    const [a, b, c] = [0.5, 8, 30];
    const expected = (a * b * c) / 2 + ((b * c) / 2 + c / 6 + 1 / 3) / 2;
    assert.ok(Math.abs(Math.exp(logOfStreams([a, b, c].map(Math.log))) - expected) < 1e-12 * expected);
  });

  test('never grows on average if the odds are right, although an earlier configuration comes back', () => {
    const turns = [0, 0, 1, 0, 2, 1, 2, 2, 0];
    const model = modelOf(20);
    const after = (hits: readonly number[]): number => {
      const logs: number[] = [];
      for (const stream of [0, 1, 2]) {
        const own = hits.filter((_, roll) => turns[roll] === stream);
        if (own.length > 0) logs.push(logEvidence(model, sumOf(own.map((hit) => dayOf(1, hit)))));
      }
      return logOfStreams(logs);
    };
    assert.ok(largestGain(20, turns.length, after) < 1e-12);
  });

  /** The greatest evidence against one of 100 configurations with 300 rolls each, and against all of them so far. */
  const play = (actual: number, seed: number) => {
    const [model, draws] = [modelOf(10), cheapDraws(seed)];
    const logs: number[] = [];
    let [alone, together] = [0, 0];
    for (let config = 0; config < 100; config += 1) {
      let hits = 0;
      for (let roll = 0; roll < 300; roll += 1) if (draws() * 100 < actual) hits += 1;
      logs.push(logEvidenceOfDays(model, [dayOf(300, hits)]));
      alone = Math.max(alone, logs.at(-1) as number);
      together = Math.max(together, logOfStreams(logs));
    }
    return { alone, together };
  };

  test('is far stronger than that against any configuration if each lasts for a short time', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { alone, together } = play(14, seed);
      assert.ok(together > alone + Math.log(1e6), `${Math.exp(alone)} alone, ${Math.exp(together)} together`);
    }
  });

  test('accuses fewer sound teams than it may', () => {
    const runs = Array.from({ length: 200 }, (_, index) => play(10, index + 1));
    assert.ok(runs.filter(({ together }) => together >= ALARM).length < ALPHA * runs.length);
  });
});
