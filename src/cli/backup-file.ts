/**
 * The backup format, the same for both engines: gzipped lines of JSON. The first line is a header. Each table has a
 * line with its name and columns, a line per row, and a line with the row count and hash. The last line has a hash of
 * all lines other than rows, so that missing or altered data is detected.
 */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createDigest, type Digest, linesOf, sameDigest, tableIn } from '../database/transfer.ts';
import type { Engine, Snapshot, Value } from '../database/work.ts';
import { LIMITS } from '../shared/limits.ts';
import { openFile } from './input.ts';
import { CommandError } from './shared.ts';

const FORMAT = 1;
/** Higher levels gain little. */
const GZIP_LEVEL = 3;

interface Header {
  readonly itemwright: 'backup';
  readonly format: number;
  /** The latest migration applied to the database. */
  readonly schema: string;
  /** During a rolling upgrade, the latest one of which both halves were. */
  readonly contracted?: string | undefined;
  readonly engine: Engine;
  readonly takenAt: string;
}

interface TableLine {
  readonly table: string;
  readonly columns: readonly string[];
}

interface Trailer {
  readonly tables: number;
  readonly rows: number;
  readonly sha256: string;
}

/** Describes the contents of a backup. */
export interface Contents {
  readonly header: Header;
  readonly tables: readonly (Digest & TableLine)[];
  readonly rows: number;
}

/** Streams every table to `out`. */
export const writeBackup = async (
  snapshot: Snapshot,
  out: NodeJS.WritableStream,
  {
    engine,
    schema,
    contracted,
    takenAt,
    tables,
  }: Omit<Header, 'itemwright' | 'format'> & { tables: readonly string[] },
): Promise<Trailer> => {
  const hash = createHash('sha256');
  let rows = 0;
  const line = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    return text;
  };
  async function* texts(): AsyncGenerator<string> {
    yield line({ itemwright: 'backup', format: FORMAT, schema, contracted, engine, takenAt } satisfies Header);
    for (const name of tables) {
      const table = await tableIn(snapshot, name);
      yield line({ table: name, columns: table.columns.map((column) => column.name) } satisfies TableLine);
      const digest = createDigest();
      for await (const some of snapshot.rows(table)) {
        const lines = linesOf(some);
        digest.add(lines, some.length);
        yield lines;
      }
      const ended = digest.end();
      rows += ended.rows;
      yield line(ended);
    }
    trailer = { tables: tables.length, rows, sha256: hash.digest('hex') };
    yield `${JSON.stringify({ end: trailer })}\n`;
  }
  let trailer: Trailer | undefined;
  await pipeline(texts, createGzip({ level: GZIP_LEVEL }), out);
  return trailer as unknown as Trailer;
};

/** Yields the lines of a file in batches, without reading the whole file into memory. */
async function* linesIn(path: string): AsyncGenerator<string[]> {
  const file = (await openFile(path)).createReadStream();
  const text = createGunzip({ chunkSize: LIMITS.batchLength });
  file.on('error', (error) => text.destroy(error));
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of file.pipe(text) as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(10) + 1;
      if (end > 0) {
        const lines = Buffer.concat([...rest, chunk.subarray(0, end)])
          .toString('utf8')
          .split('\n');
        lines.pop();
        yield lines;
        rest = [];
        restBytes = 0;
      }
      rest.push(chunk.subarray(end));
      restBytes += chunk.length - end;
      if (restBytes > LIMITS.backupLineBytes) throw new CommandError(`${path} is not an Itemwright backup`);
    }
  } finally {
    file.destroy();
    text.destroy();
  }
  if (restBytes > 0) throw new CommandError(`${path} is truncated`);
}

/** Turns a read error into a message for the user. */
const readableError = (path: string, error: unknown): unknown => {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CommandError(`no such file: ${path}`);
  if (code === 'Z_BUF_ERROR') return new CommandError(`${path} is truncated`);
  if (code === 'Z_DATA_ERROR')
    return new CommandError(
      /header/.test(message) ? `${path} is not an Itemwright backup` : `${path} is damaged: ${message}`,
    );
  return errno === undefined ? error : new CommandError(`${path} cannot be read: ${message}`);
};

/** Receives the contents of a backup as it is read. */
export interface Receiver {
  header?(header: Header): Promise<void>;
  table?(table: TableLine): Promise<void>;
  rows?(rows: Value[][]): Promise<void>;
  end?(table: string, digest: Digest): Promise<void>;
}

const parse = (path: string, line: string): object => {
  try {
    const value = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw new CommandError(`${path} is damaged: it contains an unreadable line`);
};

const headerOf = (path: string, line: string): Header => {
  if (!line.startsWith('{"itemwright":"backup"')) throw new CommandError(`${path} is not an Itemwright backup`);
  const header = parse(path, line) as Header;
  if (header.format > FORMAT)
    throw new CommandError(`${path} was made by a newer version of Itemwright (format ${header.format})`);
  return header;
};

/**
 * Reads a backup, and fails if it is incomplete or damaged. Receivers must not keep any rows until this has succeeded.
 */
export const readBackup = async (path: string, receiver: Receiver = {}): Promise<Contents> => {
  const hash = createHash('sha256');
  const tables: (Digest & TableLine)[] = [];
  let header: Header | undefined;
  let table: TableLine | undefined;
  let digest = createDigest();
  let trailer: Trailer | undefined;
  let rows = 0;

  const takeRows = async (lines: readonly string[]): Promise<void> => {
    if (table === undefined) throw new CommandError(`${path} is damaged: it has a row outside any table`);
    digest.add(`${lines.join('\n')}\n`, lines.length);
    rows += lines.length;
    if (receiver.rows !== undefined) await receiver.rows(lines.map((line) => parse(path, line) as Value[]));
  };

  const takeOther = async (line: string): Promise<void> => {
    if (trailer !== undefined) throw new CommandError(`${path} is damaged: it continues past its end`);
    if (header === undefined) {
      header = headerOf(path, line);
      hash.update(`${line}\n`);
      await receiver.header?.(header);
      return;
    }
    const value = parse(path, line);
    if ('end' in value) {
      trailer = value.end as Trailer;
      return;
    }
    hash.update(`${line}\n`);
    if ('table' in value && table === undefined) {
      table = value as TableLine;
      digest = createDigest();
      await receiver.table?.(table);
      return;
    }
    if (table === undefined) throw new CommandError(`${path} is damaged: its lines are out of order`);
    const found = digest.end();
    if (!sameDigest(found, value as Digest))
      throw new CommandError(`${path} is damaged: table ${table.table} does not match its hash`);
    tables.push({ ...table, ...found });
    await receiver.end?.(table.table, found);
    table = undefined;
  };

  try {
    for await (const lines of linesIn(path)) {
      for (let index = 0; index < lines.length; ) {
        let end = index;
        while (end < lines.length && end - index < LIMITS.batchRows && lines[end]?.startsWith('[')) end += 1;
        if (end > index) await takeRows(lines.slice(index, end));
        else {
          await takeOther(lines[index] as string);
          end += 1;
        }
        index = end;
      }
    }
  } catch (error) {
    throw readableError(path, error);
  }
  if (header === undefined) throw new CommandError(`${path} is not an Itemwright backup`);
  if (trailer === undefined) throw new CommandError(`${path} is truncated`);
  if (trailer.sha256 !== hash.digest('hex') || trailer.rows !== rows || trailer.tables !== tables.length)
    throw new CommandError(`${path} is damaged: it does not match its hash`);
  return { header, tables, rows };
};
