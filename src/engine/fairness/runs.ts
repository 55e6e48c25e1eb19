/**
 * How receipts are stored. Those of one template that follow each other share most of their text, so they are kept
 * together, as a run: a line with what they have in common, and a short line for each. The canonical texts are made of them
 * again, and their hashes show that they are the same.
 */
import type { IdleAccount, TemplateState } from '../systems/state.ts';
import { EDITION, type ResultRow, type RollReceipt, receiptText, type SparkReceipt } from './receipts.ts';

export type CallReceipt = RollReceipt | SparkReceipt;

/** What all receipts on a configuration have in common. */
export interface Terms extends Pick<CallReceipt, 'scope' | 'templateId' | 'config' | 'pool' | 'salt'> {
  /** In the order by which short lines refer to them. */
  readonly tiers: readonly string[];
}

/** Terms as they are stored, by their hash. */
export const termsText = ({ scope, templateId, config, pool, salt, tiers }: Terms): string =>
  JSON.stringify([scope, templateId, config, pool, salt, tiers]);

export const readTerms = (text: string): Terms => {
  const [scope, templateId, config, pool, salt, tiers] = JSON.parse(text);
  return { scope, templateId, config, pool, salt, tiers };
};

type Tier = number | string | null;
type StoredIdle = readonly [atMs: number, rolls: number, units: number] | 0;
/** Then each counter: its tier, and the rolls since. */
type StoredState = readonly [
  rolls: number,
  sparkPoints: number,
  losses: number,
  idle: StoredIdle,
  ...(number | string)[],
];
/** Flags: 1 for pity, 2 for a featured item. */
type StoredResult = readonly [itemId: string, tier: Tier, flags: number, ...values: number[]];
/** Null for an exchange; a number stands for a request with only a count. */
type StoredRequest = RollReceipt['request'] | number;
type StoredCall = readonly [
  after: StoredState | null,
  ms: number,
  draws: number,
  request: StoredRequest | readonly [itemId: string],
  results: readonly StoredResult[],
  /** Missing if it is what the call before left. */
  before?: StoredState | null,
];
/** Of the first receipt, the hash before it and its time. */
type StoredStart = readonly [terms: string, previous: string, atMs: number];

const storedTier = (tiers: readonly string[], tier: string): number | string => {
  const place = tiers.indexOf(tier);
  return place < 0 ? tier : place;
};

const readTier = (tiers: readonly string[], tier: number | string): string =>
  typeof tier === 'number' ? (tiers[tier] as string) : tier;

const storedState = (tiers: readonly string[], state: TemplateState | null): StoredState | null => {
  if (state === null) return null;
  const { own, pity } = state;
  const { idle } = own;
  return [
    own.rolls,
    own.sparkPoints,
    pity.losses,
    idle === null ? 0 : [idle.atMs, idle.rolls, idle.units],
    ...pity.counters.flatMap(({ tier, since }) => [storedTier(tiers, tier), since]),
  ];
};

const readIdle = (idle: StoredIdle): IdleAccount | null =>
  idle === 0 ? null : { atMs: idle[0], rolls: idle[1], units: idle[2] };

const readState = (tiers: readonly string[], state: StoredState | null): TemplateState | null => {
  if (state === null) return null;
  const [rolls, sparkPoints, losses, idle, ...counted] = state;
  const counters = [];
  for (let place = 0; place < counted.length; place += 2)
    counters.push({ tier: readTier(tiers, counted[place] as number | string), since: counted[place + 1] as number });
  return { own: { rolls, sparkPoints, idle: readIdle(idle) }, pity: { counters, losses } };
};

const storedResult = (tiers: readonly string[], [itemId, tier, pity, featured, values]: ResultRow): StoredResult => [
  itemId,
  tier === null ? null : storedTier(tiers, tier),
  (pity ? 1 : 0) + (featured ? 2 : 0),
  ...values,
];

const readResult = (tiers: readonly string[], [itemId, tier, flags, ...values]: StoredResult): ResultRow => [
  itemId,
  tier === null ? null : readTier(tiers, tier),
  (flags & 1) === 1,
  (flags & 2) === 2,
  values,
];

const storedRequest = ({ kind, request }: CallReceipt): StoredCall[3] => {
  if (kind === 'spark') return [(request as SparkReceipt['request']).itemId];
  const { classifierOptionIds, count, depth } = request as RollReceipt['request'];
  return count === undefined || classifierOptionIds !== undefined || depth !== undefined
    ? { classifierOptionIds, count, depth }
    : count;
};

