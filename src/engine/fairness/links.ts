/** Whether receipts follow each other without a gap, and rotations keep what they promised. */
import { bytesOfHex, hexOf } from './bytes.ts';
import { timeMsOf } from './iso-time.ts';
import { type CallEntry, type Entry, type Epoch, nameOfNonces, type RotateEntry } from './ledger.ts';
import { NO_PREVIOUS } from './receipts.ts';
import { sha256 } from './sha256.ts';

/** The commitment to a seed in hex. */
export const commitmentTo = (seed: string): string => hexOf(sha256(bytesOfHex(seed)));

/** A proof may be a part; what it leaves out without a contradiction is noted. */
export type Note = (text: string) => void;

const CHANGED = 'one of the two was changed';

const checkFirst = ({ receipt, reasons }: RotateEntry): void => {
  if (receipt.previous !== NO_PREVIOUS) reasons.push('it is the first rotation, but names one before it');
  if (receipt.revealed !== null) reasons.push('it is the first rotation, but reveals a seed of an epoch before it');
  if (receipt.count !== 0 || receipt.head !== NO_PREVIOUS)
    reasons.push('it is the first rotation, but ends rolls of an epoch before it');
};

/** A rotation against the one before it: link, promises and a new client seed. */
const checkSuccession = ({ receipt, reasons }: RotateEntry, before: RotateEntry): void => {
  if (receipt.previous !== before.hash) {
    reasons.push(`it names another receipt as the rotation before it: ${CHANGED}`);
    before.reasons.push(`the next rotation names another receipt in its place: ${CHANGED}`);
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
  if (before !== undefined) checkSuccession(entry, before);
};

const checkLinks = ({ calls, opening }: Epoch): void => {
  let before: CallEntry | undefined;
  for (const entry of calls) {
    const { receipt, reasons } = entry;
    const { nonce, previous } = receipt;
    if (nonce === 0 && opening !== undefined && previous !== opening.hash)
      reasons.push(`it names another receipt as the rotation before it: ${CHANGED}`);
    if (before?.receipt.nonce === nonce - 1 && previous !== before.hash) {
      reasons.push(`it names another receipt as #${nonce - 1}: ${CHANGED}`);
      before.reasons.push(`#${nonce} names another receipt in its place: ${CHANGED}`);
    }
    before = entry;
  }
};

/** What a story is said to have of an epoch. */
export interface Part {
  /** The first nonce; undefined if there are only calls which others go on from. */
  readonly from: number | undefined;
  /** Whether it may go on in another proof, since the service would end one here. */
  isFull(): boolean;
}

/** Calls must be there without a gap from the first one on. */
const checkGaps = ({ number, calls }: Epoch, from: number, note: Note): void => {
  if (from > 0) note(`Of epoch ${number}, ${nameOfNonces(0, from - 1)} not shown here.`);
  let next = from;
  for (const { receipt, reasons } of calls) {
    if (receipt.nonce < next) continue;
    if (receipt.nonce > next) reasons.push(`before it, ${nameOfNonces(next, receipt.nonce - 1)} missing`);
    next = receipt.nonce + 1;
  }
};

const checkEnd = ({ number, calls }: Epoch, closing: RotateEntry, { from, isFull }: Part, note: Note): void => {
  const { count, head } = closing.receipt;
  for (const { receipt, reasons } of calls)
    if (receipt.nonce >= count)
      reasons.push(
        count === 0 ? 'the next rotation says that nothing was rolled' : `the next rotation ends with #${count - 1}`,
      );
  const last = calls.at(-1);
  if (last?.receipt.nonce === count - 1 && last.hash !== head) {
    last.reasons.push(`the next rotation names another receipt as the last one: ${CHANGED}`);
    closing.reasons.push(`it names another receipt as the last one: ${CHANGED}`);
  }
  if (from === undefined) return;
  const next = Math.max(from, (last?.receipt.nonce ?? -1) + 1);
  if (next >= count) return;
  const missing = nameOfNonces(next, count - 1);
  if (isFull()) note(`Of epoch ${number}, ${missing} not shown here, because the proof is full. Add the next one.`);
  else closing.reasons.push(`it ends the epoch with #${count - 1}, but ${missing} missing`);
};

/** Everything about an epoch that can be seen without running a roll again. */
export const checkEpoch = (epoch: Epoch, before: RotateEntry | undefined, part: Part, note: Note): void => {
  const { number, opening, closing, calls } = epoch;
  if (opening !== undefined) checkRotation(opening, before);
  else for (const { reasons } of calls) reasons.push('the rotation that began its epoch is missing');
  checkLinks(epoch);
  if (part.from !== undefined) checkGaps(epoch, part.from, note);
  else if (calls.length > 0) note(`Of epoch ${number}, only what later rolls go on from is shown here.`);
  if (closing !== undefined) {
    checkEnd(epoch, closing, part, note);
    if (closing.receipt.count === 0 && opening !== undefined && closing.receipt.head !== opening.hash)
      closing.reasons.push(`it names another receipt as the rotation before it: ${CHANGED}`);
  }
};

/** Epochs of a story that is said to be whole follow each other. */
export const checkEpochs = (epochs: readonly Epoch[]): void => {
  for (const [index, { number, opening }] of epochs.entries())
    if (number !== index) {
      opening?.reasons.push(`before it, the rotation to epoch ${number - 1} is missing`);
      return;
    }
};

/** Clocks of several machines differ a little. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Rolls and rotations happened one after the other, so their times do not go back. */
export const checkTimes = (epochs: readonly Epoch[]): void => {
  let before: Entry | undefined;
  for (const { opening, calls } of epochs)
    for (const entry of [...(opening === undefined ? [] : [opening]), ...calls]) {
      const gapMs = before === undefined ? 0 : (timeMsOf(entry.receipt.at) ?? 0) - (timeMsOf(before.receipt.at) ?? 0);
      if (gapMs < -CLOCK_TOLERANCE_MS)
        entry.reasons.push(`its time, ${entry.receipt.at}, is before that of the receipt before it`);
      before = entry;
    }
};
