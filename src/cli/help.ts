import { COMMAND, DEFAULT_DATABASE, VERSION } from '../shared/program.ts';
import { OPTIONS, spell } from './options.ts';
import type { CommandSyntax } from './shared.ts';

export type Commands = Readonly<Record<string, CommandSyntax>>;

/** Commands that need the same things. */
export interface Group {
  readonly title: string;
  readonly notes: readonly string[];
  readonly commands: Commands;
}

const column = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

const usage = (name: string, command: CommandSyntax): string => `${name} ${command.usage}`.trimEnd();

const optionLines = ({ options }: CommandSyntax): string[] =>
  column([...options.map((name) => [spell(name), OPTIONS[name].help] as const), ['-h, --help', 'shows this']]);

/** An example may begin with variables, which come before the program. */
const exampleOf = (example: string): string => {
  const [, variables = '', rest = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(example) ?? [];
  return `  ${variables}${COMMAND} ${rest}`;
};

/** Everything about one command. */
export const helpOf = (name: string, command: CommandSyntax, notes: readonly string[]): string =>
  [
    `itemwright ${usage(name, command)}`,
    '',
    `${command.summary}${command.help.length === 0 ? '' : '\n'}`,
    ...command.help,
    '',
    'Options:',
    ...optionLines(command),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(command.examples === undefined ? [] : ['', 'Examples:', ...command.examples.map(exampleOf)]),
  ].join('\n');

/** The commands that share a word, such as `catalog`. */
export const helpOfNoun = (noun: string, { title, notes, commands }: Group): string => {
  const own = Object.entries(commands).filter(([name]) => name.startsWith(`${noun} `));
  return [
    title,
    ...own.flatMap(([name, command]) => [
      '',
      `  ${usage(name, command)}`,
      ...[command.summary, ...command.help].map((line) => `      ${line}`.trimEnd()),
    ]),
    '',
    ...notes,
  ].join('\n');
};

export const overview = (groups: readonly Group[]): string => {
  const width = Math.max(...groups.flatMap(({ commands }) => Object.keys(commands).map((name) => name.length)));
  return [
    `Itemwright ${VERSION}: a self-hosted item service for games`,
    '',
    `Usage: ${COMMAND} [COMMAND] [ARGUMENT] [OPTIONS]`,
    ...groups.flatMap(({ title, commands }) => [
      '',
      `${title}:`,
      ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    ]),
    '',
    'Variables:',
    ...column([
      ['DATABASE_URL', `sqlite:PATH or postgres://…; ${DEFAULT_DATABASE} if not set`],
      ['PORT, HOST', 'where the service listens; 8080 and 127.0.0.1 if not set'],
      ['ITEMWRIGHT_URL', 'the service that commands talk to; http://127.0.0.1:8080 if not set'],
      ['ITEMWRIGHT_CREDENTIALS', 'TEAM_ID:SECRET for it'],
    ]),
    '',
    'Examples:',
    ...['serve', 'team create "My game"', 'backup items.backup', 'help catalog plan'].map(exampleOf),
    '',
    `More about a command: ${COMMAND} help COMMAND`,
    'The exit code is 0 on success and 1 on failure; plan and verify also exit with 2, as their help says.',
  ].join('\n');
};