const readRequest = (request: StoredCall[3]): Pick<CallReceipt, 'kind' | 'request'> => {
  if (Array.isArray(request))
    return { kind: 'spark', request: { itemId: (request as readonly string[])[0] as string } };
  return {
    kind: 'roll',
    request: typeof request === 'number' ? { count: request } : (request as RollReceipt['request']),
  };
};

/** Every roll asks for it, so nothing else is parsed. */
const startMsOf = (run: string): number => {
  const end = run.indexOf('\n') - 1;
  return Number(run.slice(run.lastIndexOf(',', end) + 1, end));
};

/**
 * A run with another receipt, at its time; a new one with null. Undefined if the run is on other terms, which are given by
 * their hash.
 */
export const runWith = (
  run: string | null,
  terms: string,
  tiers: readonly string[],
  receipt: CallReceipt,
  atMs: number,
): string | undefined => {
  if (run !== null && !run.startsWith(`["${terms}"`)) return undefined;
  const start = run ?? JSON.stringify([terms, receipt.previous, atMs] satisfies StoredStart);
  const stored: StoredCall = [
    storedState(tiers, receipt.after),
    atMs - (run === null ? atMs : startMsOf(run)),
    receipt.draws,
    storedRequest(receipt),
    receipt.results.map((row) => storedResult(tiers, row)),
  ];
  const before = storedState(tiers, receipt.before);
  const goesOn = start.startsWith(`[${JSON.stringify(before)},`, start.lastIndexOf('\n') + 1);
  return `${start}\n${JSON.stringify(goesOn ? stored : [...stored, before])}`;
};

/** How many receipts a run has. */
export const lengthOfRun = (run: string): number => {
  let length = 0;
  for (let at = run.indexOf('\n'); at >= 0; at = run.indexOf('\n', at + 1)) length += 1;
  return length;
};

/** The hash of the terms of a run. */
export const termsOfRun = (run: string): string => run.slice(2, run.indexOf('"', 2));

/** A receipt of a run, its canonical text, and its hash. */
export interface RunReceipt {
  readonly receipt: CallReceipt;
  readonly text: string;
  readonly hash: string;
}

/** The receipts of a run that begins at a place. */
export function* receiptsOfRun(
  run: string,
  { tiers, ...terms }: Terms,
  { nonce: first, ...place }: Pick<CallReceipt, 'teamId' | 'userId' | 'epoch' | 'nonce'>,
  { hashOf, timeOf }: { readonly hashOf: (text: string) => string; readonly timeOf: (ms: number) => string },
): Generator<RunReceipt, void, undefined> {
  const [start, ...lines] = run.split('\n') as [string, ...string[]];
  let [, previous, startMs] = JSON.parse(start) as StoredStart;
  let state: StoredState | null = null;
  for (const [index, line] of lines.entries()) {
    const [after, ms, draws, request, results, before = state] = JSON.parse(line) as StoredCall;
    const receipt = {
      v: EDITION,
      ...place,
      ...terms,
      ...readRequest(request),
      nonce: first + index,
      at: timeOf(startMs + ms),
      previous,
      before: readState(tiers, before),
      after: readState(tiers, after),
      results: results.map((row) => readResult(tiers, row)),
      draws,
    } as CallReceipt;
    const text = receiptText(receipt);
    previous = hashOf(text);
    state = after;
    yield { receipt, text, hash: previous };
  }
}

/** Where the chain of a player's receipts ends. */
export interface End {
  readonly rotation: string;
  /** Of the next roll. */
  readonly nonce: number;
  readonly head: string;
  readonly atMs: number;
  /** The last receipts, as far as they have no row yet. */
  readonly run: string | null;
}

type StoredEnd = readonly [rotation: string, nonce: number, head: string, atMs: number];

export const endText = ({ rotation, nonce, head, atMs, run }: End): string => {
  const end = JSON.stringify([rotation, nonce, head, atMs] satisfies StoredEnd);
  return run === null ? end : `${end}\n${run}`;
};

export const readEnd = (text: string | null): End | null => {
  if (text === null) return null;
  const length = text.indexOf('\n');
  const isAlone = length < 0;
  const [rotation, nonce, head, atMs] = JSON.parse(isAlone ? text : text.slice(0, length)) as StoredEnd;
  return { rotation, nonce, head, atMs, run: isAlone ? null : text.slice(length + 1) };
};
