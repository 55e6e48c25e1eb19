import type { CompiledQuery } from 'kysely';
import type { Snapshot } from '../../database/work.ts';
import { commitmentTo } from '../../engine/fairness/links.ts';
import { NO_PREVIOUS, ROTATION_NONCE } from '../../engine/fairness/receipts.ts';
import { type RunReceipt, readEnd, readTerms, receiptsOfRun, termsOfRun } from '../../engine/fairness/runs.ts';
import { digestOf } from '../../shared/digest.ts';
import { isoTime } from '../../shared/time.ts';
import * as store from './queries.ts';
import { type Check, forEachRow } from './rows.ts';

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

const linksOf = ({ receipts }: Row): Links => {
  try {
    return JSON.parse(receipts) as Links;
  } catch {
    return {};
  }
};

/** What receipts that are stored together have in common, by team and hash. */
type TermsTexts = ReadonlyMap<string, string>;

const nameOfTerms = (teamId: string, hash: string): string => `${teamId}\0${hash}`;

const readAllTerms = async (snapshot: Snapshot): Promise<TermsTexts> => {
  const texts = new Map<string, string>();
  await forEachRow(snapshot, store.selectTerms(snapshot.queries), ({ team_id, hash, text }) =>
    texts.set(nameOfTerms(team_id, hash), text),
  );
  return texts;
};

/** The receipts that are stored as a run; none if they cannot be read. */
const receiptsIn = (
  run: string,
  { team_id, user_id, epoch, nonce }: Pick<Row, 'team_id' | 'user_id' | 'epoch' | 'nonce'>,
  texts: TermsTexts,
): RunReceipt[] => {
  try {
    const terms = readTerms(texts.get(nameOfTerms(team_id, termsOfRun(run))) ?? '');
    const place = { teamId: team_id, userId: user_id, epoch, nonce };
    return [...receiptsOfRun(run, terms, place, { hashOf: digestOf, timeOf: isoTime })];
  } catch {
    return [];
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

const isRotation = ({ nonce }: Row): boolean => nonce === ROTATION_NONCE;

const faultsOfRotation = (player: Player, row: Row): string[] => {
  const links = linksOf(row);
  const faults = digestOf(row.receipts) === row.hash ? [] : ['has another hash than it should'];
  faults.push(...rotationFaults(player, row, links));
  if (row.epoch !== player.epoch + 1) faults.push(`begins an epoch after epoch ${player.epoch}`);
  const { commitment, nextCommitment } = links;
  const begun = { epoch: row.epoch, rotation: row.hash, commitment, nextCommitment, count: 0, head: row.hash };
  Object.assign(player, begun);
  return faults.map((fault) => `the rotation of epoch ${row.epoch} of user ${row.user_id} ${fault}`);
};

const faultsOfRolls = (player: Player, row: Row, texts: TermsTexts): string[] => {
  const { epoch, nonce, count } = row;
  const faults: string[] = [];
  const add = (which: number, fault: string) =>
    faults.push(`receipt ${which} of epoch ${epoch} of user ${row.user_id} ${fault}`);
  const receipts = receiptsIn(row.receipts, row, texts);
  if (epoch !== player.epoch) add(nonce, 'belongs to an epoch without a rotation');
  if (nonce !== player.count) add(nonce, `comes where nonce ${player.count} should be`);
  if (receipts.length !== count || termsOfRun(row.receipts) !== row.series)
    add(nonce, 'is stored in a row that cannot be read');
  else {
    if (receipts[0]?.receipt.previous !== player.head) add(nonce, 'is not linked to the one before');
    if (receipts.at(-1)?.hash !== row.hash) add(nonce + count - 1, 'has another hash than it should');
  }
  Object.assign(player, { count: nonce + count, head: row.hash });
  return faults;
};

type SeedsRow = ReturnType<typeof store.selectSeeds> extends CompiledQuery<infer R> ? R : never;

/** How many receipts are stored with the end of a chain; undefined if it does not go on from the last row. */
const countNewest = (row: SeedsRow, texts: TermsTexts): number | undefined => {
  const { team_id, user_id, epoch, last_hash } = row;
  const nonce = Number(row.next_nonce);
  try {
    const end = readEnd(row.end);
    if (end === null || end.rotation !== row.rotation) return undefined;
    const { run } = end;
    if (run === null) return end.head === last_hash && end.nonce === nonce ? 0 : undefined;
    const receipts = receiptsIn(run, { team_id, user_id, epoch: epoch ?? 0, nonce }, texts);
    const goesOn =
      receipts[0]?.receipt.previous === last_hash &&
      receipts.at(-1)?.hash === end.head &&
      end.nonce === nonce + receipts.length;
    return goesOn ? receipts.length : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Hidden seeds must be those that players were committed to, and rolls go on from the last receipt. Returns how many
 * receipts are stored with the ends of chains.
 */
const checkSeeds = async (snapshot: Snapshot, report: Parameters<Check>[1], texts: TermsTexts): Promise<number> => {
  let receipts = 0;
  await forEachRow(snapshot, store.selectSeeds(snapshot.queries, ROTATION_NONCE), (row) => {
    const { team_id, user_id, seed, next_seed, rotation, receipt, hash } = row;
    if (rotation === null) return;
    const { commitment, nextCommitment } = JSON.parse(receipt ?? '{}') as Record<string, string>;
    const isRight =
      hash === rotation && commitmentTo(seed ?? '') === commitment && commitmentTo(next_seed) === nextCommitment;
    if (!isRight) report(team_id, `the seeds of user ${user_id} are not those that the last rotation committed to`);
    const newest = countNewest(row, texts);
    if (newest === undefined) report(team_id, `the next roll of user ${user_id} would not go on from the last receipt`);
    receipts += newest ?? 0;
  });
  return receipts;
};

/** Receipts of players, without a gap; returns how many there are. */
export const checkReceipts: Check = async (snapshot: Snapshot, report) => {
  const texts = await readAllTerms(snapshot);
  let player: Player | undefined;
  let receipts = 0;
  for await (const rows of snapshot.stream(store.selectReceipts(snapshot.queries))) {
    for (const found of rows) {
      const row = { ...found, nonce: Number(found.nonce) };
      receipts += row.count;
      const key = JSON.stringify([row.team_id, row.user_id]);
      if (player?.key !== key)
        player = {
          ...{ key, epoch: -1, rotation: NO_PREVIOUS, count: 0, head: NO_PREVIOUS },
          ...{ commitment: undefined, nextCommitment: undefined },
        };
      const faults = isRotation(row) ? faultsOfRotation(player, row) : faultsOfRolls(player, row, texts);
      for (const fault of faults) report(row.team_id, fault);
    }
  }
  return receipts + (await checkSeeds(snapshot, report, texts));
};
