/**
 * Resident memory of the service with one large catalog, as the kernel tells: at rest, after the first roll, which loads
 * and compiles the catalog, and after a stretch of rolls. The peak counts too, since that is what a container is
 * killed for. `node bench/memory.ts [items]`, 100,000 unless told; the databases are SQLite.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, createTeamOfItems, makeBanner } from './fixture.ts';
import { measure } from './load.ts';
import { type Server, startServer } from './processes.ts';

const ITEMS = Number(process.argv[2] ?? 100_000);
const GOAL_MIB = 300;
const ROLLS_S = 5;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Resident memory now and at its highest so far, in MiB. */
const residentMib = ({ pid }: Server): { now: number; peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), peak: mib('VmHWM') };
};

const show = (moment: string, service: Server): void => {
  const { now, peak } = residentMib(service);
  say(`${moment.padEnd(34)}${now.toFixed(0).padStart(6)} MiB${peak.toFixed(0).padStart(10)} MiB at its peak`);
};

const folder = await mkdtemp(join(tmpdir(), 'itemwright-memory-'));
const databaseUrl = `sqlite:${join(folder, 'memory.db')}`;
try {
  const first = await startServer('src/main.ts', { DATABASE_URL: databaseUrl });
  const made = await createTeamOfItems(databaseUrl, first.address, ITEMS);
  await makeBanner(made);
  await first.stop();

  // A process of its own: what filling the database took is not part of the figure.
  const service = await startServer('src/main.ts', { DATABASE_URL: databaseUrl });
  try {
    show('started', service);
    const team = { ...made, address: service.address };
    const startMs = performance.now();
    await ask(team, 'POST', '/items/roll');
    const firstRollMs = performance.now() - startMs;
    show(`first roll, of ${ITEMS} items`, service);
    const load = { method: 'POST', connections: 64, authorization: team.authorization } as const;
    await measure({ ...load, url: `${service.address}/items/roll`, seconds: ROLLS_S });
    show('plain rolls', service);
    await measure({
      ...load,
      url: `${service.address}/templates/banner/roll`,
      bodies: Array.from({ length: 1000 }, (_, player) => JSON.stringify({ userId: `player-${player}` })),
      seconds: ROLLS_S,
    });
    show('gacha rolls', service);
    const { peak } = residentMib(service);
    say(`the first roll took ${firstRollMs.toFixed(0)} ms`);
    say(`peak ${peak.toFixed(0)} MiB, goal ${GOAL_MIB}: ${peak <= GOAL_MIB ? 'met' : 'missed'}`);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
