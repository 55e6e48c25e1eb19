/** Whether rotations and manifests are in the public log, and whether it is one log that everybody sees. */
import { timeMsOf } from './iso-time.ts';
import { type KeptHead, newestHead } from './kept.ts';
import type { Entry } from './ledger.ts';
import type { Note } from './links.ts';
import { type Consistency, headText, type Inclusion, type LogHead, leafOf, type ProofLog } from './log.ts';
import { isConsistent, isIncluded } from './merkle.ts';
import type { Proof } from './proof.ts';
import { type RotateReceipt, receiptText } from './receipts.ts';
import { hashOfText } from './sha256.ts';

/** An Ed25519 signature of a text in UTF-8. Platforms check them, some of them only asynchronously: this yields them. */
export interface SignatureToCheck {
  readonly text: string;
  readonly signature: string;
  readonly publicKey: string;
}

/** Whether it is right; null if the platform cannot tell. */
export type SignatureAnswer = boolean | null;

/** What was found out about the log. */
export interface CheckedLog {
  readonly heads: readonly LogHead[];
  readonly newest: KeptHead | undefined;
  /** The newest head stands for those that it was compared with; others are to be kept as well. */
  readonly toKeep: readonly KeptHead[];
  /** Rotations and manifests that are in the log, and that are not yet. */
  readonly included: number;
  readonly pending: number;
  /** What is wrong with the log itself: whole sentences. */
  readonly reasons: readonly string[];
}

type LoggedProof = Pick<Proof, 'receipts'> & { readonly log: ProofLog };

/** What a proof says about single leaves. */
interface SaidOfLeaves {
  readonly head: LogHead | null;
  readonly inclusions: ReadonlyMap<string, Inclusion>;
  readonly pending: ReadonlySet<string>;
}

const saidOfLeaves = ({ head, inclusions, pending }: ProofLog): SaidOfLeaves => ({
  head,
  inclusions: new Map(inclusions.map((one) => [one.leaf, one])),
  pending: new Set(pending),
});

/** A leaf must be in the log by the time of a head that is this much later. */
const PENDING_MS = 3_600_000;

const isStale = ({ at }: RotateReceipt, head: LogHead | null): boolean =>
  head !== null && (timeMsOf(head.at) ?? 0) - (timeMsOf(at) ?? 0) > PENDING_MS;

/** What a rotation puts into the log. */
const leavesOf = (receipt: RotateReceipt, hash: string) => [
  { leaf: leafOf({ kind: 'rotation', subject: hash }), name: 'it' },
  { leaf: leafOf({ kind: 'manifest', subject: receipt.manifest }), name: 'the list of configurations that it fixed' },
];

const createInclusions = (entries: ReadonlyMap<string, Entry>) => {
  const included = new Set<string>();
  const pending = new Set<string>();
  /** Why a leaf of a proof is not accepted; undefined if it is in the log or may still be pending. */
  const fault = (said: SaidOfLeaves, leaf: string, receipt: RotateReceipt): string | undefined => {
    const shown = said.inclusions.get(leaf);
    if (shown !== undefined) {
      if (said.head === null || !isIncluded(shown, said.head))
        return 'is not in the public log: what should show that it is does not fit the head of the log';
      included.add(leaf);
      return undefined;
    }
    if (!said.pending.has(leaf)) return 'is not in the public log';
    if (isStale(receipt, said.head))
      return 'is still said to be on its way into the public log, which went on long since';
    pending.add(leaf);
    return undefined;
  };
  const check = ({ receipts, log }: LoggedProof): void => {
    const said = saidOfLeaves(log);
    for (const { receipt } of receipts) {
      if (receipt.kind !== 'rotate') continue;
      const hash = hashOfText(receiptText(receipt));
      for (const { leaf, name } of leavesOf(receipt, hash)) {
        const reason = fault(said, leaf, receipt);
        if (reason !== undefined) entries.get(hash)?.reasons.push(`${name} ${reason}`);
      }
    }
  };
  /** Rotations of which no proof says whether they are in the log. */
  const unsaid = (): number =>
    [...entries.values()].filter(
      ({ receipt, hash, reasons }) =>
        receipt.kind === 'rotate' &&
        reasons.length === 0 &&
        leavesOf(receipt, hash).some(({ leaf }) => !included.has(leaf) && !pending.has(leaf)),
    ).length;
  return { check, included, unsaid, pendingLeft: () => [...pending].filter((leaf) => !included.has(leaf)).length };
};

const sizeText = (size: number): string => `${size} ${size === 1 ? 'leaf' : 'leaves'}`;

const FORK =
  'Either something was changed, or you were shown another history than others. Keep both heads: they prove it to anyone.';

type Tree = Pick<LogHead, 'size' | 'root'>;

/** Whether two heads are of one log; undefined if nothing shows it. */
const areOneLog = (one: Tree, other: Tree, shown: readonly Consistency[]): boolean | undefined => {
  if (one.size === other.size) return one.root === other.root;
  const [earlier, later] = one.size < other.size ? [one, other] : [other, one];
  const fitting = shown.filter(({ from, to }) => from === earlier.size && to === later.size);
  if (fitting.length === 0) return undefined;
  return fitting.some(({ path }) => isConsistent(earlier, later, path));
};

