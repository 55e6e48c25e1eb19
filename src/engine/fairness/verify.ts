import type { CompiledItem } from '../pool/catalog.ts';
import { replayDifferences } from './differences.ts';
import { type CallEntry, type Entry, type Epoch, epochsOf, nameOfScope } from './ledger.ts';
import { checkEpoch, commitmentTo, coverageOf, type IsFull, type Note } from './links.ts';
import { type Proof, readProof, type Unreadable } from './proof.ts';
import { type AnyReceipt, PLAIN_SCOPE, receiptText, scopeOf } from './receipts.ts';
import { type CallReceipt, createReplayer, type Replayer, requestFault, type Seeds } from './replay.ts';
import { hashOfText } from './sha256.ts';
import { shortened } from './shape.ts';
import { type Machine, readSnapshots, type SnapshotReader } from './snapshot-reader.ts';
import { createStandings, isInitial, type Standings } from './standing.ts';

/**
 * `verified`: everything about it was checked and is right. `sealed`: nothing is wrong so far, but its server seed is
 * still hidden, so its results cannot be checked yet.
 */
export type Status = 'verified' | 'sealed' | 'failed';

export interface CheckedReceipt {
  readonly receipt: AnyReceipt;
  readonly hash: string;
  readonly status: Status;
  /** Why it failed, for players: sentences about it, without a full stop. */
  readonly reasons: readonly string[];
  /** Whether the counters before it come from rolls that are not in the proof. */
  readonly isStartGiven: boolean;
}

/** The seed of an epoch that has ended. */
export interface RevealedSeed {
  readonly epoch: number;
  readonly seed: string;
  /** Whether it is the one that was committed to; null if the commitment is not in the proof. */
  readonly isCommitted: boolean | null;
}

/** An item of a call, with names from the pool. */
export interface ShownItem {
  readonly itemId: string;
  readonly name: string;
  readonly tier: string | null;
  readonly pity: boolean;
  readonly featured: boolean;
  readonly values: readonly { readonly attributeId: string; readonly value: number }[];
}

export interface Verification {
  readonly teamId: string;
  readonly userId: string;
  readonly counts: Readonly<Record<Status, number>>;
  /** In the order of the proof. */
  readonly receipts: readonly CheckedReceipt[];
  readonly seeds: readonly RevealedSeed[];
  /** Hashes that the player kept, and whether the proof has receipts with them. */
  readonly kept: readonly { readonly hash: string; readonly isFound: boolean }[];
  /** What the proof leaves out. */
  readonly notes: readonly string[];
  /** Whether nothing failed, and everything that the player kept is there. */
  readonly isSound: boolean;
  itemsOf(receipt: CallReceipt): readonly ShownItem[];
}

/** The service ends a proof at this many receipts or characters: then the rest is in another. */
export const FULL_PROOF = { receipts: 1000, length: 16 * 1024 * 1024 } as const;

/** Counts only what the service would count: anyone can make a proof longer with what says nothing. */
const fullWith =
  (snapshots: Proof['snapshots']): IsFull =>
  ({ opening }, { calls }) => {
    const receipts = [...(opening === undefined ? [] : [opening]), ...calls].map(({ receipt }) => receipt);
    if (receipts.length >= FULL_PROOF.receipts) return true;
    const hashes = receipts.flatMap((receipt) =>
      receipt.kind === 'rotate' ? [receipt.manifest] : [receipt.config, receipt.pool],
    );
    const texts = [...receipts.map(receiptText), ...Array.from(new Set(hashes), (hash) => snapshots.get(hash) ?? '')];
    return texts.reduce((sum, text) => sum + text.length, 0) > FULL_PROOF.length;
  };

const REASON_LENGTH = 300;

const HASHES_PER_STEP = 16;
/** How much of the work is hashing. */
const HASHING_SHARE = 0.2;

/** Receipts that came twice are one; their order stays. */
function* entriesOf({ receipts }: Proof): Generator<number, Entry[]> {
  const byHash = new Map<string, Entry>();
  for (const [index, { receipt, statedHash }] of receipts.entries()) {
    const hash = hashOfText(receiptText(receipt));
    const entry = byHash.get(hash) ?? { receipt, hash, reasons: [] };
    if (statedHash !== undefined && statedHash !== hash)
      entry.reasons.push('its hash is not the one that stands beside it: it was changed');
    byHash.set(hash, entry);
    if (index % HASHES_PER_STEP === HASHES_PER_STEP - 1) yield (HASHING_SHARE * index) / receipts.length;
  }
  return [...byHash.values()];
}

/** All receipts must be of one player, who is that of the first. */
const checkOwner = (entries: readonly Entry[]): void => {
  const { teamId, userId } = (entries[0] as Entry).receipt;
  for (const { receipt, reasons } of entries) {
    if (receipt.teamId !== teamId || receipt.userId !== userId)
      reasons.push('it belongs to another player or team than the first receipt');
  }
};

