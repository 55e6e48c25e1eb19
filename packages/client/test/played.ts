/** Rolls of several players, and what the database must have after them. */
import assert from 'node:assert/strict';
import type { Service } from '../../../test/harness.ts';
import type { Client, RollResult, TemplateRoll } from '../src/index.ts';

export const BANNERS = ['banner-a', 'banner-b'];

/** What calls resolved to, of one player. */
export interface Played {
  readonly userId: string;
  readonly plain: RollResult[];
  readonly banner: TemplateRoll[];
}

export const prepareBanners = async (client: Client): Promise<void> => {
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

/** Asserts that the database has exactly what the calls resolved to. */
export const assertTookEffectOnce = async (service: Service, direct: Client, all: readonly Played[]): Promise<void> => {
  let rolled = 0;
  for (const one of all) {
    const instances = await direct.itemInstances.list({ userId: one.userId }).all(100_000);
    assert.deepEqual(instances.map(({ id }) => id).sort(), idsOf(one).sort());
    await assertCountersMatch(direct, one);
    rolled += instances.length;
  }
  assert.equal(await countEvents(service), rolled);
};

/** Asserts that the network was not fine: connections ended before a request had arrived, and after it. */
export const assertWasCut = (cuts: Readonly<Record<string, number>>): void => {
  for (const part of ['request, before it', 'response, after the request, before it'])
    for (const manner of ['FIN', 'RST']) assert.ok((cuts[`${part}: ${manner}`] ?? 0) > 0, `${part}: ${manner}`);
};
