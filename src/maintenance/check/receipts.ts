import type { Snapshot } from '../../database/work.ts';
import { commitmentTo } from '../../engine/fairness/links.ts';
import { NO_PREVIOUS, ROTATION_NONCE } from '../../engine/fairness/receipts.ts';
import { digestOf } from '../../shared/digest.ts';
import * as store from './queries.ts';
import type { Check } from './rows.ts';

type Row = store.ReceiptRow;

/** The members of a receipt that a chain consists of. */
interface Links {
  readonly previous?: string;
  readonly count?: number;
  readonly head?: string;
  readonly commitment?: string;
  readonly nextCommitment?: string;
  readonly revealed?: string | null;
}

const linksOf = ({ receipt }: Row): Links => {
  try {
    return JSON.parse(receipt) as Links;
  } catch {
    return {};
  }
};

/** What is known of a player while their receipts go by: epoch by epoch, each beginning with its rotation. */
interface Player {
  readonly key: string;
  epoch: number;
  rotation: string;
  /** What the rotation promised: the seed of its epoch, and of the next. */
  commitment: string | undefined;
  nextCommitment: string | undefined;
  /** The number of rolls in the epoch so far, and the hash of the last receipt. */
  count: number;
  head: string;
}

/** A rotation uses the seed that the one before it promised, and reveals the one that this had used. */
const promiseFaults = ({ epoch, ...player }: Player, { commitment, revealed }: Links): string[] => {
  if (epoch < 0) return revealed === null ? [] : ['is the first, but reveals a seed'];
  const faults: string[] = [];
  if (commitment !== player.nextCommitment) faults.push('uses another seed than the rotation before had promised');
  if (commitmentTo(revealed ?? '') !== player.commitment) faults.push('reveals another seed than was promised');
  return faults;
};

const rotationFaults = (player: Player, row: Row, links: Links): string[] => {
  const faults = promiseFaults(player, links);
  if (links.previous !== player.rotation) faults.push('is not linked to the rotation before');
  if (links.count !== player.count || links.head !== player.head)
    faults.push(`ends epoch ${row.epoch - 1} elsewhere than its receipts do`);
  return faults;
};

const rollFaults = ({ count, head }: Player, row: Row, { previous }: Links): string[] => {
  const faults: string[] = [];
  if (row.nonce !== count) faults.push(`comes where nonce ${count} should be`);
  if (previous !== head) faults.push('is not linked to the one before');
  return faults;
};

const isRotation = ({ nonce }: Row): boolean => nonce === ROTATION_NONCE;

const faultsOf = (player: Player, row: Row): string[] => {
  const links = linksOf(row);
  const faults = digestOf(row.receipt) === row.hash ? [] : ['has another hash than it should'];
  if (isRotation(row)) {
    faults.push(...rotationFaults(player, row, links));
    if (row.epoch !== player.epoch + 1) faults.push(`begins an epoch after epoch ${player.epoch}`);
    const { commitment, nextCommitment } = links;
    const begun = { epoch: row.epoch, rotation: row.hash, commitment, nextCommitment, count: 0, head: row.hash };
    Object.assign(player, begun);
    return faults;
  }
  if (row.epoch !== player.epoch) faults.push('belongs to an epoch without a rotation');
  faults.push(...rollFaults(player, row, links));
  Object.assign(player, { count: row.nonce + 1, head: row.hash });
  return faults;
};

/** Hidden seeds must be those that players were committed to, and rolls go on from the last receipt. */
const checkSeeds: Check = async (snapshot, report) => {
  let seeds = 0;
  for await (const rows of snapshot.stream(store.selectSeeds(snapshot.queries, ROTATION_NONCE))) {
    seeds += rows.length;
    for (const { team_id, user_id, seed, next_seed, rotation, receipt, hash, end, last_hash } of rows) {
      if (rotation === null) continue;
      const { commitment, nextCommitment } = JSON.parse(receipt ?? '{}') as Record<string, string>;
      const isRight =
        hash === rotation && commitmentTo(seed ?? '') === commitment && commitmentTo(next_seed) === nextCommitment;
      if (!isRight) report(team_id, `the seeds of user ${user_id} are not those that the last rotation committed to`);
      if (!end?.includes(`"head":"${last_hash}"`))
        report(team_id, `the next roll of user ${user_id} would not go on from the last receipt`);
    }
  }
  return seeds;
};

/** Receipts of players, without a gap; returns how many there are. */
export const checkReceipts: Check = async (snapshot: Snapshot, report) => {
  let player: Player | undefined;
  let receipts = 0;
  for await (const rows of snapshot.stream(store.selectReceipts(snapshot.queries))) {
    receipts += rows.length;
    for (const found of rows) {
      const row = { ...found, nonce: Number(found.nonce) };
      const key = JSON.stringify([row.team_id, row.user_id]);
      if (player?.key !== key)
        player = {
          ...{ key, epoch: -1, rotation: NO_PREVIOUS, count: 0, head: NO_PREVIOUS },
          ...{ commitment: undefined, nextCommitment: undefined },
        };
      const what = isRotation(row)
        ? `the rotation of epoch ${row.epoch}`
        : `receipt ${row.nonce} of epoch ${row.epoch}`;
      for (const fault of faultsOf(player, row)) report(row.team_id, `${what} of user ${row.user_id} ${fault}`);
    }
  }
  await checkSeeds(snapshot, report);
  return receipts;
};
