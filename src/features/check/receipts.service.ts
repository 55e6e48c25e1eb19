import type { Snapshot } from '../../database/work.ts';
import { digestOf } from '../../digest.ts';
import { commitmentTo } from '../../engine/fairness/links.ts';
import { NO_PREVIOUS } from '../../engine/fairness/receipts.ts';
import type { Check } from './check.service.ts';
import * as store from './check.store.ts';

type Row = store.ReceiptRow;

/** The members of a receipt that chains consist of. */
interface Links {
  readonly previous?: string;
  readonly chains?: readonly (readonly [scope: string, count: number, head: string])[];
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

const ROTATION = '';

/** What is known of a player while their receipts go by: epoch by epoch, each beginning with its rotation. */
interface Player {
  readonly key: string;
  epoch: number;
  rotation: string;
  /** What the rotation promised: the seed of its epoch, and of the next. */
  commitment: string | undefined;
  nextCommitment: string | undefined;
  /** The receipts of the epoch so far, by scope: their number and the hash of the last. */
  ends: Map<string, { count: number; head: string }>;
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
  const { previous, chains = [] } = links;
  const faults = promiseFaults(player, links);
  if (previous !== player.rotation) faults.push('is not linked to the rotation before');
  const closed = JSON.stringify(chains);
  const found = JSON.stringify([...player.ends].map(([scope, { count, head }]) => [scope, count, head]));
  if (closed !== found) faults.push(`closes other chains than epoch ${row.epoch - 1} has`);
  return faults;
};

const rollFaults = (player: Player, row: Row, { previous }: Links): string[] => {
  const end = player.ends.get(row.scope) ?? { count: 0, head: player.rotation };
  const faults: string[] = [];
  if (row.nonce !== end.count) faults.push(`comes where nonce ${end.count} should be`);
  if (previous !== end.head) faults.push('is not linked to the one before');
  return faults;
};

const faultsOf = (player: Player, row: Row): string[] => {
  const links = linksOf(row);
  const faults = digestOf(row.receipt) === row.hash ? [] : ['has another hash than it should'];
  if (row.scope === ROTATION) {
    faults.push(...rotationFaults(player, row, links));
    if (row.epoch !== player.epoch + 1) faults.push(`begins an epoch after epoch ${player.epoch}`);
    const { commitment, nextCommitment } = links;
    Object.assign(player, { epoch: row.epoch, rotation: row.hash, commitment, nextCommitment, ends: new Map() });
    return faults;
  }
  if (row.epoch !== player.epoch) faults.push('belongs to an epoch without a rotation');
  faults.push(...rollFaults(player, row, links));
  player.ends.set(row.scope, { count: row.nonce + 1, head: row.hash });
  return faults;
};

/** Hidden seeds must be those that players were committed to. */
const checkSeeds: Check = async (snapshot, report) => {
  let seeds = 0;
  for await (const rows of snapshot.stream(store.selectSeeds(snapshot.queries))) {
    seeds += rows.length;
    for (const { team_id, user_id, seed, next_seed, rotation, receipt, hash } of rows) {
      if (rotation === null) continue;
      const { commitment, nextCommitment } = JSON.parse(receipt ?? '{}') as Record<string, string>;
      const isRight =
        hash === rotation && commitmentTo(seed ?? '') === commitment && commitmentTo(next_seed) === nextCommitment;
      if (!isRight) report(team_id, `the seeds of user ${user_id} are not those that the last rotation committed to`);
    }
  }
  return seeds;
};

/** Receipts of players, each chain without a gap; returns how many there are. */
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
          ...{ key, epoch: -1, rotation: NO_PREVIOUS, ends: new Map() },
          ...{ commitment: undefined, nextCommitment: undefined },
        };
      const what =
        row.scope === ROTATION
          ? `the rotation of epoch ${row.epoch}`
          : `receipt ${row.nonce} of epoch ${row.epoch} in ${row.scope}`;
      for (const fault of faultsOf(player, row)) report(row.team_id, `${what} of user ${row.user_id} ${fault}`);
    }
  }
  await checkSeeds(snapshot, report);
  return receipts;
};
