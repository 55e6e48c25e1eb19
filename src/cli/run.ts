import { Command, CommanderError } from 'commander';
import { ServiceError } from '../shared/errors.ts';
import { COMMAND, VERSION } from '../shared/program.ts';
import { CATALOG_COMMANDS } from './catalog/commands.ts';
import { readConnection } from './catalog/connection.ts';
import { openService, type Service } from './catalog/service.ts';
import { printable, type Surroundings, type Terminal, terminalOf } from './catalog/terminal.ts';
import { completionScript, completionSyntax } from './completion.ts';
import { AFTER_OVERVIEW, afterHelp, HELP_STYLE, usageOf } from './help.ts';
import { ASSISTANT_COMMANDS } from './mcp/command.ts';
import { withSuggestion } from './mistakes.ts';
import { OPTIONS } from './options.ts';
import { SERVICE_COMMANDS } from './service-commands.ts';
import { CommandError, type CommandSyntax, type Options } from './shared.ts';
import { LOCAL_COMMANDS } from './verify.ts';

/** What a command was called with, and where. */
interface Given {
  readonly args: readonly string[];
  readonly options: Options;
  readonly terminal: Terminal;
  readonly env: Surroundings['env'];
  readonly streams: Pick<Surroundings, 'stdin' | 'stdout'>;
  readonly program: Command;
}

/** Commands that need the same things. */
interface Group {
  readonly title: string;
  readonly notes: readonly string[];
  readonly commands: Readonly<Record<string, CommandSyntax>>;
  /** Returns the exit code. */
  run(name: string, given: Given): Promise<number>;
}

const groupOf = <C extends CommandSyntax>(
  commands: Readonly<Record<string, C>>,
  run: (command: C, given: Given) => Promise<number>,
): Pick<Group, 'commands' | 'run'> => ({ commands, run: (name, given) => run(commands[name] as C, given) });

const SERVICE: Group = {
  title: 'The service:',
  notes: [],
  ...groupOf(SERVICE_COMMANDS, async (command) => {
    await command.run();
    return 0;
  }),
};

const CATALOG: Group = {
  title: 'The catalog of a running service:',
  notes: [
    'The service is the one at ITEMWRIGHT_URL, http://127.0.0.1:8080 if that is not set, with the secret in',
    'ITEMWRIGHT_CREDENTIALS=TEAM_ID:SECRET. Every role may read and plan; it must be design, write or admin to publish,',
    'to import, to roll back or to simulate.',
  ],
  ...groupOf(CATALOG_COMMANDS, (command, { args, options, terminal, env }) => {
    let service: Service | undefined;
    return command.run({
      // Not every command needs one.
      get service() {
        service ??= openService(readConnection(env));
        return service;
      },
      terminal,
      argument: args[0],
      options,
    });
  }),
};

const ASSISTANT: Group = {
  title: 'Assistants:',
  notes: ['The service and the secret are those of the commands for the catalog.'],
  ...groupOf(ASSISTANT_COMMANDS, async (command, { env, streams }) => {
    await command.run(readConnection(env), streams);
    return 0;
  }),
};

const LOCAL: Group = {
  title: 'Proofs:',
  notes: ['It needs neither a database nor a service.'],
  ...groupOf(LOCAL_COMMANDS, (command, { args, options, terminal }) => command.run({ terminal, files: args, options })),
};

/** Loaded only if needed: drivers and migrations take longer than most requests to a service. */
const loadDatabaseGroup = async (): Promise<Group> => {
  const { DATABASE_COMMANDS, runOnDatabase } = await import('./database-commands.ts');
  return {
    title: 'The database at DATABASE_URL:',
    notes: [
      'Stop the service for move, and for migrate on SQLite. It may run beside all other commands, but requests wait during',
      'restore --replace. Team and secret commands print one line of JSON.',
    ],
    ...groupOf(DATABASE_COMMANDS, (command, { args, options, terminal, env }) =>
      runOnDatabase(command, env, {
        argument: args[0],
        options,
        print: terminal.print,
        isTerminal: terminal.isTerminal,
      }),
    ),
  };
};

