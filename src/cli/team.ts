import { type Database, NO_TEAM } from '../database/work.ts';
import * as teams from '../features/teams/teams.service.ts';
import { type Call, type Command, checkSchema, openExisting, withDatabase } from './command.ts';
import { required } from './shared.ts';

/** Runs against the database, and prints the result as one line of JSON. */
export const printJson =
  (work: (database: Database, call: Call) => Promise<unknown>): Command['run'] =>
  async (call) =>
    withDatabase(openExisting(call.databaseUrl), async (database) => {
      await database.snapshot((snapshot) => checkSchema(snapshot, call.databaseUrl));
      call.print(JSON.stringify(await work(database, call)));
      return true;
    });

export const createTeam: Command = {
  argument: 'NAME',
  summary: 'creates a team with an admin secret',
  examples: ['team create "My game"'],
  run: printJson((database, { argument }) => {
    const name = required(argument, 'NAME');
    return database.transaction(NO_TEAM, (tx) => teams.createTeam(tx, Date.now(), { name }));
  }),
};

export const listTeams: Command = {
  summary: 'lists all teams',
  run: printJson((database) => database.read(NO_TEAM, (reader) => teams.listTeams(reader))),
};
