/**
 * A version after this one, with one more migration: serves, migrates with `expand` or `contract`, or only records the
 * migration with `record`.
 */
import { sql } from 'kysely';
import { openDatabase } from '../../src/database/open.ts';
import { serve } from '../../src/serve.ts';
import { NEXT, NEXT_NAME } from './next.ts';

const [, , step] = process.argv;
if (step === undefined) await serve({ migrations: NEXT });
else {
  const database = openDatabase(process.env.DATABASE_URL as string, { migrations: NEXT });
  if (step === 'expand') await database.expand();
  if (step === 'contract') await database.migrate();
  if (step === 'record')
    await database.transaction('', ({ queries }) =>
      sql`insert into migrations values (${NEXT_NAME}, '')`.execute(queries),
    );
  await database.close();
}