const HELP: CommandSyntax = {
  argument: '[COMMAND...]',
  summary: 'explains a command, or lists all of them',
  examples: ['help', 'help catalog publish'],
};

const showHelp = async (command: Command, [word, ...rest]: readonly string[]): Promise<number> => {
  if (word === undefined) return command.help();
  const found = command.commands.find((one) => one.name() === word);
  if (found !== undefined) return showHelp(found, rest);
  // It fails, and says what was probably meant.
  await command.parseAsync([word], { from: 'user' });
  return 1;
};

const ABOUT: Group = {
  title: 'This program:',
  notes: [],
  commands: { help: HELP, completion: completionSyntax },
  run: async (name, { args, terminal, program }) => {
    if (name === 'help') return showHelp(program, args);
    terminal.write(completionScript(args[0], program));
    return 0;
  },
};

/** All commands; without those of the database if the words name another one. */
const groupsFor = async ([first = '', second = '']: readonly string[]): Promise<Group[]> => {
  const others = [SERVICE, CATALOG, ASSISTANT, LOCAL];
  const nouns = others.flatMap(({ commands }) => Object.keys(commands).map((name) => name.split(' ')[0]));
  return [...nouns, '--version'].includes(first === 'help' ? second : first)
    ? [...others, ABOUT]
    : [SERVICE, await loadDatabaseGroup(), CATALOG, ASSISTANT, LOCAL, ABOUT];
};

const addGroup = (
  program: Command,
  { title, notes, commands }: Group,
  act: (name: string, given: Pick<Given, 'args' | 'options'>) => Promise<void>,
): void => {
  for (const [name, syntax] of Object.entries(commands)) {
    const words = name.split(' ');
    const verb = words.pop() as string;
    let parent = program;
    for (const word of words)
      parent =
        program.commands.find((one) => one.name() === word) ??
        program.command(word).usage('COMMAND').helpCommand(false).addHelpText('after', afterHelp({}, notes));
    const { argument, summary, help = [] } = syntax;
    const options = (syntax.options ?? []).map((option) => OPTIONS[option]);
    const command = parent
      .command(verb)
      .helpGroup(title)
      .summary(summary)
      .description([summary, ...(help.length === 0 ? [] : ['', ...help])].join('\n'))
      .usage(usageOf(syntax, options))
      .addHelpText('after', afterHelp(syntax, notes));
    for (const option of options) command.addOption(option);
    if (argument !== undefined) command.argument(argument.includes('...') ? '[arguments...]' : '[argument]');
    command.action(() => act(name, { args: command.args, options: command.opts() }));
  }
};

/** Names in messages may contain anything; only line breaks are ours. */
const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Returns the exit code. */
const run = async (args: readonly string[], surroundings: Surroundings): Promise<number> => {
  const { stdout, stderr, env } = surroundings;
  const terminal = terminalOf(surroundings);
  const words = args.length === 0 ? ['serve'] : args;
  const program = new Command('itemwright')
    .description(`Itemwright ${VERSION}: a self-hosted item service for games`)
    .usage('[COMMAND] [ARGUMENT] [OPTIONS]')
    .version(VERSION, '--version', 'prints the version')
    .helpCommand(false)
    .configureHelp(HELP_STYLE)
    .addHelpText('after', AFTER_OVERVIEW)
    .showHelpAfterError(`(${COMMAND} help explains all commands)`)
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) =>
        write(printableLines(withSuggestion(text, program, words).replace('error: ', 'itemwright: '))),
    })
    .exitOverride();
  let code = 0;
  for (const group of await groupsFor(words))
    addGroup(program, group, async (name, given) => {
      code = await group.run(name, { ...given, terminal, env, streams: surroundings, program });
    });
  await program.parseAsync(words, { from: 'user' });
  return code;
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

/** Runs the command that the words name, and returns the exit code. Errors are printed. */
export const runCommandLine = async (args: readonly string[], surroundings: Surroundings): Promise<number> => {
  try {
    return await run(args, surroundings);
  } catch (error) {
    // It has been printed.
    if (error instanceof CommanderError) return error.exitCode;
    surroundings.stderr.write(`itemwright: ${printableLines(explain(error)).replace(/^itemwright: /, '')}\n`);
    return 1;
  }
};
