import { parseArgs } from 'node:util';
import { ServiceError } from '../errors.ts';
import { COMMAND, VERSION } from '../program.ts';
import { CATALOG_COMMANDS } from './catalog/commands.ts';
import { readConnection } from './catalog/connection.ts';
import { openService } from './catalog/service.ts';
import { printable, type Surroundings, type Terminal, terminalOf } from './catalog/terminal.ts';
import { completionScript, completionSyntax } from './completion.ts';
import { type Commands, type Group, helpOf, helpOfNoun, overview } from './help.ts';
import { nearest } from './nearest.ts';
import { OPTIONS, optionNames } from './options.ts';
import { SERVICE_COMMANDS } from './service-commands.ts';
import { CommandError, type CommandSyntax, type Options } from './shared.ts';

/** Loaded only if needed: drivers and migrations take longer than most requests to a service. */
const loadDatabaseCommands = () => import('./database-commands.ts');

/** Loaded only if needed: it needs a package, and commands on a catalog need none. */
const loadLocalCommands = () => import('./verify.ts');

const SERVICE: Group = { title: 'The service', notes: [], commands: SERVICE_COMMANDS };

const CATALOG: Group = {
  title: 'The catalog of a running service',
  notes: [
    'The service is the one at ITEMWRIGHT_URL, http://127.0.0.1:8080 if that is not set, with the secret in',
    'ITEMWRIGHT_CREDENTIALS=TEAM_ID:SECRET; its role must be design, write or admin to plan, publish or simulate.',
  ],
  commands: CATALOG_COMMANDS,
};

const HELP: CommandSyntax = {
  usage: '[COMMAND]',
  summary: 'explains a command, or lists all of them',
  help: [],
  examples: ['help', 'help catalog publish'],
  takesArgument: true,
  options: [],
};

const ABOUT: Group = {
  title: 'This program',
  notes: ['itemwright --version prints the version.'],
  commands: { help: HELP, completion: completionSyntax },
};

const loadDatabaseGroup = async (): Promise<Group> => ({
  title: 'The database at DATABASE_URL',
  notes: ['The service may keep running, except during move. Team and secret commands print one line of JSON.'],
  commands: (await loadDatabaseCommands()).DATABASE_COMMANDS,
});

const loadLocalGroup = async (): Promise<Group> => ({
  title: 'Proofs',
  notes: ['It needs neither a database nor a service.'],
  commands: (await loadLocalCommands()).LOCAL_COMMANDS,
});

const allGroups = async (): Promise<Group[]> => [
  SERVICE,
  await loadDatabaseGroup(),
  CATALOG,
  await loadLocalGroup(),
  ABOUT,
];

const all = (groups: readonly Group[]): Commands => Object.assign({}, ...groups.map(({ commands }) => commands));

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

const verbsOf = (noun: string, commands: Commands): string[] =>
  Object.keys(commands).filter((name) => name.startsWith(`${noun} `));

/** The same words with the one that was probably meant. */
const suggestionFor = ([noun = '', verb = '']: readonly string[], commands: Commands): string | undefined => {
  const verbs = verbsOf(noun, commands);
  if (verbs.length > 0) return nearest(`${noun} ${verb}`, verbs);
  return nearest(noun, [...new Set(Object.keys(commands).map((name) => name.split(' ')[0] as string))]);
};

const unknownCommand = async (words: readonly string[]): Promise<CommandError> => {
  // Whoever looks for a command of the catalog may have no packages installed.
  const commands = words[0] === 'catalog' ? CATALOG_COMMANDS : all(await allGroups());
  const verbs = verbsOf(words[0] ?? '', commands);
  const suggestion = suggestionFor(words, commands);
  const typed = words.slice(0, verbs.length > 0 ? 2 : 1).join(' ');
  if (verbs.length > 0 && words.length === 1)
    return new CommandError(`${typed} is not a whole command; there are ${verbs.join(', ')}`);
  const hint = suggestion === undefined ? `${COMMAND} help lists all commands` : `did you mean ${suggestion}?`;
  return new CommandError(`there is no command ${typed}; ${hint}`);
};