/** What decides a call, after comparing the receipt with it; undefined if the proof does not have it. */
const machineOf = ({ receipt, reasons }: CallEntry, snapshots: SnapshotReader): Machine | undefined => {
  const found = snapshots.machine(receipt.config);
  if ('reason' in found) {
    reasons.push(`its configuration ${found.reason}`);
    return undefined;
  }
  const { snapshot, template } = found.value;
  if (snapshot.templateId !== receipt.templateId) reasons.push('its configuration is that of another template');
  if (snapshot.pool !== receipt.pool) reasons.push('its pool is not the one of its configuration');
  const scope = template === null ? PLAIN_SCOPE : scopeOf(template.id, template.pityGroup);
  if (receipt.scope !== scope)
    reasons.push(`it is listed under ${nameOfScope(receipt.scope)}, but belongs to ${nameOfScope(scope)}`);
  return found.value;
};

const checkManifest = ({ receipt, reasons }: CallEntry, { opening }: Epoch, snapshots: SnapshotReader): void => {
  if (opening === undefined) return;
  const manifest = snapshots.manifest(opening.receipt.manifest);
  if ('reason' in manifest) reasons.push(`the list of configurations that its epoch began with ${manifest.reason}`);
  else if (manifest.value.get(receipt.templateId) !== receipt.config)
    reasons.push('its configuration was not fixed when the epoch began, before the client seed was known');
};

/** The seeds of an epoch; null if the server seed is hidden or not the one that was promised. */
const seedsOf = ({ opening, closing }: Epoch): { seeds: Seeds | null; isFalse: boolean } => {
  const server = closing?.receipt.revealed ?? null;
  if (opening === undefined || server === null) return { seeds: null, isFalse: false };
  const isFalse = commitmentTo(server) !== opening.receipt.commitment;
  return { seeds: isFalse ? null : { server, client: opening.receipt.clientSeed }, isFalse };
};

const namesIn =
  ({ catalog }: Machine) =>
  (itemId: string): string =>
    catalog.itemsById.get(itemId)?.name ?? itemId;

interface CallChecks {
  readonly snapshots: SnapshotReader;
  readonly replayer: Replayer;
  readonly standings: Standings;
  /** Calls whose state before could not be compared with anything. */
  readonly starts: Set<Entry>;
  readonly note: Note;
}

/** The state before a call against what earlier ones left. */
const checkBefore = (
  entry: CallEntry,
  preceding: CallEntry | undefined,
  { standings, starts, note }: CallChecks,
): void => {
  const { receipt, reasons } = entry;
  if (preceding !== undefined && preceding.receipt.nonce !== receipt.nonce - 1) standings.skip(receipt.scope);
  const differences = standings.differences(receipt);
  if (differences === undefined && receipt.before !== null && !isInitial(receipt.before)) {
    starts.add(entry);
    if (preceding === undefined)
      note(
        `The first counters of ${nameOfScope(receipt.scope)} come from rolls before this proof, and are taken as given.`,
      );
  } else if (differences !== undefined && differences.length > 0) {
    reasons.push(`before it, the counters were not what the last roll had left: ${differences.join('; ')}`);
  }
  standings.move(receipt);
};

/** Checks a call by itself. Without seeds its results stay unchecked. */
const checkCall = (
  entry: CallEntry,
  epoch: Epoch,
  { seeds, isFalse }: ReturnType<typeof seedsOf>,
  checks: CallChecks,
): void => {
  const { receipt, reasons } = entry;
  const { snapshots, replayer } = checks;
  checkManifest(entry, epoch, snapshots);
  if (isFalse) reasons.push('its results cannot be checked: the server seed of its epoch is not the one promised');
  const machine = machineOf(entry, snapshots);
  if (machine === undefined) return;
  const fault = requestFault(receipt, machine);
  if (fault !== undefined) {
    reasons.push(fault);
    return;
  }
  if (seeds === null) {
    const unknown = receipt.results.find(([itemId]) => !machine.catalog.itemsById.has(itemId));
    if (unknown !== undefined) reasons.push(`${shortened(unknown[0])} is not an item of its pool`);
    return;
  }
  const replayed = replayer.replay(receipt, machine, seeds);
  if ('reason' in replayed) reasons.push(replayed.reason);
  else reasons.push(...replayDifferences(replayed.value, receipt, namesIn(machine)));
};

const withPreceding = (calls: readonly CallEntry[]): (readonly [CallEntry, CallEntry | undefined])[] =>
  calls.map((entry, index) => [entry, calls[index - 1]]);

