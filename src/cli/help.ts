/** What the help of a command says beyond what commander knows. */
import { type Command, Help, type Option } from 'commander';
import { COMMAND, DEFAULT_DATABASE } from '../shared/program.ts';
import { collect } from './options.ts';
import type { CommandSyntax } from './shared.ts';

/** The name of a command in full, such as `team create`. */
export const fullName = (command: Command): string =>
  command.parent?.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();

/** The commands that can be run: `team create` instead of `team`. */
export const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

export const HELP_STYLE: Partial<Help> = {
  helpWidth: 120,
  // A line for each command that can be run.
  groupItems: <T extends Command | Option>(_: T[], visible: T[], groupOf: (item: T) => string) =>
    Map.groupBy(
      visible.flatMap((item) => ('commands' in item ? (leavesOf(item) as T[]) : [item])),
      groupOf,
    ),
  padWidth: (command, helper) =>
    Math.max(
      helper.longestOptionTermLength(command, helper),
      ...command.commands.flatMap(leavesOf).map((leaf) => helper.subcommandTerm(leaf).length),
    ),
  subcommandTerm: fullName,
  // Options are named one by one, and where there are none, they are not.
  commandUsage: (command) => new Help().commandUsage(command).replace(/ \[options\]$/, ''),
};

/** An option as it is typed, such as `[-o FILE]`. */
const spell = ({ flags, short, long, mandatory, parseArg }: Option): string => {
  const [, value] = /<(.*)>/.exec(flags) ?? [];
  const typed = [short ?? long, ...(value === undefined ? [] : [value])].join(' ');
  return mandatory ? typed : `[${typed}]${parseArg === collect ? '...' : ''}`;
};

export const usageOf = ({ argument }: CommandSyntax, options: readonly Option[]): string =>
  [...(argument === undefined ? [] : [argument]), ...options.map(spell)].join(' ');

/** An example may begin with variables, which come before the program. */
const exampleOf = (example: string): string => {
  const [, variables = '', rest = ''] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(example) ?? [];
  return `  ${variables}${COMMAND} ${rest}`;
};

export const afterHelp = ({ examples = [] }: Pick<CommandSyntax, 'examples'>, notes: readonly string[]): string =>
  [
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map(exampleOf)]),
  ].join('\n');

export const AFTER_OVERVIEW = afterHelp(
  { examples: ['serve', 'team create "My game"', 'backup items.backup', 'help catalog plan'] },
  [
    'Variables:',
    `  DATABASE_URL            sqlite:PATH or postgres://…; ${DEFAULT_DATABASE} if not set`,
    '  PORT, HOST              where the service listens; 8080 and 127.0.0.1 if not set',
    '  ITEMWRIGHT_URL          the service that commands talk to; http://127.0.0.1:8080 if not set',
    '  ITEMWRIGHT_CREDENTIALS  TEAM_ID:SECRET for it',
    '',
    `More about a command: ${COMMAND} help COMMAND`,
    'The exit code is 0 on success and 1 on failure; plan and verify also exit with 2, as their help says.',
  ],
);
