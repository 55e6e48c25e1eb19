import { readSettings, SettingsError } from '../settings.ts';
import { backup } from './backup.ts';
import { audit, check } from './check.ts';
import type { Call, Command } from './command.ts';
import { migrate } from './migrate.ts';
import { move } from './move.ts';
import { restore } from './restore.ts';
import { createSecret, listSecrets, revokeSecret } from './secret.ts';
import { CommandError } from './shared.ts';
import { createTeam, listTeams } from './team.ts';

export const DATABASE_COMMANDS: Readonly<Record<string, Command>> = {
  'team create': createTeam,
  'team list': listTeams,
  'secret create': createSecret,
  'secret list': listSecrets,
  'secret revoke': revokeSecret,
  migrate,
  backup,
  restore,
  move,
  check,
  audit,
};

type Environment = Parameters<typeof readSettings>[0];

const readDatabaseUrl = (environment: Environment): string => {
  try {
    return readSettings(environment).databaseUrl;
  } catch (error) {
    throw error instanceof SettingsError ? new CommandError(error.message) : error;
  }
};

/** Runs a command on the database at DATABASE_URL; returns the exit code. */
export const runOnDatabase = async (
  command: Command,
  environment: Environment,
  call: Omit<Call, 'databaseUrl'>,
): Promise<number> => ((await command.run({ ...call, databaseUrl: readDatabaseUrl(environment) })) ? 0 : 1);