/** Runs all calls again, epoch by epoch; returns the entries whose results are still hidden. */
function* checkCalls(epochs: readonly Epoch[], checks: CallChecks): Generator<number, Set<Entry>> {
  const sealed = new Set<Entry>();
  const total = epochs.reduce(
    (sum, { chains }) => sum + chains.reduce((calls, chain) => calls + chain.calls.length, 0),
    0,
  );
  let done = 0;
  let before = -1;
  for (const epoch of epochs) {
    if (epoch.number !== before + 1) checks.standings.endEpoch({ scopes: new Set(), isWhole: false });
    before = epoch.number;
    const found = seedsOf(epoch);
    for (const [entry, preceding] of epoch.chains.flatMap(({ calls }) => withPreceding(calls))) {
      checkBefore(entry, preceding, checks);
      checkCall(entry, epoch, found, checks);
      if (found.seeds === null) sealed.add(entry);
      done += 1;
      yield HASHING_SHARE + (1 - HASHING_SHARE) * (done / total);
    }
    checks.standings.endEpoch(coverageOf(epoch));
  }
  return sealed;
}

const shownItem =
  (items: ReadonlyMap<string, CompiledItem>, tierNames: ReadonlyMap<string, { readonly name: string }>) =>
  ([itemId, tier, pity, featured, values]: CallReceipt['results'][number]): ShownItem => {
    const item = items.get(itemId);
    const attributes = item?.attributes ?? [];
    return {
      itemId,
      name: item?.name ?? itemId,
      tier: tier === null ? null : (tierNames.get(tier)?.name ?? tier),
      pity,
      featured,
      values: values.map((value, index) => ({ attributeId: attributes[index]?.attributeId ?? `${index + 1}`, value })),
    };
  };

const itemsShown =
  (snapshots: SnapshotReader) =>
  ({ pool, results }: CallReceipt): ShownItem[] => {
    const catalog = snapshots.catalog(pool);
    const { itemsById, options } = 'value' in catalog ? catalog.value : { itemsById: new Map(), options: new Map() };
    return results.map(shownItem(itemsById, options));
  };

const revealedSeeds = (epochs: readonly Epoch[]): RevealedSeed[] =>
  epochs.flatMap(({ number, opening, closing }) => {
    const seed = closing?.receipt.revealed ?? null;
    if (seed === null) return [];
    return {
      epoch: number,
      seed,
      isCommitted: opening === undefined ? null : commitmentTo(seed) === opening.receipt.commitment,
    };
  });

/**
 * Checks a proof, given as text, and that it has the receipts whose hashes the player kept. Nothing in the proof is
 * trusted, and nothing in it makes this throw. Yields the share of the work that is done.
 */
export function* verifyInSteps(
  source: string,
  kept: readonly string[] = [],
): Generator<number, Verification | Unreadable> {
  const reading = readProof(source);
  let read = reading.next();
  while (!read.done) {
    yield 0;
    read = reading.next();
  }
  const proof = read.value;
  if ('error' in proof) return proof;
  const entries = yield* entriesOf(proof);
  checkOwner(entries);
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const epochs = epochsOf(entries);
  const byNumber = new Map(epochs.map((epoch) => [epoch.number, epoch]));
  const isFull = fullWith(proof.snapshots);
  const snapshots = readSnapshots(proof.snapshots);
  const starts = new Set<Entry>();
  const sealed = yield* checkCalls(epochs, {
    snapshots,
    starts,
    replayer: createReplayer(),
    standings: createStandings(),
    note,
  });

  // Later, so that the reasons of a receipt begin with what is wrong with itself.
  for (const epoch of epochs) checkEpoch(epoch, byNumber.get(epoch.number - 1)?.opening, isFull, note);

  const counts = { verified: 0, sealed: 0, failed: 0 };
  const receipts = entries.map((entry): CheckedReceipt => {
    const { receipt, hash, reasons } = entry;
    const status = reasons.length > 0 ? 'failed' : sealed.has(entry) ? 'sealed' : 'verified';
    counts[status] += 1;
    const short = reasons.map((reason) =>
      reason.length > REASON_LENGTH ? `${reason.slice(0, REASON_LENGTH)}…` : reason,
    );
    return { receipt, hash, status, reasons: [...new Set(short)], isStartGiven: starts.has(entry) };
  });
  const hashes = new Set(entries.map(({ hash }) => hash));
  const found = [...new Set(kept)].map((hash) => ({ hash, isFound: hashes.has(hash) }));
  const { teamId, userId } = (entries[0] as Entry).receipt;
  return {
    teamId,
    userId,
    counts,
    receipts,
    seeds: revealedSeeds(epochs),
    kept: found,
    notes,
    isSound: counts.failed === 0 && found.every(({ isFound }) => isFound),
    itemsOf: itemsShown(snapshots),
  };
}

/** The same all at once. */
export const verifyProof = (source: string, kept: readonly string[] = []): Verification | Unreadable => {
  const steps = verifyInSteps(source, kept);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};
