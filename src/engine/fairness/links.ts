/** Whether receipts follow each other without a gap, and rotations keep what they promised. */
import { compareBytes } from '../byte-order.ts';
import { bytesOfHex, hexOf } from './bytes.ts';
import { type CallEntry, type Chain, type Epoch, nameOfNonces, nameOfScope, type RotateEntry } from './ledger.ts';
import { NO_PREVIOUS } from './receipts.ts';
import { sha256 } from './sha256.ts';

/** The commitment to a seed in hex. */
export const commitmentTo = (seed: string): string => hexOf(sha256(bytesOfHex(seed)));

/** A proof may be a part; what it leaves out without a contradiction is noted. */
export type Note = (text: string) => void;

const checkFirst = ({ receipt, reasons }: RotateEntry): void => {
  if (receipt.previous !== NO_PREVIOUS) reasons.push('it is the first rotation, but names one before it');
  if (receipt.revealed !== null) reasons.push('it is the first rotation, but reveals a seed of an epoch before it');
  if (receipt.chains.length > 0) reasons.push('it is the first rotation, but closes rolls of an epoch before it');
};

/** A rotation against the one before it: link, promises and a new client seed. */
const checkSuccession = ({ receipt, reasons }: RotateEntry, before: RotateEntry): void => {
  if (receipt.previous !== before.hash) {
    reasons.push('it names another receipt as the rotation before it: one of the two was changed');
    before.reasons.push('the next rotation names another receipt in its place: one of the two was changed');
  }
  if (receipt.commitment !== before.receipt.nextCommitment)
    reasons.push('it uses another server seed than the rotation before it had promised');
  if (receipt.clientSeed === before.receipt.clientSeed)
    reasons.push('its client seed is the one of the epoch before: it must be new');
  if (receipt.revealed !== null && commitmentTo(receipt.revealed) !== before.receipt.commitment)
    reasons.push('the server seed that it reveals is not the one that was promised: its hash is another');
};

const checkRotation = (entry: RotateEntry, before: RotateEntry | undefined): void => {
  const { receipt, reasons } = entry;
  const { commitment, nextCommitment, revealed } = receipt;
  // A seed that was used before may be known before its epoch ends.
  const seeds = [commitment, nextCommitment, ...(revealed === null ? [] : [commitmentTo(revealed)])];
  if (new Set(seeds).size < seeds.length) reasons.push('it has the same server seed for two epochs');
  if (receipt.epoch === 0) {
    checkFirst(entry);
    return;
  }
  if (receipt.revealed === null) reasons.push('it does not reveal the server seed of the epoch before');
  const isOrdered = receipt.chains.every(
    ([scope], index, all) => index === 0 || compareBytes(all[index - 1]?.[0] as string, scope) < 0,
  );
  if (!isOrdered) reasons.push('its list of closed rolls is not in order');
  if (before !== undefined) checkSuccession(entry, before);
};

const checkLinks = ({ calls, scope }: Chain, { number, opening }: Epoch, note: Note): void => {
  let before: CallEntry | undefined;
  for (const entry of calls) {
    const { receipt, reasons } = entry;
    const { nonce, previous } = receipt;
    if (nonce === 0) {
      if (opening !== undefined && previous !== opening.hash) {
        reasons.push('it names another receipt as the rotation before it: one of the two was changed');
      }
    } else if (before === undefined) {
      note(
        `In epoch ${number}, ${nameOfNonces(0, nonce - 1)} of ${nameOfScope(scope)} ${nonce === 1 ? 'is' : 'are'} not in this proof.`,
      );
    } else if (before.receipt.nonce !== nonce - 1) {
      reasons.push(`before it, ${nameOfNonces(before.receipt.nonce + 1, nonce - 1)} is missing from the proof`);
    } else if (previous !== before.hash) {
      reasons.push(`it names another receipt as #${nonce - 1}: one of the two was changed`);
      before.reasons.push(`#${nonce} names another receipt in its place: one of the two was changed`);
    }
    before = entry;
  }
};

