/** What all commands share. Nothing here knows the database: commands that talk to a service do not need it. */
import type { Role } from '../shared/context.ts';
import { LIMITS } from '../shared/limits.ts';

/** A mistake by the user, or a finding of the command: printed as a line, without a stack trace. */
export class CommandError extends Error {}

export interface Options {
  readonly team?: string;
  readonly role?: Role;
  readonly name?: string;
  readonly id?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly replace?: boolean;
  readonly expand?: boolean;
  readonly contract?: boolean;
  readonly output?: string;
  readonly folder?: string;
  readonly message?: string;
  readonly limit?: string;
  readonly merge?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly verbose?: boolean;
  readonly players?: string;
  readonly rolls?: string;
  readonly seed?: string;
  readonly price?: string;
  readonly depth?: string;
  readonly receipt?: readonly string[];
  readonly commitment?: string;
  readonly clientSeed?: string;
  readonly head?: readonly string[];
}

/** How a command is called. */
export interface CommandSyntax {
  /** What follows its name, such as `FILE`, or `FILE...` if there may be several. */
  readonly argument?: string;
  /** What it does, in a line. */
  readonly summary: string;
  /** More lines, if there is more to say. */
  readonly help?: readonly string[];
  /** Calls without the name of the program. */
  readonly examples?: readonly string[];
  readonly options?: readonly (keyof Options)[];
}

export const required = (value: string | undefined, what: string, most: number = LIMITS.nameLength): string => {
  if (value === undefined || value === '') throw new CommandError(`${what} is missing`);
  if (value.length > most) throw new CommandError(`${what} has more than ${most} characters`);
  return value;
};

/** Formats a number with commas, such as 1,000,000. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** A number with its noun, such as `2 files`. */
export const countOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

export const formatElapsed = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
