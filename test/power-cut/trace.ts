import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The operations that recorder.c records, in the order of their numbers. */
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

/** An operation of a process on a file, with the time that `process.hrtime` uses too. */
export interface Did {
  readonly kind: Exclude<(typeof KINDS)[number], undefined>;
  readonly timeNs: number;
  readonly thread: number;
  readonly fd: number;
  /** The offset of a write, or the length of a truncated file. */
  readonly offset: number;
  /** The data written, or a path. */
  readonly bytes: Buffer;
}

/** Everything that a process did. A killed one may have left half a record at the end. */
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

/** An available compiler with the headers of the C library. */
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

/** Compiles the recorder; undefined without a compiler or a C library to preload. */
export const compileRecorder = async (folder: string): Promise<string | undefined> => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const compiler = header.glibcVersionRuntime === undefined ? undefined : await findCompiler();
  if (compiler === undefined) return undefined;
  const library = join(folder, 'recorder.so');
  const source = join(import.meta.dirname, 'recorder.c');
  await execute(compiler, ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread']);
  return library;
};
