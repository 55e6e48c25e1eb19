import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Postgres, startPostgres } from '../postgres.ts';
import { startProxy } from '../proxy.ts';
import { count, createClocks, createNode, type Events } from './nodes.ts';
import type { Scene } from './scene.ts';
import type { Fault, Kind } from './schedule.ts';

const DATABASE = 'faults';
const NODES = [0, 1];
/** For anything that must happen by itself once a fault is over. */
const PATIENCE_MS = 60_000;
const LOCKED_TABLES = ['users', 'user_states', 'item_instances', 'teams'] as const;
/** As it is sent; every transaction starts with `read committed`. */
const COMMIT = 'commit\0';
const OURS = "from pg_stat_activity where application_name like 'itemwright%'";

const connected = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  // Killing a server breaks idle connections.
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
};

const ask = (server: Postgres, statement: string) =>
  connected(server.url('postgres'), async (client) => (await client.query(statement)).rows);

/** Queries until there is a result, for a minute. */
const until = async (server: Postgres, statement: string): Promise<void> => {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  while ((await ask(server, statement)).length === 0) {
    assert.ok(performance.now() < giveUpAtMs, `still not so: ${statement}`);
    await pause(20);
  }
};

/** A standby that must have every commit before it succeeds. */
const createSynchronousStandby = async (primary: Postgres): Promise<Postgres> => {
  const standby = await primary.createStandby();
  await until(primary, "select 1 from pg_stat_replication where state = 'streaming'");
  await ask(primary, "alter system set synchronous_standby_names = '*'");
  await ask(primary, 'select pg_reload_conf()');
  await until(primary, "select 1 from pg_stat_replication where sync_state = 'sync'");
  return standby;
};

/** Another transaction locks what the service needs. */
const lockOutside = async (url: string, statement: string, lastsMs: number): Promise<boolean> =>
  connected(url, async (client) => {
    try {
      await client.query('begin');
      await client.query(statement);
      await pause(lastsMs);
      await client.query('rollback');
      return true;
    } catch (error) {
      // In a deadlock the server cancels either.
      assert.equal((error as { code?: string }).code, '40P01', String(error));
      return false;
    }
  });

