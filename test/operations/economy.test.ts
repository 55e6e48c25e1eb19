import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { checkAll } from '../../src/maintenance/check/check.ts';
import { mergePatch } from '../../src/shared/merge-patch.ts';
import { kill, type RunningService, startApart, TEAM } from '../faults/game.ts';
import { basic, createEmptyDatabase, ENGINES } from '../harness.ts';
import { cheapDraws } from '../statistics.ts';

const CALLERS = 20;
/** Three in the suite; by hand, ECONOMY_KILLS=100 makes about 100,000 operations. */
const KILLS = Number(process.env.ECONOMY_KILLS ?? 3);
const SEED = Number(process.env.ECONOMY_SEED ?? 1);
/** How many operations are answered before a node is killed, about. */
const LIFE = 1000;

const PLAYERS = ['ann', 'bob', 'cyd'];
const THINGS = Array.from({ length: 12 }, (_, number) => `thing-${number}`);
const COUNTERS = ['hits', 'kills', 'wins'];

// biome-ignore lint/suspicious/noExplicitAny: responses of several kinds; what is expected of them is asserted.
type Body = any;

/** An operation, with the key under which it is sent until it is answered. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: Body;
  readonly key: string;
  answer?: { readonly status: number; readonly body: Body };
}

/** Statuses that depend on what others did in the meantime. */
const EXPECTED = new Set([200, 404, 409]);

