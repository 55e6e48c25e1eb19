/** What a player keeps, apart from proofs: only that shows that a whole history was not replaced by another one. */
import { type SignedHead, signedHeadShape } from './log.ts';
import { hash, integer, isObject, list, object, oneOf, type Shape, text } from './shape.ts';

/** A head of the public log. */
export interface KeptHead {
  readonly size: number;
  readonly root: string;
  /** What the service published, if all of it was kept. */
  readonly signed?: SignedHead;
}

/** A commitment that was shown, and the client seed that was chosen after it; perhaps only one of them. */
export interface KeptSeeds {
  readonly commitment?: string | undefined;
  readonly clientSeed?: string | undefined;
}

export interface Kept {
  /** Hashes of receipts. */
  readonly receipts?: readonly string[];
  readonly seeds?: readonly KeptSeeds[];
  readonly heads?: readonly KeptHead[];
}

const bare = object({ size: integer(1), root: hash });
const fits = (shape: Shape, value: unknown): boolean => shape(value, '') === undefined;

const headIn = (value: unknown): KeptHead | undefined => {
  if (!isObject(value)) return undefined;
  if (fits(signedHeadShape, value)) {
    const signed = value as unknown as SignedHead;
    return { size: signed.head.size, root: signed.head.root, signed };
  }
  // What else a response may have beside it says nothing here.
  const { size, root } = value;
  return fits(bare, { size, root }) ? { size: size as number, root: root as string } : undefined;
};

/** A head, or something that has one: as `head`, or the log of a proof. */
const headFromJson = (value: unknown): KeptHead | undefined => {
  const found = headIn(value);
  if (found !== undefined || !isObject(value)) return found;
  const { head, log } = value;
  return headIn(head) ?? headIn(log) ?? (isObject(log) ? headIn(log.head) : undefined);
};

const parsed = (source: string): unknown => {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
};

const LINE = /^(\d{1,15})[\s,:]+([0-9a-f]{64})$/;

const headFromLine = (line: string): KeptHead | undefined => {
  const [, size, root] = LINE.exec(line.trim().toLowerCase()) ?? [];
  return size === undefined || root === undefined
    ? headFromJson(parsed(line))
    : headFromJson({ size: Number(size), root });
};

/**
 * Reads heads as people keep them: responses of the service as JSON, or a line each with the size and the root. Undefined
 * if something else is among them.
 */
export const readHeads = (source: string): KeptHead[] | undefined => {
  const whole = headFromJson(parsed(source));
  if (whole !== undefined) return [whole];
  const heads = source
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(headFromLine);
  return heads.every((head) => head !== undefined) ? heads : undefined;
};

const VERSION = 1;
/** Longer than any file of a player who checks every day for years. */
const MOST_LENGTH = 1024 * 1024;

const head: Shape = (value, place) =>
  headFromJson(value) === undefined ? `${place} is not a head of the public log` : undefined;

const keptShape = object(
  { kept: oneOf(VERSION) },
  { receipts: list(hash), seeds: list(object({}, { commitment: hash, clientSeed: text })), heads: list(head) },
);

/** Reads a file with all that a player kept. Undefined if it is something else, such as a proof. */
export const readKept = (source: string): Kept | { readonly error: string } | undefined => {
  const value = source.length > MOST_LENGTH ? undefined : parsed(source.replace(/^\uFEFF/, ''));
  if (!isObject(value) || !Object.hasOwn(value, 'kept')) return undefined;
  const fault = keptShape(value, '');
  if (fault !== undefined) return { error: `The file of what you kept cannot be read: ${fault}.` };
  const { receipts = [], seeds = [], heads = [] } = value as Kept;
  return { receipts, seeds, heads: heads.flatMap((one) => headFromJson(one) ?? []) };
};

/** Everything once, in the order in which it came. */
const unique = <T>(things: readonly T[]): T[] => [
  ...new Map(things.map((thing) => [JSON.stringify(thing), thing])).values(),
];

export const joinKept = (all: readonly Kept[]): Kept => ({
  receipts: unique(all.flatMap(({ receipts = [] }) => receipts)),
  seeds: unique(all.flatMap(({ seeds = [] }) => seeds)).filter(
    ({ commitment, clientSeed }) => commitment !== undefined || clientSeed !== undefined,
  ),
  heads: unique(all.flatMap(({ heads = [] }) => heads)),
});

/** The file that `readKept` reads. */
export const keptText = ({ receipts, seeds, heads = [] }: Kept): string =>
  `${JSON.stringify({ kept: VERSION, receipts, seeds, heads: heads.map(({ signed, ...one }) => signed ?? one) }, null, 2)}\n`;

export const newestHead = (heads: readonly KeptHead[]): KeptHead | undefined =>
  heads.toSorted((left, right) => left.size - right.size).at(-1);
