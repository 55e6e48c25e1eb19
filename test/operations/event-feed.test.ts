import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { kill, type RunningService, startApart, TEAM } from '../faults/game.ts';
import { basic, createEmptyDatabase, ENGINES } from '../harness.ts';

const WRITERS = 64;
const PLAYERS = 200;
/** Two in the suite; EVENT_KILLS=20 by hand. Each comes with a connection that is terminated, on PostgreSQL. */
const KILLS = Number(process.env.EVENT_KILLS ?? 2);
/** How many changes are answered before a node is killed, about. */
const LIFE = 1000;

/** Some commits take a while, as they do with a standby: others, which began later, are then visible earlier. */
const SLOW_COMMITS = `
  create function dawdle() returns trigger language plpgsql as $$ begin
    if random() < 0.05 then perform pg_sleep(0.15 * random()); end if;
    return null;
  end $$;
  create constraint trigger dawdle after insert or update or delete on item_instances deferrable initially deferred
    for each row execute function dawdle()`;

// biome-ignore lint/suspicious/noExplicitAny: responses and events of several kinds; what is expected of them is asserted.
type Body = any;

/** A change, with the key under which it may be sent again. */
interface Change {
  readonly key: string;
  readonly path: string;
  readonly body: object;
  readonly type: string;
  sentMs: number;
  answeredMs: number;
}

const headers = { authorization: basic(TEAM.id, TEAM.secret) };

/** A reader that only follows cursors, whatever happens to nodes. */
interface FeedReader {
  readonly events: Body[];
  readonly done: Promise<void>;
}

