import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What recorder.c records, in the order of its numbers. */
const KINDS = [
  undefined,
  'open',
  'create',
  'close',
  'write',
  'truncate',
  'sync begins',
  'sync is done',
  'unlink',
  'make folder',
] as const;
const HEADER_BYTES = 32;

/** Something that a process did to a file, at a moment of the clock that `process.hrtime` shows too. */
export interface Did {
  readonly kind: Exclude<(typeof KINDS)[number], undefined>;
  readonly timeNs: number;
  readonly thread: number;
  readonly fd: number;
  /** Where a write begins, or where a truncated file ends. */
  readonly offset: number;
  /** What is written, or a path. */
  readonly bytes: Buffer;
}

/** All that a process did. One that was killed may have left half a record at the end. */
export const readTrace = async (path: string): Promise<Did[]> => {
  const all = await readFile(path);
  const trace: Did[] = [];
  for (let at = 0; at + HEADER_BYTES <= all.length; ) {
    const length = all.readUInt32LE(at + 16);
    const end = at + HEADER_BYTES + length;
    if (end > all.length) break;
    const kind = KINDS[all.readUInt32LE(at + 28)];
    if (kind === undefined) throw new Error(`a record at ${at} of no known kind`);
    trace.push({
      kind,
      timeNs: Number(all.readBigUInt64LE(at)),
      offset: Number(all.readBigInt64LE(at + 8)),
      fd: all.readInt32LE(at + 20),
      thread: all.readUInt32LE(at + 24),
      bytes: all.subarray(at + HEADER_BYTES, end),
    });
    at = end;
  }
  return trace;
};

const execute = promisify(execFile);

/** A compiler that is there, and has the headers of the C library. */
const findCompiler = async (): Promise<string | undefined> => {
  for (const compiler of ['cc', 'gcc', 'clang']) {
    const arguments_ = ['-E', '-include', 'dlfcn.h', '-x', 'c', '/dev/null'];
    const isUsable = await execute(compiler, arguments_).then(
      () => true,
      () => false,
    );
    if (isUsable) return compiler;
  }
  return undefined;
};

/** Compiles the recorder; undefined where there is no compiler, or no such C library to come before. */
export const compileRecorder = async (folder: string): Promise<string | undefined> => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const compiler = header.glibcVersionRuntime === undefined ? undefined : await findCompiler();
  if (compiler === undefined) return undefined;
  const library = join(folder, 'recorder.so');
  const source = join(import.meta.dirname, 'recorder.c');
  await execute(compiler, ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread']);
  return library;
};
