import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../shared/limits.ts';
import { openDatabase } from '../open.ts';
import { NO_TEAM } from '../work.ts';

const PAGE_BYTES = 4096 + 24;
const FEW = { sqliteCheckpointPages: 200, sqliteCheckpointRestMs: 0 };

describe('the write-ahead log of SQLite', () => {
  const limits = { ...LIMITS };
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-log-'));
    Object.assign(LIMITS, FEW);
  });
  after(async () => {
    Object.assign(LIMITS, limits);
    await rm(folder, { recursive: true });
  });

  test('is copied into the file beside those who write, and begun anew', async () => {
    const path = join(folder, 'test.db');
    const database = openDatabase(`sqlite:${path}`);
    await database.migrate();
    const sizeOf = async (part: string): Promise<number> => (await stat(path + part)).size;
    /** A name of twenty pages. */
    const write = (number: number) =>
      database.transaction(NO_TEAM, async ({ queries }) => {
        const name = `${number} ${'n'.repeat(20 * PAGE_BYTES)}`;
        await queries.insertInto('milestones').values({ name, reached_at: 0 }).execute();
      });
    let longest = 0;
    for (let number = 0; number < 200; number += 1) {
      await write(number);
      // As long as it takes a thread to start, elsewhere in the time that a log of 128 MB needs to grow.
      await delay(5);
      longest = Math.max(longest, await sizeOf('-wal'));
    }
    // Twenty pages each, twice: once in the table and once in its key.
    const written = 200 * 40 * PAGE_BYTES;
    assert.ok(longest < written / 2, `${longest} of ${written}`);
    assert.ok((await sizeOf('')) > written / 4);
    const { length } = await database.read(NO_TEAM, ({ queries }) =>
      queries.selectFrom('milestones').select('name').execute(),
    );
    assert.equal(length, 200);
    await database.close();
  });
});
