import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { readStream } from '../input.ts';

/** The narrowest and the widest that output gets; the latter also if nobody knows how wide the terminal is. */
const COLUMNS = { least: 60, most: 100 } as const;

const COLOURS = { green: 32, yellow: 33, red: 31, bold: 1, dim: 2 } as const;
export type Colour = keyof typeof COLOURS;

/** Where a command prints to, and whom it can ask. */
export interface Terminal {
  readonly columns: number;
  /** Whether standard output is one, rather than a file or another program. */
  readonly isTerminal: boolean;
  /** Prints a line to standard output. */
  print(line: string): void;
  /** Prints text to standard output as it is. */
  write(text: string): void;
  /** Prints a line that is not part of the result, to standard error. */
  note(line: string): void;
  /** Replaces the last line of a terminal, to show how far something is; undefined if nobody watches. */
  readonly status: ((text: string) => void) | undefined;
  paint(colour: Colour, text: string): string;
  /** Reads standard input to its end; fails if it has more than `most` bytes. */
  read(most: number): Promise<Buffer>;
  /** Asks whether to go on; undefined if nobody is there to be asked. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** Characters that a terminal would act on instead of showing them, or that change the order of what is around them. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text in one line that a terminal shows as it is. */
export const printable = (text: string): string => text.replace(UNSAFE, escaped);

/** The same for all texts in a value, member names included. */
export const printableValue = <T>(value: T): T => {
  const convert = (part: unknown): unknown => {
    if (typeof part === 'string') return printable(part);
    if (Array.isArray(part)) return part.map(convert);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [printable(key), convert(member)]));
  };
  return convert(value) as T;
};

/** JSON for people and programs. What JSON itself would not escape stays valid JSON when escaped. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSAFE, (character) => (character === '\n' ? character : escaped(character)));

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const ASCII = /^[ -~]*$/;

const graphemeWidth = (grapheme: string): number => {
  if (WITHOUT_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
};

/** How many columns a text without colours takes. */
export const widthOf = (text: string): number => {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
};

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Shortens a text to a number of columns. */
export const clip = (text: string, most: number): string => {
  if (widthOf(text) <= most) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > most - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};

/** Puts parts into lines of at most `most` columns; a part is not broken, but shortened if it is longer than a line. */
export const wrap = (parts: readonly string[], most: number, separator = ', '): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const [index, part] of parts.entries()) {
    const text = `${clip(part, most - 2)}${index < parts.length - 1 ? separator.trimEnd() : ''}`;
    if (line !== '' && widthOf(line) + 1 + widthOf(text) > most) {
      lines.push(line);
      line = text;
    } else line = line === '' ? text : `${line} ${text}`;
  }
  return line === '' ? lines : [...lines, line];
};

/** Asks a question that is answered with y or n; anything else, and the end of the input, mean no. */
export const ask = async (input: Readable, output: Writable, question: string): Promise<boolean> => {
  const lines = createInterface({ input, output });
  const cancelled = new AbortController();
  for (const event of ['SIGINT', 'close'] as const) lines.on(event, () => cancelled.abort());
  try {
    return /^(y|yes)$/i.test((await lines.question(`${question} [y/N] `, { signal: cancelled.signal })).trim());
  } catch (error) {
    if (!cancelled.signal.aborted) throw error;
    return false;
  } finally {
    lines.close();
  }
};

/** What a process has around it, as far as commands use it. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The terminal that a process runs in, or whatever its output is redirected to. */
export const terminalOf = ({ stdin, stdout, stderr, env }: Surroundings): Terminal => {
  const hasColours = stdout.isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  const columns = stdout.isTTY ? stdout.columns : COLUMNS.most;
  return {
    columns: Math.min(Math.max(columns || COLUMNS.most, COLUMNS.least), COLUMNS.most),
    isTerminal: stdout.isTTY === true,
    print: (line) => {
      stdout.write(`${line}\n`);
    },
    write: (text) => {
      stdout.write(text);
    },
    note: (line) => {
      stderr.write(`${line}\n`);
    },
    status: stderr.isTTY ? (text) => stderr.write(`\r\u001b[K${text}`) : undefined,
    read: (most) => readStream(stdin, 'standard input', most),
    paint: (colour, text) => (hasColours && text !== '' ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text),
    confirm: stdin.isTTY && stderr.isTTY ? (question) => ask(stdin, stderr, question) : undefined,
  };
};
