/**
 * Rolls over a network that breaks every connection at some point. Each call must resolve, and the database must have
 * exactly what the calls resolved to. `CLIENT_ROLLS=10000` makes it as many calls.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { type Client, createClient } from '../src/index.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { assertTookEffectOnce, assertWasCut, BANNERS, type Played, prepareBanners } from './played.ts';

const CALLS = Number(process.env.CLIENT_ROLLS ?? 400);
const PLAYERS = 8;
/** Calls at the same time per player. */
const AT_ONCE = 4;

/** Several players at the same time, each with several calls at the same time. */
const play = async (client: Client): Promise<Played[]> => {
  let left = CALLS;
  const players = Array.from({ length: PLAYERS }, (_, number) => {
    const played: Played = { userId: `player-${number}`, plain: [], banner: [] };
    const call = async (): Promise<void> => {
      for (; left > 0; ) {
        left -= 1;
        const { userId } = played;
        if (left % 2 === 0) played.plain.push(await client.items.roll({ userId }));
        else {
          const templateId = BANNERS[left % 4 === 1 ? 0 : 1] as string;
          const count = left % 10 === 1 ? 10 : 1;
          played.banner.push(await client.templates.roll(templateId, { userId, count, grant: true }));
        }
      }
    };
    return Promise.all(Array.from({ length: AT_ONCE }, call)).then(() => played);
  });
  return Promise.all(players);
};

onEveryDatabase('calls over a network that breaks', (service, engine) => {
  test('take effect once each', { timeout: 900_000 }, async (t) => {
    const { address, teamId, secret } = service();
    const direct = createClient({ url: address, teamId, secret });
    await prepareBanners(direct);
    const proxy = await startCuttingProxy(address, cheapDraws(engine === 'sqlite' ? 1 : 2));
    const startedAt = performance.now();
    let played: Played[];
    let requests = 0;
    try {
      const client = createClient({
        url: proxy.url,
        teamId,
        secret,
        retries: 40,
        timeoutMs: 1000,
        fetch: (...given) => {
          requests += 1;
          return fetch(...given);
        },
      });
      played = await play(client);
    } finally {
      await proxy.close();
    }
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    t.diagnostic(`${CALLS} calls, ${requests} requests, ${proxy.connections()} connections in ${seconds} s`);
    for (const [what, count] of Object.entries(proxy.cuts).sort()) t.diagnostic(`${count} × ${what}`);

    assert.equal(played.flatMap(({ plain, banner }) => [...plain, ...banner]).length, CALLS);
    await assertTookEffectOnce(service(), direct, played);
    // Otherwise the network was fine.
    assert.ok(requests > 1.2 * CALLS);
    assertWasCut(proxy.cuts);
  });
});
