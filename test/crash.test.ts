import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../src/database/open.ts';
import {
  BANNERS,
  type Caller,
  createCallers,
  PLAIN,
  prepareCatalog,
  type Request,
  type Sight,
} from './crash-callers.ts';
import { type Answer, basic, createEmptyDatabase } from './harness.ts';
import { assertInventoriesHold } from './inventories.ts';
import { startPostgres } from './postgres.ts';
import { type Running, run } from './processes.ts';
import { cheapDraws } from './statistics.ts';

/** Two in the suite; CRASH_KILLS=1000 by hand. Another seed kills at other moments. */
const KILLS = Number(process.env.CRASH_KILLS ?? 2);
/** All of the history is looked at after each kill, so a new database begins before it is too long. */
const KILLS_A_DATABASE = 25;
const SEED = Number(process.env.CRASH_SEED ?? 1);
/** How many answers a life of the service gives before it is killed, at least and at most. */
const LIFE = { shortest: 50, longest: 300 };
const TEAM = { id: 'team', secret: 'a-secret-of-the-crash-test' };

interface RunningService {
  readonly address: string;
  readonly running: Running;
}

/** The service as `npm start` runs it, in processes of its own that are killed together. */
const start = async (databaseUrl: string, workers: number): Promise<RunningService> => {
  const environment = {
    ...{ PORT: '0', DATABASE_URL: databaseUrl, WORKERS: String(workers) },
    ...{ ITEMWRIGHT_TEAM_ID: TEAM.id, ITEMWRIGHT_SECRET: TEAM.secret },
  };
  const running = run('src/main.ts', [], environment, { ownGroup: true });
  await running.said('"msg":"listening"');
  return { address: /"address":"([^"]+)"/.exec(running.stdout())?.[1] as string, running };
};

const kill = ({ child }: Running): void => {
  if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
};

/** What is killed, and how things go on. */
interface Scene {
  readonly url: string;
  readonly strike: (service: RunningService) => Promise<void>;
  /** Done once there is a service again whose data nobody else is busy with. */
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
  return { url, strike: strikeService, recover: () => start(url, 1), drop };
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
      // A commit that had reached the server before the kill may still be under way there.
      const connections = "select count(*)::int as count from pg_stat_activity where datname = 'crash'";
      while ((await watcher.query(connections)).rows[0].count > 0) await pause(5);
    },
    recover: (_, kills) => start(url, kills % 5 === 1 ? 2 : 1),
    drop: async () => {
      await watcher.end();
      await postgres.stop();
    },
  };
};

/** The server with all its processes is killed, and started again. The service stays. */
const killPostgres = async (): Promise<Scene> => {
  const postgres = await startPostgres({ durable: true });
  return {
    url: await postgres.create('crash'),
    strike: () => postgres.crash(),
    recover: async (service) => {
      await postgres.resume();
      while ((await fetch(`${service.address}/readyz`)).status !== 200) await pause(20);
      return service;
    },
    drop: () => postgres.stop(),
  };
};

/** A request as it is sent, and sent again. */
interface Sent extends Request {
  readonly requestId: string;
  readonly key: string | undefined;
}

interface Told extends Answer {
  readonly text: string;
}

