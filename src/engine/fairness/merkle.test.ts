import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesOfHex, hexOf } from './bytes.ts';
import {
  consistencyRanges,
  EMPTY_ROOT,
  grow,
  inclusionRanges,
  isConsistent,
  isIncluded,
  joinedHash,
  leafHash,
  nodeHash,
  type Range,
  subtreesOf,
} from './merkle.ts';

/** The root as RFC 9162 defines it, from nothing but the leaves. */
const rootOf = (leaves: readonly string[]): string => {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0] as string;
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
};

const MOST = 65;
const LEAVES = Array.from({ length: MOST }, (_, index) => leafHash(Uint8Array.of(index, 7)));
const ROOTS = Array.from({ length: MOST + 1 }, (_, size) => rootOf(LEAVES.slice(0, size)));
const treeOf = (size: number) => ({ size, root: ROOTS[size] as string });
const pathOf = (ranges: readonly Range[]): string[] =>
  ranges.map(({ start, size }) => rootOf(LEAVES.slice(start, start + size)));
const inclusion = (index: number, size: number) => ({
  leaf: LEAVES[index] as string,
  index,
  path: pathOf(inclusionRanges(index, size)),
});

describe('the known tree of eight leaves', () => {
  // The leaves of the reference implementation of Certificate Transparency, and the roots that it publishes.
  const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const hashes = leaves.map((leaf) => leafHash(bytesOfHex(leaf)));
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];

  test('has the published roots, whether built at once or leaf by leaf', () => {
    for (const [size, root] of roots.entries()) {
      assert.equal(rootOf(hashes.slice(0, size)), root);
      assert.equal(joinedHash(grow(0, [], hashes.slice(0, size)).peaks), root);
    }
  });

  test('has the published proofs', () => {
    const path = (ranges: readonly Range[]) =>
      ranges.map(({ start, size }) => rootOf(hashes.slice(start, start + size)));
    assert.deepEqual(path(inclusionRanges(0, 8)), [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    assert.deepEqual(path(consistencyRanges(6, 8)), [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });
});

describe('trees of all sizes up to 65', () => {
  test('consist of complete subtrees, which grow in any steps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 }), (steps) => {
        let [size, peaks]: [number, readonly string[]] = [0, []];
        for (const step of steps) {
          const added = LEAVES.slice(size, size + step);
          const growth = grow(size, peaks, added);
          for (const { level, place, hash } of growth.completed)
            assert.equal(hash, rootOf(LEAVES.slice(place * 2 ** level, (place + 1) * 2 ** level)));
          [size, peaks] = [size + added.length, growth.peaks];
          assert.equal(joinedHash(peaks), ROOTS[size]);
          assert.equal(subtreesOf({ start: 0, size }).length, peaks.length);
        }
      }),
    );
  });

  test('are put together from complete subtrees, in as many reads as the tree is high', () => {
    const hashOf = ({ level, place }: { level: number; place: number }) =>
      rootOf(LEAVES.slice(place * 2 ** level, (place + 1) * 2 ** level));
    for (let size = 1; size <= MOST; size += 1)
      for (let index = 0; index < size; index += 1)
        for (const ranges of [inclusionRanges(index, size), consistencyRanges(index + 1, size)]) {
          for (const range of ranges)
            assert.equal(joinedHash(subtreesOf(range).map(hashOf)), pathOf([range])[0], `${index} ${size}`);
          assert.ok(ranges.flatMap(subtreesOf).length <= 2 * Math.ceil(Math.log2(size)) + 1);
        }
    assert.ok(inclusionRanges(777_777, 999_999).flatMap(subtreesOf).length <= 40);
    assert.ok(consistencyRanges(777_777, 999_999).flatMap(subtreesOf).length <= 40);
  });

  test('include each of their leaves, and nothing else', () => {
    for (let size = 1; size <= MOST; size += 1)
      for (let index = 0; index < size; index += 1) {
        const shown = inclusion(index, size);
        assert.ok(isIncluded(shown, treeOf(size)), `${index} of ${size}`);
        assert.ok(!isIncluded({ ...shown, leaf: LEAVES[(index + 1) % MOST] as string }, treeOf(size)));
        assert.ok(!isIncluded(shown, { size, root: ROOTS[size - 1] as string }));
        assert.ok(!isIncluded({ ...shown, index: index + size }, treeOf(size)));
        assert.ok(!isIncluded({ ...shown, path: [...shown.path, ROOTS[1] as string] }, treeOf(size)));
        if (shown.path.length > 0) assert.ok(!isIncluded({ ...shown, path: shown.path.slice(1) }, treeOf(size)));
      }
  });

  test('are consistent with all earlier ones, and with no others', () => {
    for (let to = 1; to <= MOST; to += 1)
      for (let from = 1; from <= to; from += 1) {
        const path = pathOf(consistencyRanges(from, to));
        const [earlier, later] = [treeOf(from), treeOf(to)];
        assert.ok(isConsistent(earlier, later, path), `${from} to ${to}`);
        const other = { size: from, root: rootOf([...LEAVES.slice(0, from - 1), LEAVES[MOST - 1] as string]) };
        if (other.root !== earlier.root) assert.ok(!isConsistent(other, later, path), `${from} to ${to}`);
        assert.ok(!isConsistent(earlier, { size: to, root: EMPTY_ROOT }, path));
        assert.ok(!isConsistent(earlier, later, [...path, EMPTY_ROOT]));
        if (path.length > 0) assert.ok(!isConsistent(earlier, later, path.slice(0, -1)));
        if (from < to) assert.ok(!isConsistent(later, earlier, path));
      }
    assert.ok(isConsistent(treeOf(0), treeOf(9), []));
    assert.ok(!isConsistent({ size: 0, root: ROOTS[1] as string }, treeOf(9), []));
  });

  test('show every changed bit of a proof', () => {
    const changed = (hash: string, bit: number): string => {
      const bytes = bytesOfHex(hash);
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      return hexOf(bytes);
    };
    const sizes = fc.tuple(fc.integer({ min: 1, max: MOST }), fc.integer({ min: 1, max: MOST }));
    fc.assert(
      fc.property(sizes, fc.nat(255), fc.nat(9), ([one, other], bit, at) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const change = (path: readonly string[]): string[] =>
          path.map((hash, place) => (place === at % path.length ? changed(hash, bit) : hash));
        const shown = inclusion(from - 1, to);
        if (shown.path.length > 0) assert.ok(!isIncluded({ ...shown, path: change(shown.path) }, treeOf(to)));
        const path = pathOf(consistencyRanges(from, to));
        if (path.length > 0) assert.ok(!isConsistent(treeOf(from), treeOf(to), change(path)));
      }),
    );
  });
});
