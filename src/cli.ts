import { parseArgs } from 'node:util';
import { ROLES, type Role } from './context.ts';
import { openDatabase } from './database/open.ts';
import { type Database, NO_TEAM } from './database/work.ts';
import { ServiceError } from './errors.ts';
import * as teams from './features/teams/teams.service.ts';
import { LIMITS } from './limits.ts';
import { readSettings, SettingsError } from './settings.ts';

const USAGE = `itemwright: administers teams and secrets on the database that DATABASE_URL names

  team create NAME                                  makes a team with an admin secret
  team list
  secret create --team ID --role ROLE [--name NAME] ROLE is read, write or admin
  secret list --team ID
  secret revoke --team ID --id SECRET_ID

Answers are one JSON line on standard output. The service may run meanwhile.`;

class UsageError extends Error {}

interface Options {
  readonly team?: string;
  readonly role?: string;
  readonly name?: string;
  readonly id?: string;
}

const required = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing`);
  if (value.length > LIMITS.nameLength) throw new UsageError(`${what} has more than ${LIMITS.nameLength} characters`);
  return value;
};

const requiredRole = (value: string | undefined): Role => {
  const role = ROLES.find((known) => known === value);
  if (role === undefined) throw new UsageError(`--role must be one of ${ROLES.join(', ')}`);
  return role;
};

const knownTeam = async (database: Database, { team }: Options): Promise<{ teamId: string; nowMs: number }> => {
  const teamId = required(team, '--team');
  if (!(await database.read(teamId, (reader) => teams.teamExists(reader, teamId))))
    throw new UsageError(`there is no team ${teamId}`);
  return { teamId, nowMs: Date.now() };
};

type Command = (database: Database, argument: string | undefined, options: Options) => Promise<unknown>;

const COMMANDS: Record<string, Command> = {
  'team create': (database, argument) => {
    const name = required(argument, 'NAME');
    return database.transaction(NO_TEAM, (tx) => teams.createTeam(tx, Date.now(), { name }));
  },
  'team list': (database) => database.read(NO_TEAM, (reader) => teams.listTeams(reader)),
  'secret create': async (database, _argument, options) => {
    const role = requiredRole(options.role);
    const team = await knownTeam(database, options);
    return database.transaction(team.teamId, (tx) =>
      teams.createSecret(tx, team, { name: required(options.name ?? role, '--name'), role }),
    );
  },
  'secret list': async (database, _argument, options) => {
    const team = await knownTeam(database, options);
    return database.read(team.teamId, (reader) => teams.listSecrets(reader, team));
  },
  'secret revoke': async (database, _argument, options) => {
    const id = required(options.id, '--id');
    const team = await knownTeam(database, options);
    await database.transaction(team.teamId, (tx) => teams.revokeSecret(tx, team, id));
    return { revoked: id };
  },
};

const run = async (): Promise<void> => {
  const text = { type: 'string' } as const;
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { team: text, role: text, name: text, id: text, help: { type: 'boolean', short: 'h' } },
  });
  const [noun = '', verb = '', argument, ...rest] = positionals;
  if (values.help || noun === 'help') {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const command = COMMANDS[`${noun} ${verb}`];
  if (command === undefined || rest.length > 0 || (argument !== undefined && `${noun} ${verb}` !== 'team create'))
    throw new UsageError(USAGE);
  const database = openDatabase(readSettings(process.env).databaseUrl);
  try {
    await database.migrate();
    process.stdout.write(`${JSON.stringify(await command(database, argument, values))}\n`);
  } finally {
    await database.close();
  }
};

/** What went wrong, in a line or so; a stack only where the fault is ours. */
const explain = (error: unknown): string => {
  if (error instanceof ServiceError) {
    const particulars = error.issues.map((issue) => issue.message);
    return [error.message, ...particulars, ...(error.cause instanceof Error ? [error.cause.message] : [])].join(': ');
  }
  if (error instanceof UsageError || error instanceof SettingsError) return error.message;
  if (error instanceof Error)
    return 'code' in error ? error.message || String(error.code) : (error.stack ?? error.message);
  return String(error);
};

run().catch((error: unknown) => {
  process.stderr.write(`itemwright: ${explain(error).replace(/^itemwright: /, '')}\n`);
  process.exitCode = 1;
});
