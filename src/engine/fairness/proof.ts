import { type ProofLog, proofLogShape } from './log.ts';
import { type AnyReceipt, EDITION } from './receipts.ts';
import { repeatedMember } from './repeated-member.ts';
import {
  count,
  flag,
  hash,
  integer,
  isIsoTime,
  isObject,
  list,
  matching,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  shortened,
  table,
  text,
  tuple,
} from './shape.ts';

/** Longer than any proof of the service, in characters. */
export const MAX_PROOF_LENGTH = 64 * 1024 * 1024;

/** What the service gives a player to check. */
export interface Proof {
  /** In the order of the proof, each of the known shape. */
  readonly receipts: readonly { readonly receipt: AnyReceipt; readonly statedHash: string | undefined }[];
  /** Texts by the hashes that they are said to have. */
  readonly snapshots: ReadonlyMap<string, string>;
  /** What it is said to have completely. */
  readonly claim: Claim;
  /** What it says about the public log; undefined for a list of receipts. */
  readonly log: ProofLog | undefined;
}

/** An epoch from a nonce on, or all epochs; undefined for a list of receipts, which is complete from its first one on. */
export type Claim = { readonly epoch: number | 'all'; readonly from: number } | undefined;

/** The text is not a proof at all: nothing in it was checked. */
export interface Unreadable {
  readonly error: string;
}

const shared = {
  v: oneOf(EDITION),
  kind: text,
  teamId: text,
  userId: text,
  at: isIsoTime,
  epoch: count,
  previous: hash,
};

const clientSeed = matching(/^[^\p{Cc}]{1,191}$/u, 'a client seed of 1 to 191 characters');

const rotate = object({
  ...shared,
  clientSeed,
  commitment: hash,
  nextCommitment: hash,
  revealed: orNull(hash),
  manifest: hash,
  count,
  head: hash,
});

const state = orNull(
  object({
    pity: object({ counters: list(object({ tier: text, since: count })), losses: count }),
    own: object({
      rolls: count,
      sparkPoints: count,
      idle: orNull(object({ atMs: integer(Number.MIN_SAFE_INTEGER), rolls: count, units: count })),
    }),
  }),
);

const call = {
  ...shared,
  scope: text,
  nonce: count,
  templateId: text,
  config: hash,
  salt: hash,
  pool: hash,
  before: state,
  after: state,
  results: list(tuple(text, orNull(text), flag, flag, list(number()))),
  draws: count,
};

const roll = object({ ...call, request: object({}, { count, depth: count, classifierOptionIds: list(text) }) });
const spark = object({ ...call, request: object({ itemId: text }) });

const otherEdition = (version: unknown): string =>
  version === 1
    ? 'of the first edition, whose results could be chosen by whoever ran the service: it proves nothing'
    : 'of a version that this verifier does not know';

const receiptShape: Shape = (value, place) => {
  if (!isObject(value)) return `${place} is not an object`;
  // Other versions may have other members, so this is told before anything else.
  if (Object.hasOwn(value, 'v') && value.v !== EDITION) return `${place} is ${otherEdition(value.v)}`;
  switch (Object.hasOwn(value, 'kind') ? value.kind : undefined) {
    case 'rotate':
      return rotate(value, place);
    case 'roll':
      return roll(value, place);
    case 'spark':
      return spark(value, place);
    default:
      return `${place} is not a receipt: its kind is not "rotate", "roll" or "spark"`;
  }
};

/** Lists of receipts have their hashes beside them, proofs do not; both can be checked. */
const listed = object({ hash, receipt: receiptShape });

const epochShape: Shape = (value, place) => (value === 'all' ? undefined : count(value, place));

const proofShape = object(
  { v: oneOf(EDITION), receipts: list(() => undefined), snapshots: table(text, { keys: hash }) },
  { epoch: epochShape, from: count, log: proofLogShape },
);

const parsed = (source: string): unknown => {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
};

const unreadable = (fault: string): Unreadable => ({ error: `This is not a proof that can be read: ${fault}.` });

const RECEIPTS_PER_STEP = 64;

/** Reads a proof, and refuses whatever is not one. Nothing after this has to expect anything else than a proof. */
export function* readProof(source: string): Generator<void, Proof | Unreadable> {
  if (source.length > MAX_PROOF_LENGTH) return unreadable('it is longer than any proof');
  // Some editors and shells put a mark at the beginning of a file.
  const value = parsed(source.replace(/^\ufeff/, ''));
  yield;
  if (value === undefined) return unreadable('it is not JSON');
  const repeated = yield* repeatedMember(source);
  if (repeated !== undefined) return unreadable(`an object in it has two members named ${shortened(repeated)}`);
  if (isObject(value) && Object.hasOwn(value, 'v') && value.v !== EDITION)
    return unreadable(`it is ${otherEdition(value.v)}`);
  const fault = proofShape(value, '');
  if (fault !== undefined) return unreadable(fault);
  const proof = value as {
    readonly receipts: unknown[];
    readonly snapshots: Record<string, string>;
    readonly epoch?: number | 'all';
    readonly from?: number;
    readonly log?: ProofLog;
  };
  if (proof.receipts.length === 0) return unreadable('it has no receipts');
  const receipts: { receipt: AnyReceipt; statedHash: string | undefined }[] = [];
  for (const [index, entry] of proof.receipts.entries()) {
    const isListed = isObject(entry) && Object.hasOwn(entry, 'receipt');
    const receiptFault = (isListed ? listed : receiptShape)(entry, `receipts[${index}]`);
    if (receiptFault !== undefined) return unreadable(receiptFault);
    const stated = entry as { hash: string; receipt: AnyReceipt };
    receipts.push(
      isListed
        ? { receipt: stated.receipt, statedHash: stated.hash }
        : { receipt: entry as AnyReceipt, statedHash: undefined },
    );
    if (index % RECEIPTS_PER_STEP === RECEIPTS_PER_STEP - 1) yield;
  }
  const { epoch, from = 0, log } = proof;
  const claim = epoch === undefined ? undefined : { epoch, from };
  return { receipts, snapshots: new Map(Object.entries(proof.snapshots)), claim, log };
}
