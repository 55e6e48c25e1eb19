import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

/** A process that takes longer than this to print something, or to exit, hangs. */
const LONGEST_WAIT_MS = 120_000;

const ROOT = join(import.meta.dirname, '..');

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A child process, with its output so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Waits until a text was printed, on either stream; fails if the process exits first, or takes too long. */
  readonly said: (text: string | RegExp) => Promise<void>;
}

/**
 * Runs a script of the project with only these environment variables. It has its own process group, so that it can be
 * killed together with the processes that it starts.
 */
export const run = (
  script: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  { ownGroup = false, cwd = ROOT, node = process.execPath } = {},
): Running => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(node, [resolve(ROOT, script), ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
    notify();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
    notify();
  });
  let isOver = false;
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      isOver = true;
      notify();
      resolve({ code, stdout, stderr });
    });
  });
  const said = (text: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const settle = (why?: string) => {
        clearTimeout(timer);
        listeners.delete(look);
        if (why === undefined) resolve();
        else reject(new Error(`the process ${why} without saying ${text}:\n${stdout}${stderr}`));
      };
      const timer = setTimeout(settle, LONGEST_WAIT_MS, `went on for ${LONGEST_WAIT_MS} ms`);
      const look = () => {
        const all = stdout + stderr;
        if (typeof text === 'string' ? all.includes(text) : text.test(all)) settle();
        else if (isOver) settle('ended');
      };
      listeners.add(look);
      look();
    });
  return { child, stdout: () => stdout, stderr: () => stderr, ended, said };
};

/** Runs a script until it exits, or takes too long. */
export const runToEnd = async (
  script: string,
  args: readonly string[],
  environment?: Record<string, string>,
  options?: { readonly cwd?: string; readonly node?: string },
) => {
  const { child, ended } = run(script, args, environment, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_WAIT_MS);
  const result = await ended;
  clearTimeout(timer);
  if (child.signalCode === 'SIGKILL')
    throw new Error(`${script} took longer than ${LONGEST_WAIT_MS} ms:\n${result.stdout}${result.stderr}`);
  return result;
};