/** Rejects arguments and options that the command does not have. */
const assertSyntax = ({ command, name, rest }: Named<CommandSyntax>, options: Options): void => {
  if (rest.length > (command.takesMore ? Number.POSITIVE_INFINITY : command.takesArgument ? 1 : 0))
    throw new CommandError(`too many arguments; the command is ${`${name} ${command.usage}`.trimEnd()}`);
  for (const option of Object.keys(options) as (keyof Options)[])
    if (!command.options.includes(option)) throw new CommandError(`${name} has no option --${option}`);
};

const helpFor = async (words: readonly string[]): Promise<string> => {
  if (words.length === 0) return overview(await allGroups());
  // Help for the catalog needs no packages.
  for (const load of [() => SERVICE, () => CATALOG, () => ABOUT, loadLocalGroup, loadDatabaseGroup]) {
    const group = await load();
    const found = commandIn(group.commands, words);
    if (found !== undefined) return helpOf(found.name, found.command, group.notes);
    const isNoun = words.length === 1 && verbsOf(words[0] as string, group.commands).length > 0;
    if (isNoun) return helpOfNoun(words[0] as string, group);
  }
  throw await unknownCommand(words);
};

const parse = (args: readonly string[]) => {
  const options = Object.fromEntries(
    optionNames.map((name) => {
      const { value, short, isRepeatable = false } = OPTIONS[name];
      const type = value === undefined ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: isRepeatable, ...(short === undefined ? {} : { short }) }];
    }),
  );
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
  });
  const { help, version, ...given } = values as Options & { help?: boolean; version?: boolean };
  return { words: positionals, help, version, options: given };
};

/** Commands that are not about anything but this program; undefined if it is another. */
const runAbout = async (
  words: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<number | undefined> => {
  if (words[0] === 'help') {
    terminal.print(await helpFor(words.slice(1)));
    return 0;
  }
  const named = commandIn(ABOUT.commands, words);
  if (named === undefined) return undefined;
  assertSyntax(named, options);
  terminal.write(completionScript(named.rest[0], all(await allGroups())));
  return 0;
};

/** Returns the exit code. */
const run = async (args: readonly string[], surroundings: Surroundings): Promise<number> => {
  const { words, help, version, options } = parse(args);
  const terminal = terminalOf(surroundings);
  if (version) {
    terminal.print(VERSION);
    return 0;
  }
  if (help) {
    terminal.print(await helpFor(words[0] === 'help' && words.length > 1 ? words.slice(1) : words));
    return 0;
  }
  const about = await runAbout(words, options, terminal);
  if (about !== undefined) return about;
  const service = commandIn(SERVICE_COMMANDS, words.length === 0 ? ['serve'] : words);
  if (service !== undefined) {
    assertSyntax(service, options);
    await service.command.run();
    return 0;
  }
  const onCatalog = commandIn(CATALOG_COMMANDS, words);
  if (onCatalog !== undefined) {
    assertSyntax(onCatalog, options);
    const connected = openService(readConnection(surroundings.env));
    return onCatalog.command.run({ service: connected, terminal, argument: onCatalog.rest[0], options });
  }
  if (words[0] === 'catalog') throw await unknownCommand(words);
  const local = commandIn((await loadLocalCommands()).LOCAL_COMMANDS, words);
  if (local !== undefined) {
    assertSyntax(local, options);
    return local.command.run({ terminal, files: local.rest, options });
  }
  const { DATABASE_COMMANDS, runOnDatabase } = await loadDatabaseCommands();
  const onDatabase = commandIn(DATABASE_COMMANDS, words);
  if (onDatabase === undefined) throw await unknownCommand(words);
  assertSyntax(onDatabase, options);
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
