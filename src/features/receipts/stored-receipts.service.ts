/** Receipts as they are stored: several in a row, and the newest ones with the end of the chain. */
import type { Finder, Reader } from '../../database/work.ts';
import { ROTATION_NONCE } from '../../engine/fairness/receipts.ts';
import { lengthOfRun, readEnd, readTerms, receiptsOfRun, type Terms, termsOfRun } from '../../engine/fairness/runs.ts';
import { digestOf } from '../../shared/digest.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import { findSnapshot } from '../snapshots/snapshots.service.ts';
import { findReceiptsEnd } from '../user-states/user-states.service.ts';
import type { RollFairness } from './receipts.contract.ts';
import * as store from './receipts.store.ts';

/** A receipt, and what it refers to. */
export interface StoredReceipt extends store.ReceiptPosition {
  readonly hash: string;
  /** The canonical text. */
  readonly text: string;
  /** Of a rotation. */
  readonly manifest: string | null;
  /** Of a call. */
  readonly terms: Terms | null;
}

type Row = Pick<store.ReceiptRow, 'epoch' | 'nonce' | 'count' | 'series' | 'hash' | 'receipts'>;

/** The receipts that have no row yet, as if they had one. */
const findNewest = async (finder: Finder, userId: string): Promise<Row | undefined> => {
  const [[seeds], found] = await Promise.all([finder.find(store.seedsOf, { userId }), findReceiptsEnd(finder, userId)]);
  const end = readEnd(found);
  if (!end?.run || seeds === undefined || seeds.epoch === null) return undefined;
  const { run, head: hash } = end;
  const count = lengthOfRun(run);
  return { epoch: seeds.epoch, nonce: end.nonce - count, count, series: termsOfRun(run), hash, receipts: run };
};

const positionOf = ({ epoch, nonce }: Row): store.ReceiptPosition => ({ epoch, nonce: Number(nonce) });

const findTerms = async (finder: Finder, hash: string): Promise<Terms> => {
  const text = await findSnapshot(finder, hash);
  if (text === undefined) throw new Error(`The terms ${hash} are missing.`);
  return readTerms(text);
};

/** The terms of some rows, by their hash. */
const termsOfRows = async (finder: Finder, rows: readonly Row[]): Promise<Map<string, Terms>> => {
  const hashes = [...new Set(rows.filter((row) => Number(row.nonce) !== ROTATION_NONCE).map(({ series }) => series))];
  return new Map(await Promise.all(hashes.map(async (hash) => [hash, await findTerms(finder, hash)] as const)));
};

function* receiptsIn(
  row: Row,
  player: { readonly teamId: string; readonly userId: string },
  terms: ReadonlyMap<string, Terms>,
): Generator<StoredReceipt, void, undefined> {
  const position = positionOf(row);
  const { hash, receipts } = row;
  if (position.nonce === ROTATION_NONCE) {
    yield { ...position, hash, text: receipts, manifest: JSON.parse(receipts).manifest, terms: null };
    return;
  }
  const known = terms.get(row.series) as Terms;
  const made = receiptsOfRun(receipts, known, { ...player, ...position }, { hashOf: digestOf, timeOf: isoTime });
  for (const { receipt, text, hash: own } of made)
    yield { epoch: row.epoch, nonce: receipt.nonce, hash: own, text, manifest: null, terms: known };
}

const isAfter = (one: store.ReceiptPosition, other: store.ReceiptPosition): boolean =>
  one.epoch > other.epoch || (one.epoch === other.epoch && one.nonce > other.nonce);

/** Some receipts after a position, by epoch and nonce; each epoch begins with its rotation. */
export const readReceipts = async (
  reader: Reader,
  userId: string,
  filter: { readonly epoch?: number | undefined },
  after: store.ReceiptPosition | undefined,
): Promise<{ readonly receipts: readonly StoredReceipt[]; readonly areLast: boolean }> => {
  // The row of the next one may begin before it.
  const from = after && { epoch: after.epoch, nonce: after.nonce + 2 - LIMITS.receiptsPerRow };
  const rows: Row[] = await store.selectReceipts(reader, userId, filter, { from, limit: LIMITS.receiptsPerRead });
  const areLast = rows.length < LIMITS.receiptsPerRead;
  const newest = areLast ? await findNewest(reader, userId) : undefined;
  if (newest !== undefined && (filter.epoch ?? newest.epoch) === newest.epoch) rows.push(newest);
  const player = { teamId: reader.teamId, userId };
  const terms = await termsOfRows(reader, rows);
  const receipts = rows.flatMap((row) => [...receiptsIn(row, player, terms)]);
  return {
    receipts: after === undefined ? receipts : receipts.filter((receipt) => isAfter(receipt, after)),
    areLast,
  };
};

/** The receipt at a position. */
export const receiptAt = async (
  finder: Finder,
  userId: string,
  { epoch, nonce }: store.ReceiptPosition,
): Promise<StoredReceipt | undefined> => {
  const [found] = await finder.find(store.receiptsAt, { userId, epoch, nonce });
  const row =
    found !== undefined && nonce < Number(found.nonce) + found.count ? found : await findNewest(finder, userId);
  if (row === undefined || row.epoch !== epoch) return undefined;
  const player = { teamId: finder.teamId, userId };
  return receiptsIn(row, player, await termsOfRows(finder, [row])).find((receipt) => receipt.nonce === nonce);
};

/** The last receipt of each series, by its place. */
export type LastOfSeries = Readonly<Record<string, readonly [epoch: number, nonce: number]>>;

/** The last receipts before a roll of an epoch: those of the epoch, and of earlier ones for the rest. */
export const findLastOfSeries = async (
  finder: Finder,
  userId: string,
  { epoch, nonce: before }: store.ReceiptPosition,
): Promise<LastOfSeries> => {
  const [[rotation], found, newest] = await Promise.all([
    finder.find(store.receiptsAt, { userId, epoch, nonce: ROTATION_NONCE }),
    finder.find(store.lastOfSeries, { userId, epoch, before }),
    findNewest(finder, userId),
  ]);
  const rows = found.map(({ series, nonce }) => ({ series, nonce: Number(nonce) }));
  if (newest?.epoch === epoch && newest.nonce < before)
    rows.push({ series: newest.series, nonce: newest.nonce + newest.count - 1 });
  const last: Record<string, readonly [epoch: number, nonce: number]> = JSON.parse(rotation?.series ?? '{}');
  for (const row of rows.sort((one, other) => one.nonce - other.nonce)) {
    const { scope, templateId } = await findTerms(finder, row.series);
    last[JSON.stringify([scope, templateId])] = [epoch, Math.min(row.nonce, before - 1)];
  }
  return last;
};

/** What the response to a roll said about its receipt; undefined if there is none any more. */
export const findFairness = async (
  finder: Finder,
  userId: string,
  place: store.ReceiptPosition,
): Promise<RollFairness | undefined> => {
  const found = await receiptAt(finder, userId, place);
  return found && { ...place, receipt: found.hash };
};
