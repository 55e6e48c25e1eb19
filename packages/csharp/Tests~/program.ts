/** The test program in C#, which makes the calls that a test describes. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import { isInstalled } from '../../../test/docs.ts';

const PACKAGE = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Why these tests are skipped, if they are. */
export const noMono =
  !isInstalled('mcs', 'mono') && 'there is no mono here: install mono-mcs and libmono-system-net-http4.0-cil';

/** Compiles sources of the package with nothing but the libraries of the runtime. Warnings are errors. */
export const compile = async (
  output: string,
  kind: 'exe' | 'library',
  patterns: readonly string[],
  others: readonly string[] = [],
): Promise<void> => {
  const sources = globSync(patterns, { cwd: PACKAGE }).map((file) => join(PACKAGE, file));
  const options = ['-langversion:7.2', '-warnaserror+', '-optimize+', '-r:System.Net.Http.dll'];
  await run('mcs', [...options, `-target:${kind}`, `-out:${output}`, ...sources, ...others]);
};

/** What the program answers. */
// biome-ignore lint/suspicious/noExplicitAny: what a test expects is what it asserts; a type would only repeat it.
export type Answered = any;

export interface Program {
  /** The result of a command, or its error. */
  readonly ask: (command: object) => Promise<{ readonly data?: Answered; readonly error?: Answered }>;
  /** The result of a command, which must not fail. */
  readonly get: (command: object) => Promise<Answered>;
  /** The error of a command, which must fail. */
  readonly fail: (command: object) => Promise<Answered>;
}

/** Not `readline`, which also ends lines at separators that JSON allows in strings. */
async function* linesOf(output: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  let chunks: Buffer[] = [];
  for await (let chunk of output) {
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n')) {
      yield Buffer.concat([...chunks, chunk.subarray(0, end)]).toString();
      chunks = [];
      chunk = chunk.subarray(end + 1);
    }
    chunks.push(chunk);
  }
}

const start = (folder: string) => {
  const child = spawn('mono', [join(folder, 'tests.exe')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = linesOf(child.stdout);
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  // One command after another.
  let last: Promise<unknown> = Promise.resolve();
  const ask: Program['ask'] = (command) => {
    const answer = last.then(async () => {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value, done } = await lines.next();
      assert.ok(!done, 'the program has ended');
      return JSON.parse(value);
    });
    last = answer.catch(() => {});
    return answer;
  };
  const close = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  return { ask, close };
};

/** For each suite: compiles and starts the program before its tests, and ends it after them. */
export const useProgram = (): Program => {
  let folder: string;
  let program: ReturnType<typeof start>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-csharp-'));
    await compile(join(folder, 'tests.exe'), 'exe', ['Runtime/**/*.cs', 'Tests~/*.cs']);
    program = start(folder);
  });
  after(async () => {
    await program.close();
    await rm(folder, { recursive: true });
  });
  const ask: Program['ask'] = (command) => program.ask(command);
  return {
    ask,
    get: async (command) => {
      const { data, error } = await ask(command);
      assert.equal(error, undefined, JSON.stringify(error));
      return data;
    },
    fail: async (command) => {
      const { data, error } = await ask(command);
      assert.ok(error !== undefined, JSON.stringify(data));
      return error;
    },
  };
};
