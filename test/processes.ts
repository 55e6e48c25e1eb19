import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

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

/** A process of ours, with what it said so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Waits until a text was said, on either stream; fails where the process ends before. */
  readonly said: (text: string | RegExp) => Promise<void>;
}

/**
 * Runs a script of the project with these variables and none of our own that could disturb it. In a group of its own
 * it can be killed together with the processes that it starts.
 */
export const run = (
  script: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  { ownGroup = false } = {},
): Running => {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
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
      const look = () => {
        const all = stdout + stderr;
        const found = typeof text === 'string' ? all.includes(text) : text.test(all);
        if (!found && !isOver) return;
        listeners.delete(look);
        if (found) resolve();
        else reject(new Error(`the process ended without saying ${text}:\n${all}`));
      };
      listeners.add(look);
      look();
    });
  return { child, stdout: () => stdout, stderr: () => stderr, ended, said };
};

/** Runs a script to its end. */
export const runToEnd = (script: string, args: readonly string[], environment?: Record<string, string>) =>
  run(script, args, environment).ended;
