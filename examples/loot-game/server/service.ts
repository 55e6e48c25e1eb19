import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../../src/main.ts');

/** The port, or 0 for any if somebody else has it. */
export const freePort = async (wanted: number): Promise<number> => {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(wanted, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return 0;
  probe.close();
  await once(probe, 'close');
  return wanted;
};

interface ServiceOptions {
  readonly databasePath: string;
  readonly port: number;
  readonly teamId: string;
  readonly adminSecret: string;
  readonly print: (text: string) => void;
}

export interface RunningService {
  readonly url: string;
  readonly child: ChildProcess;
  readonly stop: () => Promise<void>;
}

/** Starts Itemwright as a process of its own, as it would run beside a real game server. */
export const startService = async (options: ServiceOptions): Promise<RunningService> => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...{ PATH, HOME, NODE_COMPILE_CACHE },
      HOST: '127.0.0.1',
      PORT: String(options.port),
      DATABASE_URL: `sqlite:${options.databasePath}`,
      ITEMWRIGHT_TEAM_ID: options.teamId,
      ITEMWRIGHT_SECRET: options.adminSecret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const url = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const { level, msg, address } = JSON.parse(line) as { level: number | string; msg: string; address?: string };
      if (msg === 'listening') resolve(String(address));
      if (level === 'warn' || level === 'error' || Number(level) >= 40) options.print(`itemwright: ${line}`);
    });
    exited.then(() => reject(new Error(`Itemwright did not start:\n${said.join('')}`)));
  });
  return {
    url: await url,
    child,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
};