/** What a rotation says about a chain of the epoch that it ended. */
interface ChainEndOf {
  readonly count: number;
  readonly head: string;
}

const closedChains = (closing: RotateEntry | undefined): Map<string, ChainEndOf> =>
  new Map(closing?.receipt.chains.map(([scope, count, head]) => [scope, { count, head }]));

const checkClosed = (
  { calls, scope }: Chain,
  closing: RotateEntry,
  end: ChainEndOf | undefined,
  isFull: () => boolean,
  note: Note,
): void => {
  const name = nameOfScope(scope);
  const { count, head } = end ?? { count: 0, head: '' };
  for (const { receipt, reasons } of calls) {
    if (receipt.nonce < count) continue;
    reasons.push(
      count === 0
        ? `the next rotation does not list ${name}, though this happened before it`
        : `the next rotation ends ${name} with #${count - 1}, before this`,
    );
  }
  const last = calls.at(-1);
  if (last === undefined || count === 0) return;
  const { nonce, epoch } = last.receipt;
  if (nonce === count - 1 && last.hash !== head) {
    last.reasons.push('the next rotation names another receipt as the last one: one of the two was changed');
    closing.reasons.push(`it names another receipt as the last of ${name}: one of the two was changed`);
  }
  if (nonce >= count - 1) return;
  const missing = `${nameOfNonces(nonce + 1, count - 1)} of ${name} ${nonce === count - 2 ? 'is' : 'are'} not in this proof`;
  if (isFull()) note(`In epoch ${epoch}, ${missing}, which is full. Get another that begins there.`);
  else closing.reasons.push(`it ends ${name} with #${count - 1}, but ${missing}`);
};

/** Scopes named in a note; of more, only the number is. */
const MOST_NAMED = 5;

const noteAbsent = (absent: readonly string[], epoch: number, note: Note): void => {
  if (absent.length === 0) return;
  const named = absent.slice(0, MOST_NAMED).map(nameOfScope);
  const more = absent.length > MOST_NAMED ? ` and ${absent.length - MOST_NAMED} more` : '';
  note(`Epoch ${epoch} also has rolls that are not in this proof: ${named.join(', ')}${more}.`);
};

/** Whether the service would end a proof with the calls that this one has of a chain. */
export type IsFull = (epoch: Epoch, chain: Chain) => boolean;

/** Everything about an epoch that can be seen without running a roll again. */
export const checkEpoch = (epoch: Epoch, before: RotateEntry | undefined, isFull: IsFull, note: Note): void => {
  const { number, opening, closing, chains } = epoch;
  if (opening !== undefined) checkRotation(opening, before);
  const ends = closedChains(closing);
  for (const chain of chains) {
    if (opening === undefined) {
      for (const { reasons } of chain.calls) reasons.push('the rotation that began its epoch is not in the proof');
    }
    checkLinks(chain, epoch, note);
    if (closing !== undefined) checkClosed(chain, closing, ends.get(chain.scope), () => isFull(epoch, chain), note);
    ends.delete(chain.scope);
  }
  noteAbsent([...ends.keys()], number, note);
};

/** How much of an epoch a proof has. */
export interface Coverage {
  /** Scopes whose calls it has up to the last one. */
  readonly scopes: ReadonlySet<string>;
  /** Whether there are no others. */
  readonly isWhole: boolean;
}

export const coverageOf = ({ closing, chains }: Epoch): Coverage => {
  const ends = closedChains(closing);
  const whole = chains.filter(
    ({ scope, calls }) => ends.has(scope) && calls.at(-1)?.receipt.nonce === (ends.get(scope)?.count ?? 0) - 1,
  );
  return {
    scopes: new Set(whole.map(({ scope }) => scope)),
    isWhole: closing !== undefined && whole.length === ends.size,
  };
};
