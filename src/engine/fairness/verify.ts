import type { CompiledItem } from '../pool/catalog.ts';
import { replayDifferences } from './differences.ts';
import { joinKept, type Kept, type KeptSeeds } from './kept.ts';
import { type CallEntry, type Entry, type Epoch, epochsOf, nameOfScope } from './ledger.ts';
import { checkEpoch, checkEpochs, checkTimes, commitmentTo, type Part } from './links.ts';
import { lookalikes } from './lookalikes.ts';
import { type NotMade, notMade, type PassedOver, passedOver } from './not-made.ts';
import { type Claim, type Proof, readProof, type Unreadable } from './proof.ts';
import { type AnyReceipt, manifestEntry, PLAIN_SCOPE, type RotateReceipt, receiptText, scopeOf } from './receipts.ts';
import { type CallReceipt, createReplayer, type Replayer, requestFault, type Seeds } from './replay.ts';
import { hashOfText } from './sha256.ts';
import { shortened } from './shape.ts';
import { type Machine, readSnapshots, type SnapshotReader } from './snapshot-reader.ts';
import { createStandings, type Standings } from './standing.ts';
import { type CheckedLog, checkLogs, type SignatureAnswer, type SignatureToCheck } from './verify-log.ts';

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
  /** Whether the counters before it may come from rolls that are not shown. */
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

/** Something that the player kept, and whether the proof has it. */
export interface KeptFound {
  readonly kind: 'receipt' | 'commitment' | 'client seed';
  readonly value: string;
  readonly isFound: boolean;
}

export interface Verification {
  readonly teamId: string;
  readonly userId: string;
  readonly counts: Readonly<Record<Status, number>>;
  /** In the order of the proof. */
  readonly receipts: readonly CheckedReceipt[];
  readonly seeds: readonly RevealedSeed[];
  readonly kept: readonly KeptFound[];
  /** What is not shown. */
  readonly notes: readonly string[];
  /** What rotations prevented, and whether it looks like chance. */
  readonly notMade: readonly NotMade[];
  readonly passedOver: PassedOver;
  /** Templates between which a player could be sent: those of each list have the same odds. */
  readonly lookalikes: readonly (readonly string[])[];
  /** Null if the proof says nothing about the public log. */
  readonly log: CheckedLog | null;
  /** Whether nothing failed, and everything that the player kept is there. */
  readonly isSound: boolean;
  /** What the player should keep from now on: what was kept, and if nothing is wrong, what fixes all of this. */
  readonly toKeep: Kept;
  itemsOf(call: Pick<CallReceipt, 'pool' | 'results'>): readonly ShownItem[];
}

/** The service ends a proof at this many receipts or characters: then the rest is in another. */
export const FULL_PROOF = { receipts: 1000, length: 16 * 1024 * 1024 } as const;

