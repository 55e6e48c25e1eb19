import type { Page, Paged } from '../../database/paging.ts';
import type { Read, Reader } from '../../database/work.ts';
import { EDITION, PLAIN_SCOPE, ROTATION_NONCE } from '../../engine/fairness/receipts.ts';
import type { Terms } from '../../engine/fairness/runs.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import { findSnapshot } from '../snapshots/snapshots.service.ts';
import { getUser } from '../users/users.service.ts';
import { createLeafList, type LeafList, type LogView, logParts, openLog } from './proof-log.service.ts';
import * as store from './receipts.store.ts';
import {
  findLastOfSeries,
  type LastOfSeries,
  readReceipts,
  receiptAt,
  type StoredReceipt,
} from './stored-receipts.service.ts';

type Position = store.ReceiptPosition;

const positionOf = ({ epoch, nonce }: StoredReceipt): Position => ({ epoch, nonce });

/** Receipts after a position, read in batches: one may be a thousand times as long as another. */
async function* receiptsAfter(
  reader: Reader,
  userId: string,
  filter: { readonly epoch?: number | undefined },
  after: Position | undefined,
): AsyncGenerator<StoredReceipt> {
  for (let position = after; ; ) {
    const { receipts, areLast } = await readReceipts(reader, userId, filter, position);
    yield* receipts;
    const last = receipts.at(-1);
    if (last === undefined || areLast) return;
    position = positionOf(last);
    await takeTurns();
  }
}

/** A position as a cursor has it: a number and a text. */
const toCursor = ({ epoch, nonce }: Position) => ({ createdAtMs: epoch, id: String(nonce) });

const fromCursor = ({ after }: Page): Position | undefined => {
  if (after === undefined) return undefined;
  if (!/^(-1|\d{1,15})$/.test(after.id) || after.createdAtMs < 0 || after.createdAtMs > LIMITS.epochs)
    throw invalid({ path: '/query/cursor', message: 'is not a valid cursor' });
  return { epoch: after.createdAtMs, nonce: Number(after.id) };
};

/** A page of receipts with their hashes, each as JSON. */
export const listReceipts = async (
  reader: Reader,
  userId: string,
  filter: { readonly epoch?: number | undefined },
  page: Page,
): Promise<Paged<string>> => {
  await getUser(reader, userId);
  const rows: string[] = [];
  let length = 0;
  let last: Position | undefined;
  for await (const row of receiptsAfter(reader, userId, filter, fromCursor(page))) {
    const text = `{"hash":"${row.hash}","receipt":${row.text}}`;
    length += text.length;
    if (last !== undefined && (rows.length === page.limit || length > LIMITS.responseBytes))
      return { rows, next: toCursor(last) };
    rows.push(text);
    last = positionOf(row);
  }
  return { rows };
};

/** A proof as JSON, and the nonce with which the next part begins, if it is not complete. */
export interface ProofText {
  readonly parts: readonly string[];
  readonly next: number | null;
}

/** The snapshots that a receipt refers to. What belongs into the public log is put on a list. */
const hashesIn = ({ hash, manifest, terms }: StoredReceipt, leaves: LeafList): string[] => {
  if (manifest !== null) leaves.add(hash, manifest);
  return manifest === null ? (terms === null ? [] : [terms.config, terms.pool]) : [manifest];
};

/** Collects receipts by their place, and the snapshots that they refer to, up to a length. */
const createProof = (reader: Reader) => {
  const receipts = new Map<string, StoredReceipt>();
  const snapshots = new Map<string, string>();
  const leaves = createLeafList();
  let length = 0;
  const include = async (hash: string): Promise<void> => {
    if (snapshots.has(hash)) return;
    const text = await findSnapshot(reader, hash);
    // It is deleted with the team only; a verifier says what is missing.
    if (text === undefined) return;
    snapshots.set(hash, text);
    length += text.length;
  };
  return {
    isFull: () => receipts.size >= LIMITS.proofReceipts || length > LIMITS.proofLength,
    add: async (row: StoredReceipt | undefined): Promise<void> => {
      if (row === undefined || receipts.has(row.hash)) return;
      for (const hash of hashesIn(row, leaves)) await include(hash);
      receipts.set(row.hash, row);
      length += row.text.length;
      await takeTurns();
    },
    parts: async (epoch: number, from: number, log: LogView): Promise<string[]> => {
      const rows = [...receipts.values()].sort((a, b) => a.epoch - b.epoch || a.nonce - b.nonce);
      const texts = [...snapshots].map(
        ([hash, text], index) => `${index === 0 ? '' : ','}"${hash}":${JSON.stringify(text)}`,
      );
      const list = rows.map(({ text }) => text).join();
      const logged: string[] = [];
      for await (const part of logParts((query) => query(reader), log, leaves.hashes())) logged.push(part);
      const start = `{"v":${EDITION},"epoch":${epoch},"from":${from},"receipts":[${list}],"snapshots":{`;
      return [start, ...texts, '},"log":', ...logged, '}'];
    },
  };
};

