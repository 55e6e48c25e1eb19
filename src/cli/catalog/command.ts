import type { CommandSyntax, Options } from '../shared.ts';
import type { Planned } from './api.ts';
import { findNames } from './names.ts';
import { formatPlan, type Style } from './plan-text.ts';
import type { Service } from './service.ts';
import type { Terminal } from './terminal.ts';

/** What commands end with; all but `plan` only with the first two. */
export const EXIT = { done: 0, failed: 1, changes: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The arguments that a command was called with, and the service that it talks to. */
export interface CatalogCall {
  readonly service: Service;
  readonly argument: string | undefined;
  readonly options: Options;
  readonly terminal: Terminal;
}

/** A command that talks to a running service. It needs no database. */
export interface CatalogCommand extends CommandSyntax {
  run(call: CatalogCall): Promise<ExitCode>;
}

export const styleOf = ({ options, terminal }: CatalogCall): Style => ({
  terminal,
  isVerbose: options.verbose === true,
});

/** A plan as lines for a terminal. */
export const planLines = async (call: CatalogCall, { plan, request }: Planned): Promise<string[]> =>
  formatPlan(plan, await findNames(plan, call.service, request), styleOf(call));