export const createPostgresScene = async (faults: readonly Fault[]): Promise<Scene> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-faults-'));
  const events: Events = {};
  let server = await startPostgres({ durable: true });
  await server.create(DATABASE);
  // Each node has its own role, so that the connections of the nodes can be distinguished.
  for (const node of NODES) await ask(server, `create role node_${node} superuser login password 'node'`);
  const standby = faults.some(({ kind }) => kind === 'failover') ? await createSynchronousStandby(server) : undefined;
  const servers = standby === undefined ? [server] : [server, standby];
  const proxies = await Promise.all(
    servers.map((each) => startProxy({ host: '127.0.0.1', port: Number(new URL(each.url(DATABASE)).port) })),
  );
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join();
  const nodes = NODES.map((node) =>
    createNode(`postgres://node_${node}:node@${hosts}/${DATABASE}`, join(folder, `clock-${node}`)),
  );
  const clocks = createClocks(nodes, events);
  const drop = async (): Promise<void> => {
    for (const node of nodes) await node.kill();
    for (const proxy of proxies) await proxy.close();
    for (const each of servers.reverse()) await each.stop();
    await rm(folder, { recursive: true, force: true });
  };

  /** Stops or kills a node, and restarts it once the server has nothing left of it. */
  const endNode = async (how: 'kill' | 'stop', { choose }: Fault): Promise<void> => {
    const place = choose(nodes.length);
    const node = nodes[place];
    assert.ok(node !== undefined);
    await node[how]();
    await until(server, `select 1 where not exists (select ${OURS} and usename = 'node_${place}')`);
    await node.start();
    count(events, how === 'kill' ? 'kills' : 'stops');
  };

  /** Repeatedly hits some of the running statements. */
  const storm = (signal: 'cancel' | 'terminate', { lastsMs, choose }: Fault): Promise<void> =>
    connected(server.url('postgres'), async (client) => {
      const isOverAtMs = performance.now() + lastsMs;
      do {
        const { rowCount } = await client.query(
          `select pg_${signal}_backend(pid) ${OURS} and state <> 'idle' order by random() limit ${1 + choose(8)}`,
        );
        count(events, signal === 'cancel' ? 'cancels' : 'terminations', rowCount ?? 0);
        await pause(10 + choose(60));
      } while (performance.now() < isOverAtMs);
    });

  const lock = async (statement: string, lastsMs: number): Promise<void> => {
    const isHeld = await lockOutside(server.url(DATABASE), statement, lastsMs);
    count(events, isHeld ? 'lock waits' : 'deadlocks of the outsider');
  };

  const silence = async (lastsMs: number, isCut: boolean): Promise<void> => {
    for (const proxy of proxies) proxy.silence(true);
    await pause(lastsMs);
    for (const proxy of proxies) {
      proxy.silence(false);
      if (isCut) proxy.cut();
    }
    count(events, 'silences');
  };

  const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
    await ask(server, `alter database ${DATABASE} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  };

  /** The server is lost for good. Every acknowledged commit is in the standby, which takes over. */
  const failOver = async (lastsMs: number): Promise<void> => {
    assert.ok(standby !== undefined);
    const [{ lsn }] = await ask(server, 'select pg_current_wal_flush_lsn()::text as lsn');
    await until(
      server,
      `select 1 from pg_stat_replication where sync_state = 'sync' and flush_lsn >= '${lsn}'::pg_lsn`,
    );
    await server.crash();
    await pause(lastsMs);
    server = standby;
    await ask(server, 'select pg_promote()');
    count(events, 'failovers');
  };

  const strikes: Record<Exclude<Kind, 'lock'>, (fault: Fault) => Promise<void>> = {
    kill: (fault) => endNode('kill', fault),
    stop: (fault) => endNode('stop', fault),
    clock: clocks.jump,
    cancel: (fault) => storm('cancel', fault),
    terminate: (fault) => storm('terminate', fault),
    rows: ({ choose, lastsMs }) => {
      const table = LOCKED_TABLES[choose(LOCKED_TABLES.length)];
      return lock(`select 1 from ${table} for update`, lastsMs);
    },
    advisory: ({ lastsMs }) =>
      lock("select pg_advisory_xact_lock(hashtextextended('team' || ' ' || 'grids', 0))", lastsMs),
    cut: async () => {
      for (const proxy of proxies) proxy.cut();
      count(events, 'cuts');
    },
    // The commit takes effect, but the service is never told.
    lostCommit: async ({ lastsMs }) => {
      for (const proxy of proxies) proxy.loseAnswer(COMMIT, 'by cutting');
      await pause(lastsMs);
      for (const proxy of proxies) proxy.loseAnswer(undefined);
      count(events, 'lost commit responses');
    },
    silence: ({ lastsMs }) => silence(lastsMs, true),
    deadSilence: ({ lastsMs }) => silence(lastsMs, false),
    crash: async ({ lastsMs }) => {
      await server.crash();
      await pause(lastsMs);
      await server.resume();
      count(events, 'kills of the server');
    },
    readOnly: async ({ lastsMs }) => {
      await setReadOnly(true);
      await ask(server, `select pg_terminate_backend(pid) ${OURS}`);
      await pause(lastsMs);
      await setReadOnly(false);
      count(events, 'times read-only');
    },
    failover: ({ lastsMs }) => failOver(lastsMs),
  };

  /** Waits until all currently open transactions have ended. A statement may be in flight, so check twice. */
  const quiet = async (): Promise<void> => {
    for (let looks = 0; looks < 2; looks += 1) {
      const open = await ask(server, `select pid, xact_start::text as since ${OURS} and xact_start is not null`);
      for (const { pid, since } of open)
        await until(server, `select 1 where not exists (select ${OURS} and pid = ${pid} and xact_start = '${since}')`);
      await pause(50);
    }
  };

  try {
    await clocks.start();
    for (const node of nodes) await node.start();
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    addresses: () => nodes.map(({ address }) => address()),
    databaseUrl: () => server.url(DATABASE),
    events,
    nowMs: clocks.nowMs,
    clockJumps: clocks.clockJumps,
    pids: () => nodes.flatMap((each) => each.pid() ?? []),
    strike: (fault) => {
      assert.ok(fault.kind !== 'lock');
      return strikes[fault.kind](fault);
    },
    quiet,
    drop,
  };
};