const send = async (address: string, { method, path, body, requestId, key }: Sent): Promise<Told> => {
  const response = await fetch(`${address}${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: {
      authorization: basic(TEAM.id, TEAM.secret),
      'x-request-id': requestId,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
};

/** Whether the last request of a caller, which was cut off, is there; undefined where nobody can tell. */
type Found = Map<Caller, boolean | undefined>;

const isReplayed = ({ headers }: Told): boolean => headers.get('idempotency-replayed') === 'true';

const createSight = (address: () => string): Sight => {
  const ask = (method: string, path: string, body?: object) =>
    send(address(), { method, path, body, requestId: 'sight', key: undefined });
  return {
    must: async (method, path, body) => {
      const answer = await ask(method, path, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
    get: (path) => ask('GET', path),
    list: async (path) => {
      const rows = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const { status, body, headers, text }: Told = await ask('GET', next);
        assert.equal(status, 200, text);
        rows.push(...body);
        next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
      }
      return rows;
    },
  };
};

type Counts = Map<string, Map<string, number>>;
const SCOPES = [PLAIN, ...BANNERS];
const sum = (counts: Iterable<number>): number => Iterator.from(counts).reduce((total, count) => total + count, 0);
const totalOf = (counts: Counts, scope: string): number => sum(counts.get(scope)?.values() ?? []);
const perScope = (): Map<string, number> => new Map(SCOPES.map((scope) => [scope, 0]));
const countIn = (values: ReadonlyMap<string, number>, scope: string): number => values.get(scope) ?? 0;
const add = (values: Map<string, number>, scope: string, count: number): void =>
  void values.set(scope, countIn(values, scope) + count);
const emptyCounts = (): Counts => new Map(SCOPES.map((scope) => [scope, new Map()]));

/** What the statistics say of one filter, which must agree with itself. */
const readStatistics = async ({ get }: Sight, query: string) => {
  const { body: statistics } = await get(`/roll-events/stats${query}`);
  const { body: rates } = await get(`/roll-events/drop-rates${query}`);
  const { totalRolls, uniqueItems, rollsByDay, rollsByTemplate } = statistics;
  const counts = new Map<string, number>();
  for (const { itemId, dropCount, dropRate } of rates) {
    counts.set(itemId, dropCount);
    assert.equal(dropRate, dropCount / totalRolls);
  }
  const ofDays = sum(rollsByDay.map(({ count }: { count: number }) => count));
  assert.deepEqual([sum(counts.values()), ofDays, counts.size], [totalRolls, totalRolls, uniqueItems], query);
  return { counts, totalRolls, rollsByTemplate };
};

/** The counters of the service, of plain rolls and of each template, all of which must agree with each other. */
const readCounts = async (sight: Sight): Promise<Counts> => {
  const all = await readStatistics(sight, '');
  const found = emptyCounts().set(PLAIN, all.counts);
  for (const templateId of BANNERS) {
    const { counts, totalRolls, rollsByTemplate } = await readStatistics(sight, `?templateId=${templateId}`);
    assert.equal(all.rollsByTemplate[templateId] ?? 0, totalRolls);
    assert.deepEqual(rollsByTemplate, totalRolls === 0 ? {} : { [templateId]: totalRolls });
    found.set(templateId, counts);
    for (const [itemId, count] of counts) all.counts.set(itemId, (all.counts.get(itemId) ?? 0) - count);
  }
  for (const [itemId, count] of all.counts) assert.ok(count >= 0, `${itemId} by templates more often than at all`);
  return found;
};

const createLedger = () => {
  const seen = emptyCounts();
  const unseen = perScope();
  return {
    rolled: (scope: string, itemId: string) => {
      add(seen.get(scope) as Map<string, number>, itemId, 1);
    },
    rolledUnseen: (scope: string, count: number) => add(unseen, scope, count),
    total: (scope: string): number => totalOf(seen, scope) + countIn(unseen, scope),
    assertCounted: (found: Counts): void => {
      for (const [scope, counts] of seen)
        for (const [itemId, count] of counts)
          assert.ok((found.get(scope)?.get(itemId) ?? 0) >= count, `an answered roll of ${itemId} is not counted`);
    },
  };
};

const newFigures = () => ({
  kills: 0,
  answered: 0,
  refused: 0,
  cutOff: 0,
  there: 0,
  notThere: 0,
  repeated: 0,
  rolls: 0,
});
type Figures = ReturnType<typeof newFigures>;

/** Kills so many times, and counts what came of it. */
const crash = async (scene: Scene, kills: number, seed: number): Promise<Figures> => {
  let service = await start(scene.url, 1);
  const draws = cheapDraws(seed);
  const below = (bound: number): number => Math.floor(draws() * bound);
  const ledger = createLedger();
  const sight = createSight(() => service.address);
  const callers = createCallers(sight, ledger, seed);
  const figures = newFigures();
  let requests = 0;
  /** What was cut off before it had any effect, and was done when it came again. */
  let happenedNow: Sent[] = [];

  const told = (caller: Caller, answer: Told): void => {
    caller.answered(answer);
    figures[answer.status === 200 ? 'answered' : 'refused'] += 1;
  };

  /** Lets everyone call until something is killed, and tells what was cut off. */
  const live = async (): Promise<Map<Caller, Sent>> => {
    const cutOff = new Map<Caller, Sent>();
    let left = LIFE.shortest + below(LIFE.longest - LIFE.shortest);
    let struck: Promise<void> | undefined;
    const drive = async (caller: Caller): Promise<void> => {
      for (;;) {
        const request = caller.next();
        requests += 1;
        const isKeyed = request.method === 'POST' && requests % 3 === 0;
        const sent = { ...request, requestId: `request-${requests}`, key: isKeyed ? `key-${requests}` : undefined };
        const answer = await send(service.address, sent).catch(() => undefined);
        // Without its database the service cannot tell either what became of a request.
        if (answer === undefined || (answer.status === 503 && struck !== undefined)) {
          cutOff.set(caller, sent);
          return;
        }
        told(caller, answer);
        left -= 1;
        // Not at the very moment of an answer, which would be a moment of one kind.
        if (left === 0) struck = pause(below(15)).then(() => scene.strike(service));
      }
    };
    await Promise.all(callers.map(drive));
    assert.ok(struck !== undefined, `it ended by itself: ${service.running.stderr()}`);
    await struck;
    figures.kills += 1;
    figures.cutOff += cutOff.size;
    return cutOff;
  };

  /** What is counted is what was answered and what was found, and at most what nobody can tell more. */
  const assertCountsFit = (counted: Counts, cutOff: ReadonlyMap<Caller, Sent>, isThere: Found): void => {
    const [found, perhaps] = [perScope(), perScope()];
    for (const [caller, { rolls }] of cutOff) {
      if (rolls === undefined || isThere.get(caller) === false) continue;
      add(isThere.get(caller) === true ? found : perhaps, rolls.templateId, rolls.count);
    }
    for (const scope of SCOPES) {
      const total = totalOf(counted, scope);
      const least = ledger.total(scope) + countIn(found, scope);
      const most = least + countIn(perhaps, scope);
      assert.ok(total >= least && total <= most, `${scope || 'plain'}: ${total} rolls, not ${least} to ${most}`);
    }
    ledger.assertCounted(counted);
  };

  /** Sends what was cut off again with its key, twice: it happens now unless it has happened, and never again. */
  const repeat = async (caller: Caller, sent: Sent, wasThere: boolean | undefined): Promise<boolean> => {
    const again = await send(service.address, sent);
    const replayed = isReplayed(again);
    if (wasThere !== undefined) assert.equal(replayed, wasThere, `${caller.name}: stored together with its effect`);
    if (again.status === 200) {
      const third = await send(service.address, sent);
      assert.deepEqual([third.status, third.text, isReplayed(third)], [200, again.text, true]);
    }
    told(caller, again);
    figures.repeated += 1;
    if (again.status === 200 && !replayed) happenedNow.push(sent);
    return replayed;
  };

  /** Looks at what is there after a kill, and brings what was cut off to an end. */
  const settle = async (cutOff: ReadonlyMap<Caller, Sent>): Promise<void> => {
    const opened = openDatabase(scene.url);
    await assertInventoriesHold({ database: opened }).finally(() => opened.close());
    const isThere: Found = new Map();
    await Promise.all(callers.map(async (caller) => isThere.set(caller, await caller.look(cutOff.get(caller)))));
    const counted = await readCounts(sight);
    assertCountsFit(counted, cutOff, isThere);

    happenedNow = [];
    let unsure = 0;
    for (const [caller, sent] of cutOff) {
      let there = isThere.get(caller);
      if (sent.key !== undefined) there = await repeat(caller, sent, there);
      else if (there === true) caller.accept();
      else if (there === undefined && sent.rolls !== undefined) unsure += 1;
      figures[there === true ? 'there' : 'notThere'] += 1;
    }

    await Promise.all(callers.map((caller) => (cutOff.get(caller)?.key === undefined ? undefined : caller.look())));
    const added = perScope();
    for (const { rolls } of happenedNow) if (rolls !== undefined) add(added, rolls.templateId, rolls.count);
    const recounted = await readCounts(sight);
    for (const scope of SCOPES) {
      const total = totalOf(recounted, scope);
      assert.equal(total - totalOf(counted, scope), countIn(added, scope), 'a repeat is counted once');
      // Nobody but the counter can tell whether a plain roll without a key was made.
      const unseen = total - ledger.total(scope);
      assert.ok(unseen >= 0 && unseen <= (scope === PLAIN ? unsure : 0), `${unseen} rolls that nobody made`);
      ledger.rolledUnseen(scope, unseen);
      figures.there += unseen;
      figures.notThere -= unseen;
    }
    ledger.assertCounted(recounted);
  };

  try {
    await prepareCatalog(sight);
    for (const { prepare } of callers) await prepare();
    while (figures.kills < kills) {
      const cutOff = await live();
      service = await scene.recover(service, figures.kills);
      await settle(cutOff);
    }
  } finally {
    kill(service.running);
  }
  figures.rolls = sum(SCOPES.map((scope) => ledger.total(scope)));
  return figures;
};

const describeFigures = (figures: Figures): string => {
  const { kills, answered, refused, cutOff, there, notThere, repeated, rolls } = figures;
  return `${kills} kills; ${answered} writes answered and all found, ${refused} refused; ${cutOff} cut off, of which ${there} are there as a whole and ${notThere} not at all; ${repeated} of them sent again with their key; ${rolls} rolls counted`;
};

for (const [name, createScene] of [
  ['a service on sqlite that is killed again and again under load', killServiceOnSqlite],
  ['a service on postgres that is killed again and again under load', killServiceOnPostgres],
  ['a service whose PostgreSQL is killed again and again under load', killPostgres],
] as const) {
  describe(name, { skip: createScene === killPostgres && process.platform !== 'linux' && 'needs /proc' }, () => {
    test('has every write that it answered, and nothing half done', async (t) => {
      const total = newFigures();
      while (total.kills < KILLS) {
        const scene = await createScene();
        const kills = Math.min(KILLS_A_DATABASE, KILLS - total.kills);
        const figures = await crash(scene, kills, SEED + total.kills).finally(scene.drop);
        for (const name of Object.keys(figures) as (keyof Figures)[]) total[name] += figures[name];
      }
      t.diagnostic(describeFigures(total));
      assert.ok(total.cutOff > 0, 'no kill met a request under way');
    });
  });
}
