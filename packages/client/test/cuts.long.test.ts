/**
 * Rolls over a network that breaks every connection at some point. Each call must resolve, and the database must have
 * exactly what the calls resolved to. `CLIENT_ROLLS=10000` makes it as many calls.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryDatabase, type Service } from '../../../test/harness.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { type Client, createClient, type RollResult, type TemplateRoll } from '../src/index.ts';
import { startCuttingProxy } from './cutting-proxy.ts';

const CALLS = Number(process.env.CLIENT_ROLLS ?? 400);
const PLAYERS = 8;
/** Calls at the same time per player. */
const AT_ONCE = 4;
const BANNERS = ['banner-a', 'banner-b'];

/** What calls resolved to, of one player. */
interface Played {
  readonly userId: string;
  readonly plain: RollResult[];
  readonly banner: TemplateRoll[];
}

const prepare = async (client: Client): Promise<void> => {
  const { classifierOptions } = await client.classifiers.create({
    name: 'Rarity',
    classifierOptions: [{ name: 'five' }, { name: 'four' }, { name: 'three' }],
  });
  for (const { id, name } of classifierOptions)
    await client.items.create({ id: name, name, classifierOptionIds: [id] });
  const [five = '', four = '', three = ''] = ['five', 'four', 'three'].map(
    (name) => classifierOptions.find((option) => option.name === name)?.id,
  );
  const baseRates = { [five]: 0.02, [four]: 0.1, [three]: 0.88 };
  for (const id of BANNERS)
    await client.templates.create({ id, name: id, config: { baseRates, pityThreshold: 40, sparkCurrency: 100 } });
};

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

/** Counters after each roll show its place in the order of all rolls: they must fill it, each place once. */
const assertCountersMatch = async (direct: Client, { userId, banner }: Played): Promise<void> => {
  for (const templateId of BANNERS) {
    const own = banner.filter((one) => one.templateId === templateId);
    const sorted = own.toSorted((one, other) => (one.state?.rolls ?? 0) - (other.state?.rolls ?? 0));
    let rolls = 0;
    for (const { rolls: results, state } of sorted) {
      rolls += results.length;
      assert.equal(state?.rolls, rolls, `a roll of ${userId} on ${templateId} is missing or doubled`);
    }
    const state = await direct.users.templateState(userId, templateId);
    assert.equal(state.rolls, rolls);
    assert.deepEqual(state, sorted.at(-1)?.state ?? state);
  }
};

const idsOf = ({ plain, banner }: Played): (string | undefined)[] => [
  ...plain.map(({ itemInstance }) => itemInstance?.id),
  ...banner.flatMap(({ rolls }) => rolls.map(({ itemInstance }) => itemInstance?.id)),
];

const countEvents = ({ database, teamId }: Service): Promise<number> =>
  database.read(teamId, async ({ queries }) => {
    const rows = await queries.selectFrom('roll_events').select('results').where('team_id', '=', teamId).execute();
    return rows.reduce((sum, { results }) => sum + JSON.parse(results).flat().length, 0);
  });

onEveryDatabase('calls over a network that breaks', (service, engine) => {
  test('take effect once each', { timeout: 900_000 }, async (t) => {
    const { address, teamId, secret } = service();
    const direct = createClient({ url: address, teamId, secret });
    await prepare(direct);
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
    let rolled = 0;
    for (const one of played) {
      const instances = await direct.itemInstances.list({ userId: one.userId }).all(100_000);
      assert.deepEqual(instances.map(({ id }) => id).sort(), idsOf(one).sort());
      await assertCountersMatch(direct, one);
      rolled += instances.length;
    }
    assert.equal(await countEvents(service()), rolled);
    // Otherwise the network was fine.
    assert.ok(requests > 1.2 * CALLS);
    for (const part of ['request, before it', 'response, after the request, before it'])
      for (const manner of ['FIN', 'RST']) assert.ok((proxy.cuts[`${part}: ${manner}`] ?? 0) > 0, `${part}: ${manner}`);
  });
});