/** Counts only what the service would count: anyone can make a proof longer with what says nothing. */
const isFull = ({ opening, calls }: Epoch, snapshots: Proof['snapshots']): boolean => {
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
function* entriesOf({ receipts }: Pick<Proof, 'receipts'>): Generator<number, Entry[]> {
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
  else {
    const [template, config] = manifestEntry(receipt.templateId, receipt.config, receipt.salt);
    if (manifest.value.get(template) !== config)
      reasons.push('its configuration was not fixed when the epoch began, before the client seed was known');
  }
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
}

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

/** What running calls again has shown. */
interface Checked {
  /** Calls whose results are still hidden. */
  readonly sealed: ReadonlySet<Entry>;
  /** Epochs whose seed is known. */
  readonly ended: readonly { readonly epoch: Epoch; readonly seeds: Seeds }[];
}

/** The nonce from which on a story is said to have an epoch; undefined if it is not said to have any of it. */
const firstOf = ({ number, calls }: Epoch, claims: readonly Claim[]): number | undefined => {
  const firsts = claims.flatMap((claim) => {
    if (claim === undefined) return calls[0]?.receipt.nonce ?? [];
    return claim.epoch === 'all' || claim.epoch === number ? claim.from : [];
  });
  return firsts.length === 0 ? undefined : Math.min(...firsts);
};

/** Runs all calls again, epoch by epoch. */
function* checkCalls(
  epochs: readonly Epoch[],
  claims: readonly Claim[],
  checks: CallChecks,
): Generator<number, Checked> {
  const sealed = new Set<Entry>();
  const ended: { epoch: Epoch; seeds: Seeds }[] = [];
  const total = epochs.reduce((sum, { calls }) => sum + calls.length, 0);
  let done = 0;
  for (const epoch of epochs) {
    checks.standings.begin(epoch);
    const first = firstOf(epoch, claims) ?? Number.POSITIVE_INFINITY;
    const found = seedsOf(epoch);
    if (found.seeds !== null) ended.push({ epoch, seeds: found.seeds });
    for (const entry of epoch.calls) {
      checks.standings.check(entry, entry.receipt.nonce >= first);
      checkCall(entry, epoch, found, checks);
      if (found.seeds === null) sealed.add(entry);
      done += 1;
      yield HASHING_SHARE + (1 - HASHING_SHARE) * (done / total);
    }
  }
  return { sealed, ended };
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
  ({ pool, results }: Pick<CallReceipt, 'pool' | 'results'>): ShownItem[] => {
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

/** Several proofs of one player, as one. */
interface Story extends Pick<Proof, 'receipts' | 'snapshots'> {
  readonly claims: readonly Claim[];
  readonly proofs: readonly Proof[];
}

const joined = (proofs: readonly Proof[]): Story => {
  const snapshots = new Map<string, string>();
  for (const proof of proofs)
    for (const [hash, text] of proof.snapshots)
      if (!snapshots.has(hash) || (snapshots.get(hash) !== text && hashOfText(text) === hash))
        snapshots.set(hash, text);
  const receipts = proofs.flatMap((proof) => proof.receipts);
  return { receipts, snapshots, claims: proofs.map(({ claim }) => claim), proofs };
};

function* readAll(sources: readonly string[]): Generator<number, Story | Unreadable> {
  const proofs: Proof[] = [];
  for (const source of sources) {
    const reading = readProof(source);
    let read = reading.next();
    while (!read.done) {
      yield 0;
      read = reading.next();
    }
    if ('error' in read.value) return read.value;
    proofs.push(read.value);
  }
  return joined(proofs);
}

/** A commitment that was kept must have been used, or be the next; together with the client seed that was chosen then. */
const findSeeds = (rotations: readonly RotateReceipt[], { commitment, clientSeed }: KeptSeeds): KeptFound[] => {
  const found: KeptFound[] = [];
  if (commitment !== undefined)
    found.push({
      ...{ kind: 'commitment', value: commitment },
      isFound: rotations.some((one) => one.commitment === commitment || one.nextCommitment === commitment),
    });
  if (clientSeed !== undefined)
    found.push({
      ...{ kind: 'client seed', value: clientSeed },
      isFound: rotations.some(
        (one) => one.clientSeed === clientSeed && (commitment === undefined || one.commitment === commitment),
      ),
    });
  return found;
};

const rotationsIn = (entries: readonly Pick<Entry, 'receipt'>[]): RotateReceipt[] =>
  entries.flatMap(({ receipt }) => (receipt.kind === 'rotate' ? [receipt] : []));

const findKept = (entries: readonly Entry[], { receipts = [], seeds = [] }: Kept): KeptFound[] => {
  const hashes = new Set(entries.map(({ hash }) => hash));
  const rotations = rotationsIn(entries);
  return [
    ...[...new Set(receipts)].map((value): KeptFound => ({ kind: 'receipt', value, isFound: hashes.has(value) })),
    ...seeds.flatMap((one) => findSeeds(rotations, one)),
  ];
};

const shortReasons = (reasons: readonly string[]): string[] => [
  ...new Set(reasons.map((reason) => (reason.length > REASON_LENGTH ? `${reason.slice(0, REASON_LENGTH)}…` : reason))),
];

/**
 * The newest rotation fixes everything before it, and the newest call what came after it. The next commitment shows later
 * that the next seed was not exchanged.
 */
const newToKeep = (entries: readonly Entry[], epochs: readonly Epoch[], log: CheckedLog | null): Kept => {
  const last = epochs.at(-1);
  const newest = rotationsIn(entries)
    .toSorted((left, right) => left.epoch - right.epoch)
    .at(-1);
  return {
    receipts: [last?.opening, last?.closing, last?.calls.at(-1)].flatMap((entry) => entry?.hash ?? []),
    seeds: newest === undefined ? [] : [{ commitment: newest.nextCommitment }],
    heads: log?.toKeep ?? [],
  };
};

/** The share of the work that is done, or a signature to check, to which the next call brings the answer. */
export type VerifyStep = number | SignatureToCheck;

/**
 * Checks proofs of a player, given as texts, together, and that they have what the player kept. Nothing in them is
 * trusted, and nothing in them makes this throw.
 */
export function* verifyInSteps(
  sources: readonly string[],
  kept: Kept = {},
): Generator<VerifyStep, Verification | Unreadable, SignatureAnswer> {
  const proof = yield* readAll(sources);
  if ('error' in proof) return proof;
  const entries = yield* entriesOf(proof);
  checkOwner(entries);
  const notes = new Set<string>();
  const note = (text: string): void => void notes.add(text);
  const epochs = epochsOf(entries);
  const byNumber = new Map(epochs.map((epoch) => [epoch.number, epoch]));
  const snapshots = readSnapshots(proof.snapshots);
  const standings = createStandings(note);
  const replayer = createReplayer();
  const { sealed, ended } = yield* checkCalls(epochs, proof.claims, { snapshots, replayer, standings });

  // Later, so that the reasons of a receipt begin with what is wrong with itself.
  for (const epoch of epochs) {
    const part: Part = { from: firstOf(epoch, proof.claims), isFull: () => isFull(epoch, proof.snapshots) };
    checkEpoch(epoch, byNumber.get(epoch.number - 1)?.opening, part, note);
  }
  if (proof.claims.some((claim) => claim?.epoch === 'all')) checkEpochs(epochs);
  checkTimes(epochs);
  const { teamId, userId } = (entries[0] as Entry).receipt;
  const log = yield* checkLogs({
    proofs: proof.proofs,
    entries: new Map(entries.map((entry) => [entry.hash, entry])),
    teamId,
    kept: kept.heads ?? [],
    note,
  });

  const prevented = ended.map((one) => notMade(one, snapshots, replayer));
  const counts = { verified: 0, sealed: 0, failed: 0 };
  const receipts = entries.map((entry): CheckedReceipt => {
    const { receipt, hash, reasons } = entry;
    const status = reasons.length > 0 ? 'failed' : sealed.has(entry) ? 'sealed' : 'verified';
    counts[status] += 1;
    const isStartGiven = standings.starts.has(entry as CallEntry);
    return { receipt, hash, status, reasons: shortReasons(reasons), isStartGiven };
  });
  const found = findKept(entries, kept);
  const isSound = counts.failed === 0 && found.every(({ isFound }) => isFound) && (log?.reasons.length ?? 0) === 0;
  return {
    teamId,
    userId,
    counts,
    receipts,
    seeds: revealedSeeds(epochs),
    kept: found,
    notes: [...notes],
    notMade: prevented.flatMap(({ rolls }) => rolls),
    passedOver: passedOver(prevented.flatMap(({ chance }) => chance ?? [])),
    lookalikes: lookalikes(epochs, snapshots),
    log,
    isSound,
    toKeep: isSound ? joinKept([{ ...kept, heads: [] }, newToKeep(entries, epochs, log)]) : joinKept([kept]),
    itemsOf: itemsShown(snapshots),
  };
}

interface AtOnce {
  /** Null if it cannot tell. */
  readonly checkSignature?: (signed: SignatureToCheck) => SignatureAnswer;
  /** Told from time to time which share is done, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
}

/** The same all at once, where signatures can be checked at once, too. */
export const verifyProofs = (
  sources: readonly string[],
  kept: Kept = {},
  { checkSignature = () => null, onProgress }: AtOnce = {},
): Verification | Unreadable => {
  const steps = verifyInSteps(sources, kept);
  let answer: SignatureAnswer = null;
  for (;;) {
    const { done, value } = steps.next(answer);
    if (done) return value;
    if (typeof value === 'number') onProgress?.(value);
    else answer = checkSignature(value);
  }
};
