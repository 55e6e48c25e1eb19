import { ask } from '../../database/declarations.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import {
  type Consistency,
  headText,
  type Inclusion,
  type LeafSubject,
  leafOf,
  leafText,
  logHead,
  type SignedHead,
} from '../../engine/fairness/log.ts';
import {
  consistencyRanges,
  grow,
  inclusionRanges,
  joinedHash,
  type Range,
  subtreesOf,
  type TreeNode,
} from '../../engine/fairness/merkle.ts';
import { signText } from '../../shared/signatures.ts';
import { isoTime } from '../../shared/time.ts';
import type { TeamKeys } from '../team-keys/team-keys.service.ts';
import * as store from './log.store.ts';

/**
 * Puts things into the public log of the team, unless they are in it. They get their places a moment later, so that
 * players do not wait for each other.
 */
export const addToLog = (work: Work, ...subjects: readonly LeafSubject[]): void =>
  work.write(store.ensureLeaf, ...subjects.map((one) => ({ hash: leafOf(one), ...one })));

export const toSigned = ({ team_id, size, root, at_ms, signature, public_key }: store.HeadRow): SignedHead => ({
  head: logHead({ teamId: team_id, size: Number(size), root, at: isoTime(Number(at_ms)) }),
  signature,
  publicKey: public_key,
});

/** The newest head; undefined if nothing was ever logged. */
export const findHead = async (finder: Finder): Promise<SignedHead | undefined> => {
  const [row] = await finder.find(store.newestHead, {});
  return row === undefined ? undefined : toSigned(row);
};

const hashOfNode = async (finder: Finder, { level, place }: TreeNode): Promise<string> => {
  const [row] =
    level === 0
      ? await finder.find(store.leafAt, { position: place })
      : await finder.find(store.nodeAt, { level, place });
  if (row === undefined) throw new Error(`The log of ${finder.teamId} lacks node ${place} of level ${level}.`);
  return row.hash;
};

const hashesOfNodes = (finder: Finder, nodes: readonly TreeNode[]): Promise<string[]> =>
  Promise.all(nodes.map((node) => hashOfNode(finder, node)));

const hashesOfRanges = (finder: Finder, ranges: readonly Range[]): Promise<string[]> =>
  Promise.all(ranges.map(async (range) => joinedHash(await hashesOfNodes(finder, subtreesOf(range)))));

/** Shows that the log of one size begins with that of another. Both must be in the log. */
export const consistencyOf = async (finder: Finder, from: number, to: number): Promise<Consistency> => ({
  from,
  to,
  path: await hashesOfRanges(finder, consistencyRanges(from, to)),
});

/** Shows that a leaf is in the log of a size; undefined if it is not. */
export const inclusionOf = async (finder: Finder, leaf: string, size: number): Promise<Inclusion | undefined> => {
  const [row] = await finder.find(store.leafWith, { hash: leaf });
  const index = row === undefined || row.position === null ? size : Number(row.position);
  if (index >= size) return undefined;
  return { leaf, index, path: await hashesOfRanges(finder, inclusionRanges(index, size)) };
};

export interface ListedLeaf {
  readonly index: number;
  readonly hash: string;
  readonly data: string;
}

export const listLeaves = async (reader: Reader, from: number, before: number): Promise<ListedLeaf[]> =>
  (await store.selectLeaves(reader, from, before)).map(({ position, hash, kind, subject }) => ({
    index: Number(position),
    hash,
    data: leafText({ kind, subject }),
  }));

/** Teams with something that is not in the tree yet. */
export const teamsToLog = (reader: Reader): Promise<string[]> => store.selectTeamsWithWaiting(reader);

/**
 * Gives waiting leaves their places and signs the new head, all or nothing: whoever holds the head is the only one who
 * does. Returns how many there were.
 */
export const growLog = async (tx: Transaction, keys: TeamKeys, nowMs: number, most: number): Promise<number> => {
  const [[row]] = await tx.hold(ask(store.holdHead, {}));
  const key = keys.of(tx, 'log');
  const leaves = (await store.selectWaiting(tx, most)).map(({ hash }) => hash);
  if (leaves.length === 0) return 0;
  const size = Number(row?.size ?? 0);
  const { completed, peaks } = grow(size, await hashesOfNodes(tx, subtreesOf({ start: 0, size })), leaves);
  const atMs = Math.max(nowMs, Number(row?.at_ms ?? nowMs));
  const next = { size: size + leaves.length, root: joinedHash(peaks) };
  const { signature, publicKey } = signText(key, headText(logHead({ teamId: tx.teamId, ...next, at: isoTime(atMs) })));
  tx.write(row === undefined ? store.insertHead : store.updateHead, {
    ...next,
    ...{ at_ms: atMs, signature, public_key: publicKey },
  });
  tx.write(store.placeLeaf, ...leaves.map((hash, offset) => ({ hash, position: size + offset })));
  tx.write(store.insertNode, ...completed);
  return leaves.length;
};
