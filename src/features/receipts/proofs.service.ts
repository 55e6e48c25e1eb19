import type { Page, Paged } from '../../database/paging.ts';
import type { Reader } from '../../database/work.ts';
import { invalid, notFound } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import { findSnapshot } from '../snapshots/snapshots.service.ts';
import { getUser } from '../users/users.service.ts';
import * as store from './receipts.store.ts';

/** Receipts after a position, read in batches: one may be a thousand times as long as another. */
async function* receiptsAfter(
  reader: Reader,
  userId: string,
  filter: store.ReceiptFilter,
  after: store.ReceiptPosition | undefined,
): AsyncGenerator<store.ReceiptRow> {
  for (let position = after; ; ) {
    const rows = await store.selectReceipts(reader, userId, filter, {
      after: position,
      limit: LIMITS.receiptsPerRead,
    });
    for (const row of rows) yield { ...row, nonce: Number(row.nonce) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIMITS.receiptsPerRead) return;
    position = { epoch: last.epoch, scope: last.scope, nonce: Number(last.nonce) };
    await takeTurns();
  }
}

/** A position as a cursor has it: a number and a text. */
const toCursor = ({ epoch, scope, nonce }: store.ReceiptPosition) => ({ createdAtMs: epoch, id: `${nonce} ${scope}` });

const fromCursor = ({ after }: Page): store.ReceiptPosition | undefined => {
  if (after === undefined) return undefined;
  const [, nonce, scope] = /^(\d{1,15}) (.*)$/s.exec(after.id) ?? [];
  if (nonce === undefined || scope === undefined || after.createdAtMs < 0 || after.createdAtMs > LIMITS.epochs)
    throw invalid({ path: '/query/cursor', message: 'is not a valid cursor' });
  return { epoch: after.createdAtMs, scope, nonce: Number(nonce) };
};

/** A page of receipts with their hashes, each as JSON. */
export const listReceipts = async (
  reader: Reader,
  userId: string,
  filter: store.ReceiptFilter,
  page: Page,
): Promise<Paged<string>> => {
  await getUser(reader, userId);
  const rows: string[] = [];
  let length = 0;
  let last: store.ReceiptPosition | undefined;
  for await (const row of receiptsAfter(reader, userId, filter, fromCursor(page))) {
    const text = `{"hash":"${row.hash}","receipt":${row.receipt}}`;
    length += text.length;
    if (last !== undefined && (rows.length === page.limit || length > LIMITS.responseBytes))
      return { rows, next: toCursor(last) };
    rows.push(text);
    last = row;
  }
  return { rows };
};

export interface ProofRequest {
  readonly epoch?: number;
  readonly scope?: string;
  readonly from?: number;
}

/** A proof as JSON, and the nonce with which the next part begins, if it is not complete. */
export interface ProofText {
  readonly parts: readonly string[];
  readonly next: number | null;
}

/** Collects receipts and the snapshots that they refer to, up to a length. */
const createProof = (reader: Reader) => {
  const receipts: string[] = [];
  const snapshots = new Map<string, string>();
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
    isFull: () => receipts.length >= LIMITS.proofReceipts || length > LIMITS.proofLength,
    add: async ({ receipt }: Pick<store.ReceiptRow, 'receipt'>): Promise<void> => {
      const { manifest, config, pool } = JSON.parse(receipt) as Record<string, string | undefined>;
      for (const hash of [manifest, config, pool]) if (hash !== undefined) await include(hash);
      receipts.push(receipt);
      length += receipt.length;
      await takeTurns();
    },
    parts: (): string[] => {
      const texts = [...snapshots].map(
        ([hash, text], index) => `${index === 0 ? '' : ','}"${hash}":${JSON.stringify(text)}`,
      );
      return [`{"v":1,"receipts":[${receipts.join()}],"snapshots":{`, ...texts, '}}'];
    },
  };
};

const rotationOf = async (reader: Reader, userId: string, epoch: number): Promise<store.ReceiptRow | undefined> =>
  (await store.selectReceipts(reader, userId, { epoch, scope: store.NO_SCOPE }, { after: undefined, limit: 1 }))[0];

const tooMany = () =>
  invalid({
    path: '/query/scope',
    message: `is required: the epoch has more than ${LIMITS.proofReceipts} receipts or ${LIMITS.proofLength / 1024 / 1024} MiB`,
  });

export const getProof = async (
  reader: Reader,
  userId: string,
  { epoch: asked, scope, from }: ProofRequest,
): Promise<ProofText> => {
  if (from !== undefined && scope === undefined) throw invalid({ path: '/query/from', message: 'needs scope' });
  await getUser(reader, userId);
  const [seeds] = await reader.find(store.seedsOf, { userId });
  const epoch = asked ?? seeds?.epoch ?? 0;
  const first = await rotationOf(reader, userId, epoch);
  if (first === undefined) throw notFound();
  const proof = createProof(reader);
  await proof.add(first);
  let next: number | null = null;
  const after =
    scope === undefined ? { epoch, scope: store.NO_SCOPE, nonce: 0 } : { epoch, scope, nonce: (from ?? 0) - 1 };
  for await (const row of receiptsAfter(reader, userId, { epoch, scope }, after)) {
    if (proof.isFull()) {
      if (scope === undefined) throw tooMany();
      next = row.nonce;
      break;
    }
    await proof.add(row);
  }
  const last = await rotationOf(reader, userId, epoch + 1);
  if (last !== undefined) await proof.add(last);
  return { parts: proof.parts(), next };
};
