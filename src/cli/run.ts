import { parseArgs } from 'node:util';
import { ServiceError } from '../errors.ts';
import { readConnection } from './catalog/client.ts';
import { CATALOG_COMMANDS } from './catalog/commands.ts';
import { openService } from './catalog/service.ts';
import { printable, type Surroundings, terminalOf } from './catalog/terminal.ts';
import { CommandError, type CommandSyntax, type Options } from './shared.ts';
import { LOCAL_COMMANDS } from './verify.ts';

/** Loaded only if needed: drivers and migrations take longer than most requests to a service. */
const loadDatabaseCommands = () => import('./database-commands.ts');

const list = (commands: Readonly<Record<string, CommandSyntax>>): string =>
  Object.entries(commands)
    .map(([name, { usage, help }]) =>
      [`  ${name} ${usage}`.trimEnd(), ...help.map((line) => `      ${line}`)].join('\n'),
    )
    .join('\n');

const CATALOG_USAGE = `The catalog of the service at ITEMWRIGHT_URL, http://127.0.0.1:8080 if that is not set, with the secret in
ITEMWRIGHT_CREDENTIALS=TEAM_ID:SECRET; its role must be design, write or admin to plan, publish or simulate:

${list(CATALOG_COMMANDS)}

  --verbose shows all of a long plan; --json prints the response of the service instead.
  The exit code is 0 on success, 1 on failure, and 2 if plan finds changes.`;

const LOCAL_USAGE = `Proofs, which need neither a database nor a service:

${list(LOCAL_COMMANDS)}`;

const usageOf = async (noun: string | undefined): Promise<string> => {
  if (noun === 'catalog') return `itemwright: manages the catalog of a running service\n\n${CATALOG_USAGE}`;
  if (noun !== undefined && Object.hasOwn(LOCAL_COMMANDS, noun)) return `itemwright: verifies rolls\n\n${LOCAL_USAGE}`;
  const { DATABASE_COMMANDS } = await loadDatabaseCommands();
  return `itemwright: manages the database at DATABASE_URL and the catalog of a running service, and verifies rolls

The database at DATABASE_URL:

${list(DATABASE_COMMANDS)}

  The service may keep running, except during move. Team and secret commands print one line of JSON.
  The exit code is 0 on success, and 1 on failure or if check finds problems.

${CATALOG_USAGE}

${LOCAL_USAGE}`;
};

interface Named<C> {
  readonly command: C;
  readonly name: string;
  readonly rest: string[];
}

/** Finds the command that the words name, in one or two words, and the remaining words. */
const commandIn = <C>(commands: Readonly<Record<string, C>>, words: readonly string[]): Named<C> | undefined => {
  const length = [2, 1].find((count) => Object.hasOwn(commands, words.slice(0, count).join(' ')));
  if (length === undefined) return undefined;
  const name = words.slice(0, length).join(' ');
  return { command: commands[name] as C, name, rest: words.slice(length) };
};

/** Rejects arguments and options that the command does not have. */
const assertSyntax = async ({ command, name, rest }: Named<CommandSyntax>, options: Options): Promise<void> => {
  if (rest.length > (command.takesArgument ? 1 : 0)) throw new CommandError(await usageOf(name.split(' ')[0]));
  for (const option of Object.keys(options) as (keyof Options)[])
    if (!command.options.includes(option)) throw new CommandError(`${name} has no option --${option}`);
};

/** Returns the exit code. */
const run = async (args: readonly string[], surroundings: Surroundings): Promise<number> => {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const];
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ team: text, role: text, name: text, id: text, to: text, limit: text, force: flag, replace: flag },
      ...{ merge: flag, json: flag, yes: flag, verbose: flag },
      ...{ players: text, rolls: text, seed: text, price: text, depth: text },
      receipt: { type: 'string', multiple: true },
      output: { type: 'string', short: 'o' },
      message: { type: 'string', short: 'm' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { help, ...options } = values;
  const terminal = terminalOf(surroundings);
  if (help || positionals[0] === 'help') {
    terminal.print(await usageOf(positionals.find((word) => word !== 'help')));
    return 0;
  }
  const local = commandIn(LOCAL_COMMANDS, positionals);
  if (local !== undefined) {
    await assertSyntax(local, options);
    return local.command.run({ terminal, argument: local.rest[0], options });
  }
  const onCatalog = commandIn(CATALOG_COMMANDS, positionals);
  if (onCatalog !== undefined) {
    await assertSyntax(onCatalog, options);
    const service = openService(readConnection(surroundings.env));
    return onCatalog.command.run({ service, terminal, argument: onCatalog.rest[0], options });
  }
  if (positionals[0] === 'catalog') throw new CommandError(await usageOf('catalog'));
  const { DATABASE_COMMANDS, runOnDatabase } = await loadDatabaseCommands();
  const onDatabase = commandIn(DATABASE_COMMANDS, positionals);
  if (onDatabase === undefined) throw new CommandError(await usageOf(undefined));
  await assertSyntax(onDatabase, options);
  const call = { argument: onDatabase.rest[0], options, print: terminal.print };
  return runOnDatabase(onDatabase.command, surroundings.env, call);
};

/** Explains an error in a line or so; with a stack trace only if it is a bug. */
const explain = (error: unknown): string => {
  if (error instanceof ServiceError) {
    const particulars = error.issues.map((issue) => issue.message);
    return [error.message, ...particulars, ...(error.cause instanceof Error ? [error.cause.message] : [])].join(': ');
  }
  if (error instanceof CommandError) return error.message;
  if (error instanceof Error)
    return 'code' in error ? error.message || String(error.code) : (error.stack ?? error.message);
  return String(error);
};

/** Names in messages may contain anything; only line breaks are ours. */
const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Runs the command that the words name, and returns the exit code. Errors are printed. */
export const runCommandLine = async (args: readonly string[], surroundings: Surroundings): Promise<number> => {
  try {
    return await run(args, surroundings);
  } catch (error) {
    surroundings.stderr.write(`itemwright: ${printableLines(explain(error)).replace(/^itemwright: /, '')}\n`);
    return 1;
  }
};
