import type { Database } from '../database/work.ts';
import * as teams from '../features/teams/teams.service.ts';
import type { Role } from '../shared/context.ts';
import type { Command } from './command.ts';
import { CommandError, type Options, required } from './shared.ts';
import { printJson } from './team.ts';

const knownTeam = async (database: Database, { team }: Options): Promise<{ teamId: string; nowMs: number }> => {
  const teamId = required(team, '--team');
  if (!(await database.read(teamId, (reader) => teams.teamExists(reader, teamId))))
    throw new CommandError(`no such team: ${teamId}`);
  return { teamId, nowMs: Date.now() };
};

export const createSecret: Command = {
  summary: 'creates a secret with a role',
  examples: ['secret create --team TEAM_ID --role support --name "game server"'],
  options: ['team', 'role', 'name'],
  run: printJson(async (database, { options }) => {
    const role = options.role as Role;
    const team = await knownTeam(database, options);
    return database.transaction(team.teamId, (tx) =>
      teams.createSecret(tx, team, { name: required(options.name ?? role, '--name'), role }),
    );
  }),
};

export const listSecrets: Command = {
  summary: 'lists the secrets of a team, without their values',
  options: ['team'],
  run: printJson(async (database, { options }) => {
    const team = await knownTeam(database, options);
    return database.read(team.teamId, (reader) => teams.listSecrets(reader, team));
  }),
};

export const revokeSecret: Command = {
  summary: 'revokes a secret',
  options: ['team', 'id'],
  run: printJson(async (database, { options }) => {
    const id = required(options.id, '--id');
    const team = await knownTeam(database, options);
    await database.transaction(team.teamId, (tx) => teams.revokeSecret(tx, team, id));
    return { revoked: id };
  }),
};
