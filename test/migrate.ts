/** Migrates the database at DATABASE_URL, as a process of its own. */
import { openDatabase } from '../src/database/open.ts';

const database = openDatabase(process.env.DATABASE_URL ?? '');
await database.migrate();
await database.close();
