import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/processes.ts';

export interface Server {
  readonly address: string;
  readonly child: ChildProcess;
  /** Resident memory of it and of its workers, in MiB. */
  readonly memory: () => number;
  readonly stop: () => Promise<void>;
}

/** Resident memory of a process and its children, as the kernel tells; nothing where there is no such kernel. */
const residentMib = (pid: number): number => {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    return children.reduce((sum, child) => sum + residentMib(child), own);
  } catch {
    return Number.NaN;
  }
};

const ROOT = join(import.meta.dirname, '..');

/** The flags of Node with which `npm start` runs the service: what is measured is what is run. */
const startFlags = (): string[] => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
};

/** Starts a script of the project as a process of its own and waits until it listens. */
export const startServer = async (script: string, environment: Record<string, string>): Promise<Server> => {
  const port = await freePort();
  const child = spawn(process.execPath, [...startFlags(), join(ROOT, script)], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: String(port), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${said}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('listening')) resolve();
    });
  });
  return {
    address: `http://127.0.0.1:${port}`,
    child,
    memory: () => residentMib(child.pid as number),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
};