/** Where the counters of some rolls come from: the last receipts of their templates, and of their scopes. */
const sourcesOf = (terms: Iterable<Terms>, last: LastOfSeries): Position[] => {
  // Plain rolls have no counters.
  const used = Array.from(terms, ({ scope, templateId }) => [scope, templateId] as const).filter(
    ([scope]) => scope !== PLAIN_SCOPE,
  );
  const found = Object.entries(last)
    .map(([series, [epoch, nonce]]) => ({ names: JSON.parse(series) as [string, string], epoch, nonce }))
    .sort((a, b) => b.epoch - a.epoch || b.nonce - a.nonce);
  return [0, 1].flatMap((member) =>
    [...new Set(used.map((names) => names[member]))].flatMap(
      (name) => found.find(({ names }) => names[member] === name) ?? [],
    ),
  );
};

export interface ProofQuery {
  readonly epoch?: number | undefined;
  readonly from?: number | undefined;
  /** The size of a head that the player kept. */
  readonly logFrom?: number | undefined;
}

export const getProof = async (
  reader: Reader,
  userId: string,
  { epoch: asked, from = 0, logFrom }: ProofQuery,
): Promise<ProofText> => {
  await getUser(reader, userId);
  const log = await openLog(reader, logFrom);
  const [seeds] = await reader.find(store.seedsOf, { userId });
  const epoch = asked ?? seeds?.epoch ?? 0;
  const at = (inEpoch: number, nonce: number): Promise<StoredReceipt | undefined> =>
    receiptAt(reader, userId, { epoch: inEpoch, nonce });
  const first = await at(epoch, ROTATION_NONCE);
  if (first === undefined) throw notFound();
  const proof = createProof(reader);
  await proof.add(first);
  const terms = new Set<Terms>();
  let next: number | null = null;
  for await (const row of receiptsAfter(reader, userId, { epoch }, { epoch, nonce: from - 1 })) {
    if (proof.isFull()) {
      next = row.nonce;
      break;
    }
    await proof.add(row);
    if (row.terms !== null) terms.add(row.terms);
  }
  // What came right before: a verifier compares the first counters with it.
  await proof.add(await at(epoch - 1, ROTATION_NONCE));
  if (from > 0) await proof.add(await at(epoch, from - 1));
  const sources = sourcesOf(terms, await findLastOfSeries(reader, userId, { epoch, nonce: from }));
  for (const source of sources) {
    await proof.add(await at(source.epoch, source.nonce));
    // The rotations that let it be checked itself.
    for (const rotated of [source.epoch, source.epoch + 1]) await proof.add(await at(rotated, ROTATION_NONCE));
  }
  await proof.add(await at(epoch + 1, ROTATION_NONCE));
  return { parts: await proof.parts(epoch, from, log), next };
};

/** Everything about a player, as JSON in parts, however long. Receipts are only added, so each part can be read by itself. */
export async function* wholeProof(read: Read, log: LogView, teamId: string, userId: string): AsyncGenerator<string> {
  const hashes = new Set<string>();
  const leaves = createLeafList();
  let position: Position | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const after = position;
    const { receipts, areLast } = await read(teamId, (reader) => readReceipts(reader, userId, {}, after));
    for (const receipt of receipts) for (const hash of hashesIn(receipt, leaves)) hashes.add(hash);
    const texts = receipts.map(({ text }) => text).join();
    yield isFirst ? `{"v":${EDITION},"epoch":"all","from":0,"receipts":[${texts}` : texts === '' ? '' : `,${texts}`;
    const last = receipts.at(-1);
    if (last === undefined || areLast) break;
    position = positionOf(last);
  }
  yield '],"snapshots":{';
  let isFirst = true;
  for (const hash of hashes) {
    const text = await read(teamId, (reader) => findSnapshot(reader, hash));
    if (text === undefined) continue;
    yield `${isFirst ? '' : ','}"${hash}":${JSON.stringify(text)}`;
    isFirst = false;
  }
  yield '},"log":';
  yield* logParts((query) => read(teamId, query), log, leaves.hashes());
  yield '}';
}

/** Whether there is anything to prove; and the public log that it is proved against. */
export const beginWholeProof = async (reader: Reader, userId: string, logFrom?: number): Promise<LogView> => {
  await getUser(reader, userId);
  const [seeds] = await reader.find(store.seedsOf, { userId });
  if (seeds === undefined || seeds.epoch === null) throw notFound();
  return openLog(reader, logFrom);
};