for (const engine of ENGINES) {
  describe(`the feed of ${PLAYERS} players on ${engine}`, { timeout: 600_000 }, () => {
    test('has every change once and in order, however often nodes are killed', async (t) => {
      const { url, drop } = await createEmptyDatabase(engine);
      const nodes: RunningService[] = [await startApart(url)];
      // SQLite has one node.
      if (engine === 'postgres') nodes.push(await startApart(url));
      const administrator = engine === 'postgres' ? new pg.Client({ connectionString: url }) : undefined;
      await administrator?.connect();
      await administrator?.query(SLOW_COMMITS);
      const addressOf = (number: number): string => (nodes[number % nodes.length] as RunningService).address;
      let isOver = false;

      const call = async (number: number, path: string, body: object, key: string): Promise<Body> => {
        const response = await fetch(`${addressOf(number)}${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key, 'x-request-id': key },
        });
        const text = await response.text();
        if (response.status === 503) throw new TypeError('unavailable');
        assert.ok(response.status < 500, `${response.status} ${text}`);
        return { status: response.status, body: JSON.parse(text) };
      };

      /** Pages of a reader with a pace of its own; asks another node each time. */
      const follow = (limit: number, pauseMs: number): FeedReader => {
        const events: Body[] = [];
        const read = async (): Promise<void> => {
          let cursor = '0';
          for (let asked = 0; ; asked += 1) {
            try {
              const query = `after=${cursor}&limit=${limit}&wait=1`;
              const response = await fetch(`${addressOf(asked)}/events?${query}`, { headers });
              const page = (await response.json()) as Body;
              if (response.status === 503) continue;
              assert.equal(response.status, 200, JSON.stringify(page));
              events.push(...page.data);
              cursor = page.cursor;
              if (isOver && page.data.length === 0 && !page.hasMore) return;
              if (!isOver) await delay(pauseMs);
            } catch (error) {
              if (error instanceof assert.AssertionError) throw error;
              await delay(50);
            }
          }
        };
        return { events, done: read() };
      };

      /** The same as a stream, which connects again wherever it was. */
      const stream = (): FeedReader => {
        const events: Body[] = [];
        const read = async (): Promise<void> => {
          let cursor = '0';
          let last = '';
          for (let asked = 0; ; asked += 1) {
            const quiet = new AbortController();
            try {
              const response = await fetch(`${addressOf(asked)}/events`, {
                headers: { ...headers, accept: 'text/event-stream', 'last-event-id': cursor },
                signal: quiet.signal,
              });
              if (response.status === 503) continue;
              assert.equal(response.status, 200);
              let text = '';
              const decoder = new TextDecoder();
              let timer: NodeJS.Timeout | undefined;
              for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
                clearTimeout(timer);
                text += decoder.decode(chunk, { stream: true });
                const messages = text.split('\n\n');
                text = messages.pop() as string;
                for (const message of messages) {
                  const data = /^data: (.*)$/m.exec(message)?.[1];
                  if (data !== undefined) events.push(JSON.parse(data));
                  cursor = /^id: (.*)$/m.exec(message)?.[1] ?? cursor;
                }
                last = events.at(-1)?.sequence ?? '';
                timer = setTimeout(() => isOver && quiet.abort(), 3000);
              }
            } catch (error) {
              if (error instanceof assert.AssertionError) throw error;
              if (isOver && quiet.signal.aborted && last !== '') return;
              await delay(50);
            }
          }
        };
        return { events, done: read() };
      };

      const changes: Change[] = [];
      let begun = 0;
      /** Instances that a writer may try to change; others may be faster. */
      const known: { id: string; userId: string }[] = [];
      const random = (most: number): number => Math.floor(Math.random() * most);
      const player = (): string => `player-${random(PLAYERS)}`;

      const next = (): Change => {
        begun += 1;
        const key = `change-${begun}`;
        const start = { key, sentMs: 0, answeredMs: Number.POSITIVE_INFINITY };
        const one = known[random(known.length)];
        const kind = one === undefined ? 0 : random(10);
        if (one === undefined || kind < 3)
          return {
            ...start,
            path: '/item-instances',
            body: { id: key, itemId: 'sword', userId: player() },
            type: 'item_instance.created',
          };
        if (kind < 5)
          return { ...start, path: '/items/roll', body: { userId: player() }, type: 'item_instance.created' };
        if (kind < 9) {
          // Most change the same few instances.
          const hot = known[random(Math.min(20, known.length))] as { id: string; userId: string };
          const to = player();
          return {
            ...start,
            path: '/item-instances/batch',
            body: { operations: [{ type: 'transfer', id: hot.id, userId: hot.userId, toUserId: to }] },
            type: 'item_instance.transferred',
          };
        }
        return {
          ...start,
          path: '/item-instances/batch',
          body: { operations: [{ type: 'delete', id: one.id }] },
          type: 'item_instance.deleted',
        };
      };

      const send = async (change: Change, number: number): Promise<void> => {
        if (change.sentMs === 0) change.sentMs = performance.now();
        try {
          const { status, body } = await call(number, change.path, change.body, change.key);
          change.answeredMs = performance.now();
          if (status >= 400) {
            changes.splice(changes.indexOf(change), 1);
            return;
          }
          const created = body.itemInstance ?? (change.path === '/item-instances' ? body : undefined);
          if (created !== undefined) known.push({ id: created.id, userId: created.userId });
          const { operations } = change.body as Body;
          if (operations?.[0].type === 'transfer')
            for (const one of known) if (one.id === operations[0].id) one.userId = operations[0].toUserId;
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
        }
      };

      try {
        await call(0, '/items', { id: 'sword', name: 'Sword' }, 'sword');
        await Promise.all(
          Array.from({ length: PLAYERS }, (_, number) =>
            call(0, '/users', { id: `player-${number}` }, `user-${number}`),
          ),
        );
        const readers = [follow(7, 0), follow(1000, 300), stream()];
        let cutOff = 0;
        // On an idle machine, a kill may come between two changes; then there is one more.
        for (let killed = 0; killed < KILLS || (cutOff === 0 && killed < 20); killed += 1) {
          const victim = killed % nodes.length;
          const least = changes.length + LIFE;
          let isStruck = false;
          await Promise.all(
            Array.from({ length: WRITERS }, async (_, number) => {
              while (!isStruck) {
                const change = next();
                changes.push(change);
                await send(change, number);
                if (changes.length < least || isStruck) continue;
                isStruck = true;
                await administrator?.query(
                  `select pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`,
                );
                kill((nodes[victim] as RunningService).running);
              }
            }),
          );
          await (nodes[victim] as RunningService).running.ended;
          nodes[victim] = await startApart(url);
          const unanswered = changes.filter(({ answeredMs }) => answeredMs === Number.POSITIVE_INFINITY);
          cutOff += unanswered.length;
          for (
            let tries = 0;
            tries < 600 && unanswered.some(({ answeredMs }) => answeredMs === Number.POSITIVE_INFINITY);
            tries += 1
          ) {
            await Promise.all(
              unanswered
                .filter(({ answeredMs }) => answeredMs === Number.POSITIVE_INFINITY)
                .map((change, number) => send(change, number)),
            );
            await delay(100);
          }
        }
        await delay(2000);
        isOver = true;
        await Promise.all(readers.map(({ done }) => done));
        const [first, ...others] = readers.map(({ events }) => events) as [Body[], ...Body[][]];
        for (const other of others)
          assert.deepEqual(
            other.map(({ id }) => id),
            first.map(({ id }) => id),
          );
        for (const [index, { sequence }] of first.entries())
          if (index > 0) assert.ok(sequence > first[index - 1].sequence, 'sequences rise');

        // Each change that was answered is there once.
        const times = new Map<string, number>();
        for (const { requestid, type } of first)
          times.set(`${requestid} ${type}`, (times.get(`${requestid} ${type}`) ?? 0) + 1);
        for (const { key, type, answeredMs } of changes) {
          assert.ok(answeredMs < Number.POSITIVE_INFINITY, `${key} was never answered`);
          assert.equal(times.get(`${key} ${type}`), 1, `${key} ${type}`);
        }

        // What was answered before another change was sent comes first.
        const byKey = new Map(changes.map((change) => [change.key, change]));
        let latestSentMs = 0;
        for (const { requestid } of first) {
          const change = byKey.get(requestid);
          if (change === undefined) continue;
          assert.ok(change.answeredMs >= latestSentMs, `${requestid} comes too late`);
          latestSentMs = Math.max(latestSentMs, change.sentMs);
        }

        // Replaying the events gives the tables.
        const owners = new Map<string, string>();
        for (const { type, data } of first) {
          if (type === 'item_instance.created') {
            assert.ok(!owners.has(data.id), `${data.id} is created twice`);
            owners.set(data.id, data.userId);
          }
          if (type === 'item_instance.transferred') {
            assert.equal(owners.get(data.id), data.before.userId, `${data.id} changes hands`);
            owners.set(data.id, data.userId);
          }
          if (type === 'item_instance.deleted') {
            assert.equal(owners.get(data.id), data.userId, `${data.id} is deleted`);
            owners.delete(data.id);
          }
        }
        const stored = new Map<string, string>();
        for (let after = ''; ; ) {
          const response = await fetch(`${addressOf(0)}/item-instances?limit=1000${after}`, { headers });
          for (const { id, userId } of (await response.json()) as Body[]) stored.set(id, userId);
          const cursor = /[?&]cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
          if (cursor === undefined) break;
          after = `&cursor=${cursor}`;
        }
        assert.deepEqual([...owners].sort(), [...stored].sort());
        t.diagnostic(`${changes.length} changes, ${first.length} events, ${KILLS} kills, ${cutOff} changes cut off`);
        assert.ok(cutOff > 0, 'no kill hit a change in progress');
      } finally {
        isOver = true;
        await administrator?.end();
        for (const { running } of nodes) {
          kill(running);
          await running.ended;
        }
        await drop();
      }
    });
  });
}
