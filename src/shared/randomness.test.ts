import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agrees } from '../../test/statistics.ts';
import { seededDraws, systemDraws } from './randomness.ts';

describe('system draws', () => {
  test('have 53 bits, the lowest set half of the time, at level 0.001', () => {
    const draws = systemDraws();
    const set = [0, 0];
    for (let round = 0; round < 20_000; round += 1) {
      const bits = draws() * 2 ** 53;
      assert.ok(Number.isSafeInteger(bits) && bits >= 0);
      set[bits % 2] = (set[bits % 2] ?? 0) + 1;
    }
    // The only test here whose draws differ from run to run: the level makes a false failure very unlikely.
    assert.ok(agrees(set, [0.5, 0.5], 1e-9));
  });

  test('never repeat within a block, across blocks, or between two sources', () => {
    const seen = new Set<number>();
    const sources = [systemDraws(), systemDraws()];
    for (let round = 0; round < 10_000; round += 1) for (const draws of sources) seen.add(draws());
    assert.equal(seen.size, 20_000);
  });

  test('share no bits with the previous draw', () => {
    const draws = systemDraws();
    let shared = 0;
    let lowBefore = -1;
    for (let round = 0; round < 10_000; round += 1) {
      const bits = draws() * 2 ** 53;
      if (Math.floor(bits / 2 ** 27) === lowBefore) shared += 1;
      lowBefore = bits % 2 ** 26;
    }
    // Among 10,000 pairs of 26 bits one is equal by chance once in thousands of runs, three never.
    assert.ok(shared < 3);
  });
});

describe('seeded draws', () => {
  test('are the top 53 bits of the defined digests', () => {
    const draws = seededDraws('a seed, ünïcode', 'template-1', 3, 7);
    const expected = [
      5464772613027431n,
      5281143980512268n,
      5290813346793798n,
      6743679395162679n,
      7397198249465133n,
      687239751495410n,
      8629542301312166n,
      4746532234767256n,
      3141455090554660n,
    ];
    for (const bits of expected) assert.equal(BigInt(draws() * 2 ** 53), bits);
  });

  test('differ with the seed, the template, the depth and the offer', () => {
    const first = new Set([
      seededDraws('s', 't', 0, 0)(),
      seededDraws('S', 't', 0, 0)(),
      seededDraws('s', 'T', 0, 0)(),
      seededDraws('s', 't', 1, 0)(),
      seededDraws('s', 't', 0, 1)(),
    ]);
    assert.equal(first.size, 5);
  });

  test('are uniform, by a chi-square test over 16 buckets at level 0.001', () => {
    const counts = new Array<number>(16).fill(0);
    const draws = seededDraws('even', 't', 0, 0);
    for (let round = 0; round < 16_000; round += 1) {
      const share = Math.floor(draws() * 16);
      counts[share] = (counts[share] ?? 0) + 1;
    }
    assert.ok(
      agrees(
        counts,
        counts.map(() => 1 / 16),
        0.001,
      ),
    );
  });
});
