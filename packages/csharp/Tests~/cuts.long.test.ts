/**
 * Rolls from C# over a network that breaks every connection at some point. Each call must succeed, and the database must
 * have exactly what the calls returned.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { createClient } from '../../client/src/index.ts';
import { startCuttingProxy } from '../../client/test/cutting-proxy.ts';
import { assertTookEffectOnce, assertWasCut, type Played, prepareBanners } from '../../client/test/played.ts';
import { noMono, useProgram } from './program.ts';

const CALLS = Number(process.env.CSHARP_ROLLS ?? 1000);

describe('in C#', { skip: noMono }, () => {
  const program = useProgram();

  onEveryDatabase('calls over a network that breaks', (service, engine) => {
    test('take effect once each', { timeout: 900_000 }, async (t) => {
      const { address, teamId, secret } = service();
      const direct = createClient({ url: address, teamId, secret });
      await prepareBanners(direct);
      const proxy = await startCuttingProxy(address, cheapDraws(engine === 'sqlite' ? 1 : 2));
      const startedAt = performance.now();
      let played: Played[];
      try {
        const client = { url: proxy.url, teamId, secret, retries: 40, timeoutMs: 1000 };
        played = await program.get({ do: 'rolls', client, calls: CALLS });
      } finally {
        await proxy.close();
      }
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      t.diagnostic(`${CALLS} calls, ${proxy.connections()} connections in ${seconds} s`);
      for (const [what, count] of Object.entries(proxy.cuts).sort()) t.diagnostic(`${count} × ${what}`);

      assert.equal(played.flatMap(({ plain, banner }) => [...plain, ...banner]).length, CALLS);
      await assertTookEffectOnce(service(), direct, played);
      // Otherwise the network was fine.
      assert.ok(proxy.connections() > CALLS / 5);
      assertWasCut(proxy.cuts);
    });
  });
});
