import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../database/open.ts';
import type { Database } from '../database/work.ts';

export interface TemporaryDatabase {
  readonly database: Database;
  readonly url: string;
  readonly folder: string;
  /** Closes and deletes it. */
  readonly drop: () => Promise<void>;
}

/** An empty SQLite database in a temporary folder of its own. */
export const openTemporaryDatabase = async (): Promise<TemporaryDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-'));
  const url = `sqlite:${join(folder, 'itemwright.db')}`;
  const database = openDatabase(url);
  const drop = async (): Promise<void> => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { database, url, folder, drop };
};
