import { headText, leafOf } from '../../engine/fairness/log.ts';
import { grow, joinedHash, nodeHash } from '../../engine/fairness/merkle.ts';
import { ROTATION_NONCE } from '../../engine/fairness/receipts.ts';
import { toSigned } from '../../features/log/log.service.ts';
import { isSigned } from '../../shared/signatures.ts';
import * as store from './queries.ts';
import { type Check, forEachRow } from './rows.ts';

/** A log as its leaves make it. */
interface Tree {
  size: number;
  peaks: readonly string[];
  /** Whether a leaf is missing: then nothing fits any more. */
  hasGap: boolean;
}

const EMPTY: Readonly<Tree> = { size: 0, peaks: [], hasGap: false };

/** Nodes of complete subtrees that a log of a size has, without the leaves. */
const nodesOf = (size: number): number => {
  let nodes = 0;
  for (let width = Math.floor(size / 2); width > 0; width = Math.floor(width / 2)) nodes += width;
  return nodes;
};

/** Every rotation must be in the log, or on its way into it. */
const checkRotations: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectUnlogged(snapshot.queries, ROTATION_NONCE), ({ team_id, user_id, epoch }) =>
    report(team_id, `the rotation of epoch ${epoch} of user ${user_id} is not in the public log`),
  );

/** The trees of all teams, from their leaves. */
const readTrees = async (...[snapshot, report]: Parameters<Check>): Promise<ReadonlyMap<string, Tree>> => {
  const trees = new Map<string, Tree>();
  await forEachRow(snapshot, store.selectLogLeaves(snapshot.queries), ({ team_id, position, hash, kind, subject }) => {
    const tree = trees.get(team_id) ?? { ...EMPTY };
    trees.set(team_id, tree);
    if (leafOf({ kind, subject }) !== hash)
      report(team_id, `leaf ${position} of the public log has another hash than it should`);
    if (tree.hasGap) return;
    if (Number(position) !== tree.size) {
      report(team_id, `the public log has no leaf ${tree.size}`);
      tree.hasGap = true;
      return;
    }
    tree.peaks = grow(tree.size, tree.peaks, [hash]).peaks;
    tree.size += 1;
  });
  return trees;
};

/** The public log: its leaves make the tree that is kept, whose root was signed. Returns the number of leaves. */
export const checkLog: Check = async (snapshot, report) => {
  await checkRotations(snapshot, report);
  const trees = await readTrees(snapshot, report);
  const nodes = new Map<string, number>();
  await forEachRow(snapshot, store.selectLogNodes(snapshot.queries), ({ team_id, level, place, hash, left, right }) => {
    nodes.set(team_id, (nodes.get(team_id) ?? 0) + 1);
    if (left === null || right === null || nodeHash(left, right) !== hash)
      report(team_id, `node ${place} of level ${level} of the public log is not that of the nodes below it`);
  });
  const signed = new Set<string>();
  await forEachRow(snapshot, store.selectLogHeads(snapshot.queries), (row) => {
    const { head, signature, publicKey } = toSigned(row);
    const { size, peaks, hasGap } = trees.get(row.team_id) ?? EMPTY;
    signed.add(row.team_id);
    if (!hasGap && (head.size !== size || head.root !== joinedHash(peaks)))
      report(row.team_id, `the head of the public log is not that of its ${size} leaves`);
    if ((nodes.get(row.team_id) ?? 0) !== nodesOf(head.size))
      report(row.team_id, 'the tree of the public log lacks nodes');
    if (!isSigned({ text: headText(head), signature, publicKey }))
      report(row.team_id, 'the head of the public log is not signed by its key');
  });
  let leaves = 0;
  for (const [teamId, { size }] of trees) {
    leaves += size;
    if (!signed.has(teamId)) report(teamId, 'the public log has leaves, but no head');
  }
  return leaves;
};
