import { joinKept, type Kept, type KeptHead, keptText, readHeads, readKept } from '../engine/fairness/kept.ts';
import { nameOfScope } from '../engine/fairness/ledger.ts';
import { looksChosen, nameOfNotMade, textOfPassedOver } from '../engine/fairness/not-made.ts';
import { MAX_PROOF_LENGTH, type Unreadable } from '../engine/fairness/proof.ts';
import type { AnyReceipt } from '../engine/fairness/receipts.ts';
import { type CheckedReceipt, type Verification, verifyProofs } from '../engine/fairness/verify.ts';
import { LIMITS } from '../shared/limits.ts';
import { isSigned } from '../shared/signatures.ts';
import { formatJson, printable, type Terminal } from './catalog/terminal.ts';
import { readFile } from './input.ts';
import { type CommandSyntax, countOf, formatCount, type Options } from './shared.ts';

export interface VerifyCall {
  readonly files: readonly string[];
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

/** A small file; empty if there is none. */
const readText = async (path: string): Promise<string> => {
  try {
    return (await readFile(path, LIMITS.bodyBytes)).toString();
  } catch {
    return '';
  }
};

/** Checks proofs, and shows on a terminal how far that is. */
const verifyAndShow = (sources: readonly string[], kept: Kept, { status }: Terminal): Verification | Unreadable => {
  let shown = -1;
  const onProgress = (share: number): void => {
    const percent = Math.floor(100 * share);
    if (percent > shown) status?.(`Checking: ${percent}%`);
    shown = percent;
  };
  const verification = verifyProofs(sources, kept, { checkSignature: isSigned, onProgress });
  status?.('');
  return verification;
};

/** Heads of the public log: each is a text, or a file with one. */
const readKeptHeads = async (given: readonly string[]): Promise<KeptHead[] | undefined> => {
  const heads: KeptHead[] = [];
  for (const one of given) {
    const read = readHeads(one) ?? readHeads(await readText(one));
    if (read === undefined || read.length === 0) return undefined;
    heads.push(...read);
  }
  return heads;
};

const verifyFiles = async (
  paths: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<Verification | Unreadable> => {
  if (paths.length === 0 || paths.includes('')) return unreadable('FILE is missing');
  // As players may have noted them.
  const tidied = (text: string): string => text.trim().toLowerCase();
  const receipts = (options.receipt ?? []).map(tidied);
  const commitment = options.commitment === undefined ? undefined : tidied(options.commitment);
  if (!receipts.every(isHash)) return unreadable('--receipt must be a hash of 64 hexadecimal digits');
  if (commitment !== undefined && !isHash(commitment))
    return unreadable('--commitment must be a hash of 64 hexadecimal digits');
  const heads = await readKeptHeads(options.head ?? []);
  if (heads === undefined) return unreadable('--head must be a head of the public log, or a file with one');
  const seeds = { commitment, clientSeed: options.clientSeed };
  const sources: string[] = [];
  const kept: Kept[] = [{ receipts, seeds: [seeds], heads }];
  for (const path of paths) {
    const source = await readSource(path, terminal);
    if (typeof source !== 'string') return source;
    const fromFile = readKept(source);
    if (fromFile === undefined) sources.push(source);
    else if ('error' in fromFile) return fromFile;
    else kept.push(fromFile);
  }
  if (sources.length === 0) return unreadable('There is no proof among these files, only what was kept.');
  return verifyAndShow(sources, joinKept(kept), terminal);
};

const nameOf = (receipt: AnyReceipt): string => {
  if (receipt.kind === 'rotate') return `rotation to epoch ${receipt.epoch}`;
  const noun = receipt.kind === 'spark' ? 'exchange' : 'roll';
  return `${noun} #${receipt.nonce} of epoch ${receipt.epoch}, ${nameOfScope(receipt.scope)}`;
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

/** What rotations prevented, and whether it looks like chance. */
const notMadeLines = ({ notMade, passedOver, itemsOf }: Verification): string[] => {
  const lines = firstOf(notMade, (roll) => {
    const items = itemsOf({ pool: roll.call.pool, results: roll.results }).map(({ name, tier }) =>
      tier === null ? name : `${name} (${tier})`,
    );
    return [`  ${nameOfNotMade(roll)}: ${items.join(', ')}`];
  });
  const text = textOfPassedOver(passedOver);
  // A sentence per line.
  return [...lines, ...(text?.split(/(?<=\.) (?=[A-Z])/) ?? []).map((sentence) => `  ${sentence}`)];
};

/** Whether rotations are in the log that everybody sees. */
const logLines = ({ log }: Verification): string[] => {
  if (log === null)
    return ['  It is not shown by this proof, so you cannot tell whether others see the same history as you.'];
  const { included, pending, newest, reasons } = log;
  return [
    ...reasons.map((reason) => `  - ${reason}`),
    `  ${formatCount(included)} in it, ${formatCount(pending)} on the way`,
    ...(newest === undefined
      ? []
      : ['  Keep this head, and compare it with others:', `  ${newest.size} ${newest.root}`]),
  ];
};

const summaryLines = (verification: Verification): string[] => {
  const { counts, receipts, seeds, kept, notes, lookalikes, teamId, userId } = verification;
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
      'What you kept, but is not in this proof. It was changed or removed, unless the proof is of other rolls:',
      firstOf(lost, ({ kind, value }) => [`  ${kind} ${value}`]),
    ),
    ...section(
      'Server seeds that were revealed:',
      firstOf(seeds, ({ epoch, seed, isCommitted }) => [
        `  epoch ${epoch}: ${seed}${isCommitted === false ? ' (not the one that was promised)' : ''}`,
      ]),
    ),
    ...section(
      'Not shown by this proof:',
      firstOf(notes, (note) => [`  - ${note}`]),
    ),
    ...section('Rolls that were not made, because you rotated before:', notMadeLines(verification)),
    ...section(
      'Templates with the same odds, between which whoever runs the game could have sent you:',
      firstOf(lookalikes, (ids) => [`  - ${ids.map((id) => JSON.stringify(id)).join(', ')}`]),
    ),
    ...section('The public log of rotations and manifests:', logLines(verification)),
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
  const { isSound, teamId, userId, counts, receipts, seeds, kept, toKeep, notes, passedOver, lookalikes, log } =
    verification;
  const notMade = verification.notMade.map(({ epoch, call, results }) => ({
    ...{ epoch, nonce: call.nonce, templateId: call.templateId, scope: call.scope, results },
  }));
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
  return {
    isSound,
    teamId,
    userId,
    counts,
    receipts: checked,
    seeds,
    kept,
    toKeep: JSON.parse(keptText(toKeep)),
    notes,
    log,
    notMade,
    passedOver,
    lookalikes,
  };
};

const verdictOf = ({ isSound, passedOver }: Verification): { color: 'green' | 'yellow' | 'red'; text: string } => {
  if (!isSound) return { color: 'red', text: 'This proof is not sound.' };
  return looksChosen(passedOver)
    ? { color: 'yellow', text: 'Nothing is wrong with these rolls, but look at those that were not made.' }
    : { color: 'green', text: 'Nothing is wrong with this proof.' };
};

const verify: LocalCommand = {
  argument: 'FILE...',
  summary: 'checks a proof of verifiable rolls that the service gave for a player',
  help: [
    'It checks hashes and links, seeds against commitments, configurations against manifests, rotations against the',
    'public log, and runs each roll again.',
    'Several files are checked together, as one story. FILE may be - for standard input.',
    'What the player kept, apart from the proof, shows what a proof cannot show by itself: give it by the options, or as a',
    'FILE that the page saved.',
    'The exit code is 0 if nothing is wrong, 1 if something failed, and 2 if the file is not a proof.',
  ],
  examples: ['verify proof.json'],
  options: ['receipt', 'commitment', 'clientSeed', 'head', 'json'],
  run: async ({ files, options, terminal }) => {
    const verification = await verifyFiles(files, options, terminal);
    if ('error' in verification) {
      if (options.json) terminal.print(formatJson(verification));
      else terminal.note(`itemwright: ${printable(verification.error)}`);
      return EXIT.unreadable;
    }
    const { isSound } = verification;
    if (options.json) terminal.print(formatJson(jsonOf(verification)));
    else {
      for (const line of summaryLines(verification)) terminal.print(printable(line));
      const { color, text } = verdictOf(verification);
      terminal.print(`\n${terminal.paint(color, text)}`);
    }
    return isSound ? EXIT.sound : EXIT.failed;
  },
};

export const LOCAL_COMMANDS: Readonly<Record<string, LocalCommand>> = { verify };
