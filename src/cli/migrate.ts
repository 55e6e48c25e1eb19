import { LATEST } from '../database/migrate.ts';
import type { Database, SchemaState } from '../database/work.ts';
import { type Command, displayUrl, openExisting, withDatabase } from './command.ts';
import { CommandError } from './shared.ts';

const schemaOf = (database: Database): Promise<SchemaState | undefined> =>
  database.snapshot((snapshot) => snapshot.schema());

const describe = ({ contracted, expanded }: SchemaState): string =>
  contracted === expanded
    ? `is at ${contracted}`
    : `is at ${contracted}, and prepared for ${expanded}: nodes of both versions can run`;

export const migrate: Command = {
  summary: 'brings the schema up to date, as the service does when it starts',
  help: [
    'For an upgrade without an interruption, run migrate --expand, replace the nodes one by one, and run',
    'migrate --contract. In between, nodes of both versions run, and you can go back to the earlier one.',
    'Without an option it does both: nodes of the earlier version then stop serving requests.',
  ],
  examples: ['migrate', 'migrate --expand', 'migrate --contract'],
  options: ['expand', 'contract'],
  run: async ({ databaseUrl, options, print }) =>
    withDatabase(openExisting(databaseUrl), async (database) => {
      if (options.contract && (await schemaOf(database))?.expanded !== LATEST)
        throw new CommandError(`${displayUrl(databaseUrl)} is not prepared for ${LATEST}: run migrate --expand first`);
      await (options.expand ? database.expand() : database.migrate());
      print(`${displayUrl(databaseUrl)} ${describe((await schemaOf(database)) as SchemaState)}`);
      return true;
    }),
};