for (const engine of ENGINES) {
  describe(`an economy with ${CALLERS} callers on ${engine}`, { timeout: 600_000 }, () => {
    test('loses and doubles nothing, however often nodes are killed', async (t) => {
      const { url, drop } = await createEmptyDatabase(engine);
      const nodes: RunningService[] = [await startApart(url)];
      // SQLite has one node.
      if (engine === 'postgres') nodes.push(await startApart(url));
      const next = cheapDraws(SEED);
      const oneOf = <T>(some: readonly T[]): T => some[Math.floor(next() * some.length)] as T;
      let count = 0;

      const request = async (number: number, { method, path, body, key }: Sent) => {
        const { address } = nodes[number % nodes.length] as RunningService;
        const response = await fetch(`${address}${path}`, {
          method,
          body: body === undefined ? undefined : JSON.stringify(body),
          headers: {
            authorization: basic(TEAM.id, TEAM.secret),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(method === 'GET' || method === 'DELETE' ? {} : { 'idempotency-key': key }),
          },
        });
        return { status: response.status, body: JSON.parse(await response.text()), link: response.headers.get('link') };
      };
      /** Its answer stays undefined if it is cut off, or if the node is stopping. */
      const send = async (sent: Sent, number: number): Promise<void> => {
        const answer = await request(number, sent).catch(() => undefined);
        if (answer === undefined || answer.status === 503) return;
        assert.ok(EXPECTED.has(answer.status), `${sent.method} ${sent.path}: ${JSON.stringify(answer)}`);
        sent.answer = answer;
      };
      const newSent = (method: string, path: string, body?: object): Sent => {
        count += 1;
        return { method, path, body, key: `key-${count}` };
      };
      const must = async (method: string, path: string, body?: object): Promise<Body> => {
        const { status, body: answer } = await request(0, newSent(method, path, body));
        assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
        return answer;
      };
      const list = async (path: string): Promise<Body[]> => {
        const rows: Body[] = [];
        for (let after = ''; ; ) {
          const { body, link } = await request(0, newSent('GET', `${path}?limit=1000${after}`));
          rows.push(...body);
          const cursor = /[?&]cursor=([^&>]+)/.exec(link ?? '')?.[1];
          if (cursor === undefined) return rows;
          after = `&cursor=${cursor}`;
        }
      };

      const choose = (): Sent => {
        const path = `/item-instances/${oneOf(THINGS)}`;
        const luck = next();
        const userId = oneOf(PLAYERS);
        if (luck < 0.5) return newSent('PATCH', path, { increment: { [oneOf(COUNTERS)]: 1 } });
        if (luck < 0.6) return newSent('PATCH', path, { increment: { left: -1 }, min: { left: 0 } });
        if (luck < 0.7)
          return newSent('PATCH', path, { data: { [`mark-${Math.floor(next() * 5)}`]: oneOf([1, null]) } });
        if (luck < 0.75) return newSent('PATCH', path, { locked: true });
        if (luck < 0.83) return newSent('PATCH', path, { locked: false });
        if (luck < 0.9)
          return newSent('POST', `${path}/transfer`, { toUserId: userId, toUserSpaceId: `bag-of-${userId}` });
        const place = { spacePositionX: Math.floor(next() * 4), spacePositionY: Math.floor(next() * 4) };
        if (luck < 0.97)
          return newSent('POST', `${path}/move`, { userId, userSpaceId: `bag-of-${userId}`, ...place, swap: true });
        return newSent('POST', `/users/${userId}/spaces/bag-of-${userId}/sort`, {});
      };

      const LEFT = 200;
      const assertHolds = async (all: readonly Sent[]): Promise<void> => {
        for (const id of THINGS) {
          const { data, locked = false } = await must('GET', `/item-instances/${id}`);
          const done = all.filter(({ path, answer }) => path === `/item-instances/${id}` && answer?.status === 200);
          for (const counter of COUNTERS) {
            const answers = done.filter(({ body }) => body.increment?.[counter] !== undefined);
            const seen = answers.map(({ answer }) => answer?.body.data[counter]).sort((a, b) => a - b);
            assert.deepEqual(
              seen,
              Array.from(answers, (_, index) => index + 1),
              `${counter} of ${id}`,
            );
            assert.equal(data[counter] ?? 0, answers.length, `${counter} of ${id}`);
          }
          const spent = done.filter(({ body }) => body.increment?.left !== undefined).length;
          assert.equal(data.left, LEFT - spent);
          assert.ok(data.left >= 0);
          // The history leads from nothing to what is there.
          let state: Body = { left: LEFT };
          let isLocked = false;
          for (const { event, before, after } of await list(`/item-instances/${id}/history`)) {
            if (event !== 'changed') continue;
            if (after.locked !== undefined) {
              assert.equal(before.locked, isLocked);
              isLocked = after.locked;
            }
            for (const [name, value] of Object.entries(before.data ?? {})) assert.deepEqual(state[name], value);
            const gone = Object.keys(before.data ?? {}).map((name) => [name, null]);
            state = mergePatch(mergePatch(state, Object.fromEntries(gone)), after.data ?? {});
          }
          assert.deepEqual([state, isLocked], [data, locked]);
        }
      };

      const stop = async (): Promise<void> => {
        for (const { running } of nodes) {
          kill(running);
          await running.ended;
        }
      };
      const all: Sent[] = [];
      try {
        await must('POST', '/items', { id: 'sword', name: 'Sword' });
        await must('POST', '/spaces', { id: 'bag', name: 'Bag', cols: 4, rows: 4 });
        for (const userId of PLAYERS)
          await must('POST', `/users/${userId}/spaces`, { id: `bag-of-${userId}`, spaceId: 'bag' });
        for (const id of THINGS) {
          const userId = oneOf(PLAYERS);
          const given = { id, itemId: 'sword', userId, userSpaceId: `bag-of-${userId}`, data: { left: LEFT } };
          await must('POST', '/item-instances', given);
        }
        let cutOff = 0;
        for (let killed = 0; killed < KILLS; killed += 1) {
          const victim = killed % nodes.length;
          const least = all.length + LIFE;
          let isStruck = false;
          await Promise.all(
            Array.from({ length: CALLERS }, async (_, number) => {
              while (!isStruck) {
                const sent = choose();
                all.push(sent);
                await send(sent, number);
                if (all.length < least || isStruck) continue;
                isStruck = true;
                kill((nodes[victim] as RunningService).running);
              }
            }),
          );
          await (nodes[victim] as RunningService).running.ended;
          nodes[victim] = await startApart(url);
          const unanswered = all.filter(({ answer }) => answer === undefined);
          cutOff += unanswered.length;
          await Promise.all(unanswered.map(send));
          assert.ok(all.every(({ answer }) => answer !== undefined));
          await assertHolds(all);
        }
        const statuses = Map.groupBy(all, ({ answer }) => answer?.status);
        const figures = [...statuses].map(([status, some]) => `${some.length} with ${status}`).join(', ');
        t.diagnostic(`${all.length} operations (${figures}), ${KILLS} kills, ${cutOff} cut off and sent again`);
        assert.ok(cutOff > 0, 'no kill hit an operation in progress');
        assert.ok((statuses.get(409)?.length ?? 0) > 0);
        await stop();
        const database = openDatabase(url);
        const findings: string[] = [];
        await database.snapshot((snapshot) => checkAll(snapshot, (_, finding) => void findings.push(finding)));
        await database.close();
        assert.deepEqual(findings, []);
      } finally {
        await stop();
        await drop();
      }
    });
  });
}
