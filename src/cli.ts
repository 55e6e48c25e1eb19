import { parseArgs } from 'node:util';
import { backup } from './cli/backup.ts';
import { check } from './cli/check.ts';
import { type Command, CommandError, type Options } from './cli/command.ts';
import { move } from './cli/move.ts';
import { restore } from './cli/restore.ts';
import { createSecret, listSecrets, revokeSecret } from './cli/secret.ts';
import { createTeam, listTeams } from './cli/team.ts';
import { ServiceError } from './errors.ts';
import { readSettings, SettingsError } from './settings.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  'team create': createTeam,
  'team list': listTeams,
  'secret create': createSecret,
  'secret list': listSecrets,
  'secret revoke': revokeSecret,
  backup,
  restore,
  move,
  check,
};

const USAGE = `itemwright: manages the database at DATABASE_URL

${Object.entries(COMMANDS)
  .map(([name, { usage, help }]) => [`  ${name} ${usage}`.trimEnd(), ...help.map((line) => `      ${line}`)].join('\n'))
  .join('\n')}

The service may keep running, except during move. Team and secret commands print one line of JSON.
The exit code is 0 on success, and 1 on failure or if check finds problems.`;

/** Finds the command that the words name, and returns the remaining words. */
const commandOf = ([first = '', second = '', ...more]: readonly string[]): {
  command: Command;
  name: string;
  rest: string[];
} => {
  const both = `${first} ${second}`;
  if (Object.hasOwn(COMMANDS, both)) return { command: COMMANDS[both] as Command, name: both, rest: more };
  const rest = second === '' ? more : [second, ...more];
  if (Object.hasOwn(COMMANDS, first)) return { command: COMMANDS[first] as Command, name: first, rest };
  throw new CommandError(USAGE);
};

const run = async (): Promise<boolean> => {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const];
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ team: text, role: text, name: text, id: text, to: text, force: flag, replace: flag },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { help, ...options } = values;
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  if (help || positionals[0] === 'help') {
    print(USAGE);
    return true;
  }
  const { command, name, rest } = commandOf(positionals);
  if (rest.length > (command.takesArgument ? 1 : 0)) throw new CommandError(USAGE);
  for (const option of Object.keys(options) as (keyof Options)[])
    if (!command.options.includes(option)) throw new CommandError(`${name} has no option --${option}`);
  const { databaseUrl } = readSettings(process.env);
  return command.run({ databaseUrl, argument: rest[0], options, print });
};

/** Explains an error in a line or so; with a stack trace only if it is a bug. */
const explain = (error: unknown): string => {
  if (error instanceof ServiceError) {
    const particulars = error.issues.map((issue) => issue.message);
    return [error.message, ...particulars, ...(error.cause instanceof Error ? [error.cause.message] : [])].join(': ');
  }
  if (error instanceof CommandError || error instanceof SettingsError) return error.message;
  if (error instanceof Error)
    return 'code' in error ? error.message || String(error.code) : (error.stack ?? error.message);
  return String(error);
};

run().then(
  (succeeded) => {
    if (!succeeded) process.exitCode = 1;
  },
  (error: unknown) => {
    process.stderr.write(`itemwright: ${explain(error).replace(/^itemwright: /, '')}\n`);
    process.exitCode = 1;
  },
);
