/** The public log of a team: what its leaves and heads are, as texts that are hashed and signed. */
import { utf8 } from './bytes.ts';
import { canonicalText } from './canonical.ts';
import { leafHash } from './merkle.ts';
import { count, hash, integer, isIsoTime, list, matching, object, oneOf, orNull, text } from './shape.ts';

const VERSION = 1;

export const LEAF_KINDS = ['rotation', 'manifest'] as const;
export type LeafKind = (typeof LEAF_KINDS)[number];

/** What a leaf is about: the receipt of a rotation, or a manifest that rotations fixed. Neither names a player. */
export interface LeafSubject {
  readonly kind: LeafKind;
  /** The hash of the receipt, or of the manifest. */
  readonly subject: string;
}

/** The data of a leaf, in canonical form. */
export const leafText = ({ kind, subject }: LeafSubject): string =>
  canonicalText(kind === 'rotation' ? { kind, receipt: subject, v: VERSION } : { kind, manifest: subject, v: VERSION });

export const leafOf = (leaf: LeafSubject): string => leafHash(utf8(leafText(leaf)));

/** All of a log at a moment. */
export interface LogHead {
  readonly v: typeof VERSION;
  readonly teamId: string;
  /** The number of leaves. */
  readonly size: number;
  /** The root of their tree. */
  readonly root: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
}

export const logHead = (members: Omit<LogHead, 'v'>): LogHead => ({ v: VERSION, ...members });

/** A head as the service publishes it. */
export interface SignedHead {
  readonly head: LogHead;
  /** Ed25519, over the canonical text of the head; both in hex. */
  readonly signature: string;
  readonly publicKey: string;
}

/** What is signed. */
export const headText = ({ v, teamId, size, root, at }: LogHead): string =>
  canonicalText({ v, teamId, size, root, at });

/** Shows that a leaf is in the log. */
export interface Inclusion {
  readonly leaf: string;
  readonly index: number;
  readonly path: readonly string[];
}

/** Shows that a log of one size begins with that of another. */
export interface Consistency {
  readonly from: number;
  readonly to: number;
  readonly path: readonly string[];
}

/** What a proof says about the log. */
export interface ProofLog {
  /** Null as long as the log is empty, as are the next two. */
  readonly head: LogHead | null;
  readonly signature: string | null;
  readonly publicKey: string | null;
  readonly inclusions: readonly Inclusion[];
  /** Leaves that are not in the log yet. */
  readonly pending: readonly string[];
  readonly consistency?: Consistency;
}

/** No tree that can be counted is higher. */
const MOST_HEIGHT = 64;

const path = list(hash, MOST_HEIGHT);
const signature = matching(/^[0-9a-f]{128}$/, 'a signature of 128 hexadecimal digits');
const headShape = object({ v: oneOf(VERSION), teamId: text, size: integer(1), root: hash, at: isIsoTime });

export const signedHeadShape = object({ head: headShape, signature, publicKey: hash });

export const proofLogShape = object(
  {
    head: orNull(headShape),
    signature: orNull(signature),
    publicKey: orNull(hash),
    inclusions: list(object({ leaf: hash, index: count, path })),
    pending: list(hash),
  },
  { consistency: object({ from: integer(1), to: integer(1), path }) },
);