/** Compares the heads of several proofs with each other. */
const compareHeads = (heads: readonly LogHead[], shown: readonly Consistency[], note: Note): string[] =>
  heads.flatMap((head, index) =>
    heads.slice(index + 1).flatMap((other) => {
      const areOne = areOneLog(head, other, shown);
      if (areOne === undefined)
        note(`That the logs of ${sizeText(head.size)} and of ${sizeText(other.size)} are one is not shown here.`);
      return areOne === false
        ? `The log forks: its heads of ${sizeText(head.size)} and of ${sizeText(other.size)} contradict each other. ${FORK}`
        : [];
    }),
  );

const compareKept = (kept: KeptHead, heads: readonly LogHead[], shown: readonly Consistency[]): string[] => {
  const found = heads.map((head) => ({ head, areOne: areOneLog(kept, head, shown) }));
  const fork = found.find(({ areOne }) => areOne === false);
  const name = `The head of ${sizeText(kept.size)} that you kept`;
  if (fork !== undefined)
    return [
      `The log forks: the head of ${sizeText(kept.size)} that you kept and the head of ${sizeText(fork.head.size)} in this proof contradict each other. ${FORK}`,
    ];
  if (found.some(({ areOne }) => areOne === true)) return [];
  if (heads.length === 0) return [`${name} cannot be compared: this proof shows no head of the public log.`];
  return [
    heads.every(({ size }) => size < kept.size)
      ? `${name} cannot be compared: the log of this proof is shorter. Get a new proof; if its log stays shorter, it was cut off.`
      : `${name} cannot be compared with this proof. Get one with logFrom=${kept.size}.`,
  ];
};

/** A head with its signature. */
interface Signed {
  readonly name: string;
  readonly head: LogHead;
  readonly signature: string | null;
  readonly publicKey: string | null;
}

function* checkSigned(
  { name, head, signature, publicKey }: Signed,
  teamId: string,
  note: Note,
): Generator<SignatureToCheck, string[], SignatureAnswer> {
  if (head.teamId !== teamId) return [`${name} is of the log of another team.`];
  if (signature === null || publicKey === null) return [`${name} is not signed.`];
  const isRight = yield { text: headText(head), signature, publicKey };
  if (isRight === null) note('Signatures of the public log cannot be checked on this device.');
  return isRight === false ? [`The signature of ${name.replace('The', 'the')} is wrong.`] : [];
}

const newestOf = (proofs: readonly LoggedProof[]): KeptHead | undefined =>
  newestHead(
    proofs.flatMap(({ log: { head, signature, publicKey } }): KeptHead[] => {
      if (head === null || signature === null || publicKey === null) return [];
      return [{ size: head.size, root: head.root, signed: { head, signature, publicKey } }];
    }),
  );

export interface LogsToCheck {
  readonly proofs: readonly Pick<Proof, 'receipts' | 'log'>[];
  /** By their hashes; reasons are added to those of rotations. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly teamId: string;
  readonly kept: readonly KeptHead[];
  readonly note: Note;
}

/** Null if no proof says anything about the log, and the player kept nothing of it either. */
export function* checkLogs({
  proofs,
  entries,
  teamId,
  kept,
  note,
}: LogsToCheck): Generator<SignatureToCheck, CheckedLog | null, SignatureAnswer> {
  const logged = proofs.filter((proof): proof is LoggedProof => proof.log !== undefined);
  if (logged.length === 0 && kept.length === 0) return null;
  const inclusions = createInclusions(entries);
  const signed: Signed[] = [];
  for (const proof of logged) {
    inclusions.check(proof);
    const { head, signature, publicKey } = proof.log;
    if (head !== null)
      signed.push({ name: `The head of ${sizeText(head.size)} in this proof`, head, signature, publicKey });
  }
  const heads = signed.map(({ head }) => head);
  for (const one of kept)
    if (one.signed !== undefined)
      signed.push({ name: `The head of ${sizeText(one.size)} that you kept`, ...one.signed });

  const reasons: string[] = [];
  for (const one of signed) reasons.push(...(yield* checkSigned(one, teamId, note)));
  if (new Set(signed.map(({ publicKey }) => publicKey)).size > 1)
    reasons.push('Heads of the log are signed with different keys, but a team has only one.');
  const shown = logged.flatMap(({ log }) => log.consistency ?? []);
  reasons.push(...compareHeads(heads, shown, note), ...kept.flatMap((one) => compareKept(one, heads, shown)));
  const pending = inclusions.pendingLeft();
  const unsaid = inclusions.unsaid();
  if (unsaid > 0)
    note(
      `Whether ${unsaid === 1 ? 'one rotation is' : `${unsaid} rotations are`} in the public log is not shown here.`,
    );
  if (pending > 0) note('The newest rotation, or what it fixed, is not in the public log yet. Get a new proof later.');
  const newest = newestOf(logged);
  const others = kept.filter((one) => newest === undefined || areOneLog(one, newest, shown) !== true);
  return {
    ...{ heads, newest, toKeep: [...others, ...(newest === undefined ? [] : [newest])] },
    ...{ included: inclusions.included.size, pending, reasons: [...new Set(reasons)] },
  };
}
