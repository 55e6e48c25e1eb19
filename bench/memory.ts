/**
 * Resident memory of the service with one large catalog, as reported by the kernel: idle, after the first roll, which
 * loads and compiles the catalog, and after many rolls. The peak counts too, since that is what gets a container
 * killed. `node bench/memory.ts [items]`, by default 100,000; on SQLite.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, createTeamOfItems } from './fixture.ts';
import { measure } from './load.ts';
import { type Server, startServer } from './processes.ts';

const ITEMS = Number(process.argv[2] ?? 100_000);
const GOAL_MIB = 300;
const ROLLS_S = 5;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Current and peak resident memory, in MiB. */
const residentMib = ({ pid }: Server): { now: number; peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
};

const show = (moment: string, service: Server): void => {
  const { now, peak } = residentMib(service);
  print(`${moment.padEnd(34)}${now.toFixed(0).padStart(6)} MiB${peak.toFixed(0).padStart(10)} MiB at its peak`);
};

const folder = await mkdtemp(join(tmpdir(), 'itemwright-memory-'));
const databaseUrl = `sqlite:${join(folder, 'memory.db')}`;
try {
  const first = await startServer('src/main.ts', { DATABASE_URL: databaseUrl });
  const made = await createTeamOfItems(databaseUrl, first.address, ITEMS, { withBanner: true });
  await first.stop();

  // A separate process, so that the memory used for setup does not count.
  const service = await startServer('src/main.ts', { DATABASE_URL: databaseUrl });
  try {
    show('started', service);
    const team = { ...made, address: service.address };
    const startMs = performance.now();
    await ask(team, 'POST', '/items/roll');
    const firstRollMs = performance.now() - startMs;
    show(`first roll, of ${ITEMS} items`, service);
    const load = { ...team, connections: 64, seconds: ROLLS_S };
    await measure({ ...load, requests: [{ method: 'POST', path: '/items/roll' }] });
    show('plain rolls', service);
    await measure({
      ...load,
      requests: Array.from({ length: 1000 }, (_, user) => ({
        method: 'POST',
        path: '/templates/banner/roll',
        body: JSON.stringify({ userId: `player-${user}` }),
      })),
    });
    show('gacha rolls', service);
    const { peak } = residentMib(service);
    print(`the first roll took ${firstRollMs.toFixed(0)} ms`);
    print(`peak ${peak.toFixed(0)} MiB, goal ${GOAL_MIB}: ${peak <= GOAL_MIB ? 'met' : 'missed'}`);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
