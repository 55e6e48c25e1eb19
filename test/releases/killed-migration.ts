/** Migrates the database at `DATABASE_URL` with one more migration, in which the process is killed. */
import { sql } from 'kysely';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';

await openDatabase(process.env.DATABASE_URL as string).migrate({
  ...MIGRATIONS,
  '9999-killed': async (schema) => {
    await schema.schema.createTable('half_done').addColumn('id', 'text').execute();
    await sql`alter table items add column half_done integer`.execute(schema);
    await sql`update items set name = 'half done'`.execute(schema);
    await sql`delete from item_instance_spaces`.execute(schema);
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment; nothing may happen in it.
    await new Promise(() => {});
  },
});
