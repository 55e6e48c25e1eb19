import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Image } from './disk.ts';
import { DATABASE, type Story, walk } from './story.ts';
import type { Did } from './trace.ts';

/** Writes what a power cut left into a folder, and returns where the database is. */
export const writeImage = (image: Image, { root }: Story, folder: string): string => {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, bytes] of image) {
    const place = `${folder}${path.slice(root.length)}`;
    if (bytes === undefined) mkdirSync(place, { recursive: true });
    else writeFileSync(place, bytes);
  }
  return join(folder, DATABASE);
};

const MARKS = `select 'team ' || id as mark from teams
  union all select 'key ' || key from stored_answers
  union all select 'request ' || request_id from item_instance_history where request_id is not null
  union all select 'item ' || name from items`;

/** Evidence that a request took effect: the key of its stored response, its id in a history, a name. */
const marksOf = (database: DatabaseSync): string[] => {
  const isMigrated = database.prepare("select 1 from sqlite_schema where name = 'stored_answers'").get() !== undefined;
  if (!isMigrated) return [];
  return database
    .prepare(MARKS)
    .all()
    .map(({ mark }) => String(mark));
};

/** Everything in a database, whether in the file or in the log. */
const fingerprintOf = (database: DatabaseSync): string => {
  const digest = createHash('sha256');
  for (const { type, name, sql } of database.prepare('select type, name, sql from sqlite_schema order by name').all()) {
    digest.update(`${type} ${name} ${sql}`);
    if (type !== 'table') continue;
    const rows = database.prepare(`select * from "${name}"`);
    rows.setReturnArrays(true);
    for (const row of rows.iterate()) digest.update(JSON.stringify(row));
  }
  return digest.digest('base64');
};

/** Reads a database as SQLite finds it, if it exists. */
export const readState = (path: string): { soundness: unknown; fingerprint: string; marks: string[] } => {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma synchronous = off');
    const soundness = database.prepare('pragma integrity_check(1)').get()?.integrity_check;
    return { soundness, fingerprint: fingerprintOf(database), marks: marksOf(database) };
  } finally {
    database.close();
  }
};

const FRAME_HEADER_BYTES = 24;
const LOG_HEADER_BYTES = 32;

/** Whether this is the header of the last page of a commit in the log. The page itself is written next. */
const endsCommit = ({ kind, offset, bytes }: Did): boolean =>
  kind === 'write' && bytes.length === FRAME_HEADER_BYTES && offset >= LOG_HEADER_BYTES && bytes.readUInt32BE(4) > 0;

/**
 * Every state of the database of a story, one per commit, in order. A power cut must leave one of them: anything else
 * was half done.
 */
export const statesOf = (story: Story, folder: string) => {
  const numbers = new Map<string, number>();
  const firstWith = new Map<string, number>();
  let count = 0;
  const add = ({ fingerprint, marks }: ReturnType<typeof readState>): void => {
    // Of identical states, keep the last: it contains everything the others do.
    numbers.set(fingerprint, count);
    for (const mark of marks) if (!firstWith.has(mark)) firstWith.set(mark, count);
    count += 1;
  };
  add(readState(writeImage(new Map(), story, folder)));
  let isPageOfCommit = false;
  for (const { disk, did } of walk(story)) {
    if (isPageOfCommit) add(readState(writeImage(disk.cut('everything', Math.random), story, folder)));
    isPageOfCommit = endsCommit(did);
  }
  return { numbers, firstWith, count };
};

export type States = ReturnType<typeof statesOf>;
