/**
 * Merkle trees as in RFC 9162, section 2.1: a list of entries to which others are only ever added has one root, and
 * a few hashes show that an entry is in it, or that it begins with an earlier list. Hashes are lower-case hex.
 */
import { bytesOfHex, hexOf } from './bytes.ts';
import { sha256 } from './sha256.ts';

const HASH_BYTES = 32;

export const leafHash = (data: Uint8Array): string => {
  const message = new Uint8Array(1 + data.length);
  message.set(data, 1);
  return hexOf(sha256(message));
};

export const nodeHash = (left: string, right: string): string => {
  const message = new Uint8Array(1 + 2 * HASH_BYTES);
  message[0] = 1;
  message.set(bytesOfHex(left + right), 1);
  return hexOf(sha256(message));
};

/** The root of a tree without leaves. */
export const EMPTY_ROOT = hexOf(sha256(new Uint8Array(0)));

/** A complete subtree of 2^level leaves, the place-th of its level. Level 0 are the leaves. */
export interface TreeNode {
  readonly level: number;
  readonly place: number;
}

/** Leaves that have a hash together: all of a tree, or one side of a node of it. */
export interface Range {
  readonly start: number;
  readonly size: number;
}

/** The greatest power of two below a number of 2 or more: where a tree of this size is split. */
const splitOf = (size: number): number => {
  let split = 1;
  while (2 * split < size) split *= 2;
  return split;
};

/** The complete subtrees that a range consists of, from left to right. */
export const subtreesOf = ({ start, size }: Range): TreeNode[] => {
  const nodes: TreeNode[] = [];
  let [at, left] = [start, size];
  while (left > 0) {
    let [level, width] = [0, 1];
    while (2 * width <= left) [level, width] = [level + 1, 2 * width];
    nodes.push({ level, place: at / width });
    [at, left] = [at + width, left - width];
  }
  return nodes;
};

/** The hash of neighbouring subtrees, each smaller than the one before it. */
export const joinedHash = (hashes: readonly string[]): string =>
  hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right));

/** What shows that a leaf is in a tree: the other side of each node above it, from the leaf up. */
export const inclusionRanges = (index: number, size: number, start = 0): Range[] => {
  if (size <= 1) return [];
  const split = splitOf(size);
  return index < split
    ? [...inclusionRanges(index, split, start), { start: start + split, size: size - split }]
    : [...inclusionRanges(index - split, size - split, start + split), { start, size: split }];
};

const growthRanges = (from: number, to: number, start: number, isWhole: boolean): Range[] => {
  if (from === to) return isWhole ? [] : [{ start, size: to }];
  const split = splitOf(to);
  return from <= split
    ? [...growthRanges(from, split, start, isWhole), { start: start + split, size: to - split }]
    : [...growthRanges(from - split, to - split, start + split, false), { start, size: split }];
};

/** What shows that a tree begins with an earlier one, which must not be empty. */
export const consistencyRanges = (from: number, to: number): Range[] => growthRanges(from, to, 0, true);

/** A tree that grew: the subtrees that were completed, without the leaves, and those that it consists of now. */
export interface Growth {
  readonly completed: readonly (TreeNode & { readonly hash: string })[];
  readonly peaks: readonly string[];
}

/** Adds leaves to a tree of a size, given the hashes of the subtrees that it consists of. */
export const grow = (size: number, peaks: readonly string[], leaves: readonly string[]): Growth => {
  const completed: (TreeNode & { hash: string })[] = [];
  const stack = [...peaks];
  for (const [offset, leaf] of leaves.entries()) {
    let hash = leaf;
    // Wherever a subtree has a complete one to its left, both are one of the next level.
    for (let level = 0, place = size + offset; place % 2 === 1; level += 1) {
      hash = nodeHash(stack.pop() as string, hash);
      place = (place - 1) / 2;
      completed.push({ level: level + 1, place, hash });
    }
    stack.push(hash);
  }
  return { completed, peaks: stack };
};

/** Whether a path shows that a leaf is in the tree with this root (RFC 9162, 2.1.3.2). */
export const isIncluded = (
  { leaf, index, path }: { readonly leaf: string; readonly index: number; readonly path: readonly string[] },
  { size, root }: { readonly size: number; readonly root: string },
): boolean => {
  if (index >= size) return false;
  let [place, last, hash] = [index, size - 1, leaf];
  for (const other of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(other, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else hash = nodeHash(hash, other);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash === root;
};

interface Tree {
  readonly size: number;
  readonly root: string;
}

/** Whether a path shows that a tree begins with an earlier one (RFC 9162, 2.1.4.2). */
export const isConsistent = (earlier: Tree, later: Tree, path: readonly string[]): boolean => {
  if (earlier.size > later.size) return false;
  if (earlier.size === 0) return path.length === 0 && earlier.root === EMPTY_ROOT;
  if (earlier.size === later.size) return path.length === 0 && earlier.root === later.root;
  let [place, last] = [earlier.size - 1, later.size - 1];
  while (place % 2 === 1) [place, last] = [(place - 1) / 2, Math.floor(last / 2)];
  // Where the earlier tree is a complete subtree of the later one, its root is known and left out.
  const [first, ...rest] = place === 0 ? [earlier.root, ...path] : path;
  if (first === undefined) return false;
  let [before, after] = [first, first];
  for (const other of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      [before, after] = [nodeHash(other, before), nodeHash(other, after)];
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else after = nodeHash(after, other);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && before === earlier.root && after === later.root;
};
