import { nameOfScope } from '../engine/fairness/ledger.ts';
import { MAX_PROOF_LENGTH, type Unreadable } from '../engine/fairness/proof.ts';
import type { AnyReceipt } from '../engine/fairness/receipts.ts';
import { type CheckedReceipt, type Verification, verifyInSteps } from '../engine/fairness/verify.ts';
import { LIMITS } from '../limits.ts';
import { formatJson, printable, type Terminal } from './catalog/terminal.ts';
import { readFile } from './input.ts';
import { type CommandSyntax, countOf, formatCount, type Options } from './shared.ts';

export interface VerifyCall {
  readonly argument: string | undefined;
  readonly options: Options;
  readonly terminal: Terminal;
}

/** A command that needs nothing but what it is given. */
export interface LocalCommand extends CommandSyntax {
  /** Returns the exit code. */
  run(call: VerifyCall): Promise<number>;
}

/** Whether a proof is sound: a script must be able to tell a false proof from a file that is none. */
const EXIT = { sound: 0, failed: 1, unreadable: 2 } as const;

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

const unreadable = (error: string): Unreadable => ({ error });

const readSource = async (path: string, terminal: Terminal): Promise<string | Unreadable> => {
  try {
    const bytes = await (path === '-' ? terminal.read(MAX_PROOF_LENGTH) : readFile(path, MAX_PROOF_LENGTH));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return unreadable('This is not a proof that can be read: it is not UTF-8.');
    return unreadable(error instanceof Error ? error.message : String(error));
  }
};

/** Checks a proof, and shows on a terminal how far that is. */
const verifyAndShow = (source: string, kept: readonly string[], { status }: Terminal): Verification | Unreadable => {
  const steps = verifyInSteps(source, kept);
  let shown = -1;
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      status?.('');
      return value;
    }
    const percent = Math.floor(100 * value);
    if (percent > shown) status?.(`Checking: ${percent}%`);
    shown = percent;
  }
};

const verifyFile = async (
  path: string | undefined,
  options: Options,
  terminal: Terminal,
): Promise<Verification | Unreadable> => {
  if (path === undefined || path === '') return unreadable('FILE is missing');
  // As players may have noted them.
  const kept = (options.receipt ?? []).map((text) => text.trim().toLowerCase());
  if (!kept.every(isHash)) return unreadable('--receipt must be a hash of 64 hexadecimal digits');
  const source = await readSource(path, terminal);
  return typeof source === 'string' ? verifyAndShow(source, kept, terminal) : source;
};

const nameOf = (receipt: AnyReceipt): string => {
  if (receipt.kind === 'rotate') return `rotation to epoch ${receipt.epoch}`;
  const noun = receipt.kind === 'spark' ? 'exchange' : 'roll';
  return `${noun} #${receipt.nonce} of ${nameOfScope(receipt.scope)} in epoch ${receipt.epoch}`;
};

/** The first of many, and how many more there are. */
const firstOf = <T>(things: readonly T[], linesOf: (thing: T) => string[]): string[] => {
  const left = things.length - LIMITS.printedFindings;
  const lines = things.slice(0, LIMITS.printedFindings).flatMap(linesOf);
  return left > 0 ? [...lines, `  … and ${formatCount(left)} more`] : lines;
};

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines];

const failureLines = ({ receipt, hash, reasons }: CheckedReceipt): string[] => [
  `  ${nameOf(receipt)}, ${receipt.at}`,
  `    ${hash}`,
  ...reasons.map((reason) => `    - ${reason}`),
];

const summaryLines = (verification: Verification): string[] => {
  const { counts, receipts, seeds, kept, notes, teamId, userId } = verification;
  const lost = kept.filter(({ isFound }) => !isFound);
  return [
    `${countOf(receipts.length, 'receipt')} of the player ${JSON.stringify(userId)} in the team ${JSON.stringify(teamId)}:`,
    `  ${formatCount(counts.verified)} verified, ${formatCount(counts.sealed)} sealed, ${formatCount(counts.failed)} failed`,
    ...section(
      'Failed:',
      firstOf(
        receipts.filter(({ status }) => status === 'failed'),
        failureLines,
      ),
    ),
    ...section(
      'Receipts that you kept, but that are not in this proof. They were changed or removed, unless the proof is of other rolls:',
      firstOf(lost, ({ hash }) => [`  ${hash}`]),
    ),
    ...section(
      'Server seeds that were revealed:',
      firstOf(seeds, ({ epoch, seed, isCommitted }) => [
        `  epoch ${epoch}: ${seed}${isCommitted === false ? ' (not the one that was promised)' : ''}`,
      ]),
    ),
    ...section(
      'Left out of this proof:',
      firstOf(notes, (note) => [`  - ${note}`]),
    ),
    ...(counts.sealed === 0
      ? []
      : [
          '',
          'Sealed means: nothing is wrong so far, but the server seed of the epoch is still hidden, so the results cannot be',
          'checked yet. After the next rotation, which reveals it, get a new proof.',
        ]),
  ];
};

/** Everything but the contents of the receipts, which are in the proof. */
const jsonOf = (verification: Verification): object => {
  const { isSound, teamId, userId, counts, receipts, seeds, kept, notes } = verification;
  const checked = receipts.map(({ receipt, hash, status, reasons }) => {
    const { kind, epoch, at } = receipt;
    return {
      hash,
      kind,
      epoch,
      ...(kind === 'rotate' ? {} : { scope: receipt.scope, nonce: receipt.nonce }),
      at,
      status,
      reasons,
    };
  });
  return { isSound, teamId, userId, counts, receipts: checked, seeds, kept, notes };
};

const verify: LocalCommand = {
  usage: 'FILE [--receipt HASH]... [--json]',
  summary: 'checks a proof of verifiable rolls that the service gave for a player',
  help: [
    'It checks hashes and links, seeds against commitments, configurations against manifests, and runs each roll again.',
    'FILE may be - for standard input.',
    'The exit code is 0 if nothing is wrong, 1 if something failed, and 2 if the file is not a proof.',
  ],
  examples: ['verify proof.json'],
  takesArgument: true,
  options: ['receipt', 'json'],
  run: async ({ argument, options, terminal }) => {
    const verification = await verifyFile(argument, options, terminal);
    if ('error' in verification) {
      if (options.json) terminal.print(formatJson(verification));
      else terminal.note(`itemwright: ${printable(verification.error)}`);
      return EXIT.unreadable;
    }
    const { isSound } = verification;
    if (options.json) terminal.print(formatJson(jsonOf(verification)));
    else {
      for (const line of summaryLines(verification)) terminal.print(printable(line));
      const verdict = isSound ? 'Nothing is wrong with this proof.' : 'This proof is not sound.';
      terminal.print(`\n${terminal.paint(isSound ? 'green' : 'red', verdict)}`);
    }
    return isSound ? EXIT.sound : EXIT.failed;
  },
};

export const LOCAL_COMMANDS: Readonly<Record<string, LocalCommand>> = { verify };
