import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  addFigures,
  createGame,
  describeFigures,
  type Figures,
  kill,
  newFigures,
  type RunningService,
  startApart,
} from '../faults/game.ts';
import { createEmptyDatabase } from '../harness.ts';
import { startPostgres } from '../postgres.ts';
import { cheapDraws } from '../statistics.ts';

/** Two in the suite; CRASH_KILLS=1000 by hand. Another seed kills at other moments. */
const KILLS = Number(process.env.CRASH_KILLS ?? 2);
/** The whole history is checked after each kill, so start a new database before it gets too long. */
const KILLS_PER_DATABASE = 25;
const SEED = Number(process.env.CRASH_SEED ?? 1);
/** The minimum and maximum number of responses of the service before it is killed. */
const LIFE = { shortest: 50, longest: 300 };

/** Waits for something that should happen within seconds. */
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  for (const deadline = performance.now() + 60_000; !(await isSo()); ) {
    assert.ok(performance.now() < deadline, `still not so after a minute: ${isSo}`);
    await pause(10);
  }
};

/** What is killed, and how it continues. */
interface Scene {
  readonly url: string;
  readonly strike: (service: RunningService) => Promise<void>;
  /** Resolves once the service runs again and nothing else is working on its data. */
  readonly recover: (service: RunningService, kills: number) => Promise<RunningService>;
  readonly drop: () => Promise<void>;
}

const strikeService = async ({ running }: RunningService): Promise<void> => {
  kill(running);
  await running.ended;
  assert.equal(running.child.signalCode, 'SIGKILL', `it ended by itself: ${running.stderr()}`);
};

const killServiceOnSqlite = async (): Promise<Scene> => {
  const { url, drop } = await createEmptyDatabase('sqlite');
  return { url, strike: strikeService, recover: () => startApart(url), drop };
};

const killServiceOnPostgres = async (): Promise<Scene> => {
  const postgres = await startPostgres({ durable: true });
  const url = await postgres.create('crash');
  const watcher = new pg.Client({ connectionString: postgres.url('postgres') });
  await watcher.connect();
  return {
    url,
    strike: async (service) => {
      await strikeService(service);
      // A commit that reached the server before the kill may still be running there.
      const connections = "select count(*)::int as count from pg_stat_activity where datname = 'crash'";
      await until(async () => (await watcher.query(connections)).rows[0].count === 0);
    },
    recover: (_, kills) => startApart(url, { WORKERS: kills % 5 === 1 ? '2' : '1' }),
    drop: async () => {
      await watcher.end();
      await postgres.stop();
    },
  };
};

/** Kills the server with all its processes, and starts it again. The service keeps running. */
const killPostgres = async (): Promise<Scene> => {
  const postgres = await startPostgres({ durable: true });
  return {
    url: await postgres.create('crash'),
    strike: () => postgres.crash(),
    recover: async (service) => {
      await postgres.resume();
      await until(async () => (await fetch(`${service.address}/readyz`)).status === 200);
      return service;
    },
    drop: () => postgres.stop(),
  };
};

/** Kills repeatedly, and counts the outcomes. */
const crash = async (scene: Scene, kills: number, seed: number): Promise<Figures> => {
  let service = await startApart(scene.url);
  const draws = cheapDraws(seed);
  const below = (bound: number): number => Math.floor(draws() * bound);
  const game = createGame({ seed, addresses: () => [service.address], databaseUrl: () => scene.url });
  try {
    await game.prepare();
    for (let killed = 1; killed <= kills; killed += 1) {
      const cutOff = await game.play({
        afterResponses: LIFE.shortest + below(LIFE.longest - LIFE.shortest),
        delayMs: below(15),
        strike: () => scene.strike(service),
      });
      service = await scene.recover(service, killed);
      await game.settle(cutOff);
    }
  } finally {
    kill(service.running);
  }
  return game.figures();
};

for (const [name, createScene] of [
  ['a service on sqlite that is killed again and again under load', killServiceOnSqlite],
  ['a service on postgres that is killed again and again under load', killServiceOnPostgres],
  ['a service whose PostgreSQL is killed again and again under load', killPostgres],
] as const) {
  describe(name, { skip: createScene === killPostgres && process.platform !== 'linux' && 'needs /proc' }, () => {
    test('has every acknowledged write, and nothing half done', async (t) => {
      const total = newFigures();
      for (let killed = 0; killed < KILLS; killed += KILLS_PER_DATABASE) {
        const scene = await createScene();
        const kills = Math.min(KILLS_PER_DATABASE, KILLS - killed);
        addFigures(total, await crash(scene, kills, SEED + killed).finally(scene.drop));
        // A long run shows how far it is.
        if (KILLS > KILLS_PER_DATABASE) process.stderr.write(`${killed + kills} kills; ${describeFigures(total)}\n`);
      }
      t.diagnostic(`${KILLS} kills; ${describeFigures(total)}`);
      assert.ok(total.cutOff > 0, 'no kill hit a request in progress');
    });
  });
}
