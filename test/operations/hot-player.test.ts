import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kill, type RunningService, startApart, TEAM } from '../faults/game.ts';
import { basic, createEmptyDatabase, ENGINES } from '../harness.ts';
import { verified } from '../verified.ts';

const CALLERS = 64;
/** Four in the suite; HOT_KILLS=100 by hand. */
const KILLS = Number(process.env.HOT_KILLS ?? 4);
/** How many rolls are answered before a node is killed, about. */
const LIFE = 150;

// biome-ignore lint/suspicious/noExplicitAny: responses of several kinds; what is expected of them is asserted.
type Body = any;

/** A roll, with the key under which it may be sent again. */
interface Roll {
  readonly key: string;
  answer?: Body;
}

for (const engine of ENGINES) {
  describe(`one player whom ${CALLERS} callers roll for on ${engine}`, { timeout: 300_000 }, () => {
    test('has each roll once and after the one before, however often nodes are killed', async (t) => {
      const { url, drop } = await createEmptyDatabase(engine);
      const nodes: RunningService[] = [await startApart(url)];
      // SQLite has one node.
      if (engine === 'postgres') nodes.push(await startApart(url));
      const addressOf = (number: number): string => (nodes[number % nodes.length] as RunningService).address;
      const call = async (
        address: string,
        method: string,
        path: string,
        body?: object,
        key?: string,
      ): Promise<Body> => {
        const response = await fetch(`${address}${path}`, {
          method,
          body: body === undefined ? undefined : JSON.stringify(body),
          headers: {
            authorization: basic(TEAM.id, TEAM.secret),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(key === undefined ? {} : { 'idempotency-key': key }),
          },
        });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        return JSON.parse(text);
      };
      const must = (method: string, path: string, body?: object): Promise<Body> =>
        call(addressOf(0), method, path, body);
      const rotate = async (clientSeed: string): Promise<void> => {
        const { nextCommitment: commitment, nextManifest: manifest } = await must('POST', '/users/hot/fairness', {});
        await must('POST', '/users/hot/fairness/rotate', { clientSeed, commitment, manifest });
      };
      /** All pages of a list. */
      const list = async (path: string): Promise<Body[]> => {
        const rows: Body[] = [];
        for (let after = ''; ; ) {
          const response = await fetch(`${addressOf(0)}${path}${after}`, {
            headers: { authorization: basic(TEAM.id, TEAM.secret) },
          });
          rows.push(...((await response.json()) as Body[]));
          const next = /[?&]cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
          if (next === undefined) return rows;
          after = `&cursor=${next}`;
        }
      };
      const rolls: Roll[] = [];
      /** Its answer stays undefined if it is cut off. */
      const send = async (roll: Roll, number: number): Promise<void> => {
        try {
          const body = { userId: 'hot', grant: true };
          roll.answer = await call(addressOf(number), 'POST', '/templates/banner/roll', body, roll.key);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
        }
      };
      try {
        for (const id of ['sword', 'shield', 'crown']) await must('POST', '/items', { id, name: id });
        const config = { pool: { itemIds: ['sword', 'shield', 'crown'] }, pityThreshold: 7 };
        await must('POST', '/templates', { id: 'banner', name: 'Banner', config, verifiable: true });
        await rotate('first');
        let cutOff = 0;
        for (let killed = 0; killed < KILLS; killed += 1) {
          const victim = killed % nodes.length;
          const least = rolls.length + LIFE;
          let isStruck = false;
          await Promise.all(
            Array.from({ length: CALLERS }, async (_, number) => {
              while (!isStruck) {
                const roll: Roll = { key: `roll-${rolls.length}` };
                rolls.push(roll);
                await send(roll, number);
                if (rolls.length < least || isStruck) continue;
                isStruck = true;
                kill((nodes[victim] as RunningService).running);
              }
            }),
          );
          await (nodes[victim] as RunningService).running.ended;
          nodes[victim] = await startApart(url);
          const unanswered = rolls.filter(({ answer }) => answer === undefined);
          cutOff += unanswered.length;
          await Promise.all(unanswered.map(send));
          const receipts = (await list('/users/hot/receipts?limit=1000'))
            .map(({ receipt }) => receipt)
            .filter(({ kind }) => kind === 'roll')
            .sort((a, b) => a.nonce - b.nonce);
          assert.deepEqual(
            receipts.map(({ nonce }) => nonce),
            rolls.map((_, number) => number),
          );
          for (const [number, { before }] of receipts.entries())
            if (number > 0) assert.deepEqual(before, receipts[number - 1].after);
          const nonces = rolls.map(({ answer }) => answer.fairness.nonce).sort((a, b) => a - b);
          assert.deepEqual(
            nonces,
            rolls.map((_, number) => number),
          );
          const has = (await list('/item-instances?userId=hot&limit=1000')).map(({ id }) => id).sort();
          assert.deepEqual(has, rolls.map(({ answer }) => answer.rolls[0].itemInstance.id).sort());
        }
        t.diagnostic(`${rolls.length} rolls, ${KILLS} kills, ${cutOff} rolls cut off and sent again`);
        assert.ok(cutOff > 0, 'no kill hit a roll in progress');
        await rotate('second');
        const { isSound, counts } = verified(await must('GET', '/users/hot/proof?epoch=all'));
        assert.ok(isSound, JSON.stringify(counts));
      } finally {
        for (const { running } of nodes) {
          kill(running);
          await running.ended;
        }
        await drop();
      }
    });
  });
}
