/** What is published besides odds: attributes, depths, accrual, the pity group, announced changes; and the languages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAtAll, recordAll } from '../../../test/chores.ts';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid } from '../../../test/rules.ts';
import { cheapDraws } from '../../../test/statistics.ts';

const NOON = Date.parse('2026-11-14T12:00:00.000Z');
const MINUTE = 60_000;
const baseRates = { five: 0.1, three: 0.9 };
const LANGUAGES = ['en', 'ja', 'ko', 'zh', 'de'];

const itemAttributes = [
  { id: 'a1', attributeId: 'attack', min: 10, max: 20 },
  { id: 'a2', attributeId: 'crit', min: 0, max: 0.3 },
  { id: 'a3', attributeId: 'luck', min: 0.5, max: 1.5 },
];
const templates = [
  { id: 'winter', type: 'gacha', config: { baseRates, pityThreshold: 20, pityGroup: 'limited' }, disclosure: 'public' },
  { id: 'spring', type: 'gacha', config: { baseRates, pityThreshold: 20, pityGroup: 'limited' }, disclosure: 'public' },
  {
    id: 'hidden',
    type: 'gacha',
    config: { baseRates, pityThreshold: 20, pityGroup: 'limited' },
    disclosure: 'private',
  },
  { id: 'other', type: 'gacha', config: { baseRates, pityThreshold: 20, pityGroup: 'Limited' }, disclosure: 'public' },
  { id: 'offers', type: 'roguelike', config: { baseRates, depthScaling: { five: 2, three: 0 } }, disclosure: 'public' },
  { id: 'deep', type: 'roguelike', config: { baseRates, depthScaling: { five: 1.5 } }, disclosure: 'public' },
  { id: 'hours', type: 'idle', config: { baseRates, rollsPerHour: 2.5, maxHours: 3 }, disclosure: 'public' },
];
const DOCUMENT = {
  ...{ formatVersion: 1, spaces: [], baseVersion: 0 },
  attributes: ['attack', 'crit', 'luck'].map((id) => ({
    ...{ id, name: `The ${id}`, min: 0, max: 100 },
    ...(id === 'crit' && { step: 0.1 }),
  })),
  classifiers: [
    {
      ...{ id: 'rarity', name: 'Rarity' },
      classifierOptions: ['five', 'three'].map((id) => ({ id, name: id, dropRateMultiplier: null })),
    },
  ],
  items: [
    { id: 'sword', name: 'Sword', classifierOptionIds: ['five'], itemAttributes },
    ...['b', 'c', 'd'].map((id) => ({ id, name: id, classifierOptionIds: ['three'] })),
  ],
  templates: templates.map((template) => ({ name: `The ${template.id}`, ...template })),
};

onEveryDatabase('what is published besides odds', (service) => {
  const newTeam = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    service().setClock(NOON);
    assertDone(await team.post('/catalog/publish', DOCUMENT));
    await recordAll(service());
    return team;
  };
  const read = ({ teamId }: Client, id: string, rest = '/odds') =>
    service().anyone().get(`/public/${teamId}/templates/${id}${rest}`);
  const oddsOf = async (team: Client, id: string) => assertDone(await read(team, id)).body;

  test('lists the ranges of attributes with the odds of each value', async () => {
    const team = await newTeam();
    const { attributes, attributeNames } = await oddsOf(team, 'winter');
    const sword = { itemId: 'sword' };
    assert.deepEqual(attributes, [
      { ...sword, attributeId: 'attack', min: 10, max: 20, step: null, values: 11, odds: 1 / 11 },
      { ...sword, attributeId: 'crit', min: 0, max: 0.3, step: 0.1, values: 4, odds: 0.25 },
      { ...sword, attributeId: 'luck', min: 0.5, max: 1.5, step: null, values: null, odds: null },
    ]);
    assert.deepEqual(attributeNames[0], { id: 'attack', name: 'The attack' });
    assertDone(await team.put('/attributes/attack', { name: 'Strength' }));
    assert.equal((await oddsOf(team, 'winter')).attributeNames[0].name, 'Strength', 'at once');
    assert.match(assertDone(await read(team, 'winter', '')).body, /<bdi>Strength<\/bdi>[\s\S]*9\.091 %/);
  });

  test('gives the odds of offers by depth, as far down as there are any', async () => {
    const team = await newTeam();
    const { depths } = await oddsOf(team, 'deep');
    assert.deepEqual(
      depths.map(({ depth }: { depth: number }) => depth),
      [0, 1, 2, 3, 4, 5, 10, 20, 30, 50, 100],
    );
    for (const depth of [0, 2, 10]) {
      const { tiers } = assertDone(await team.get(`/templates/deep/odds?depth=${depth}`)).body;
      const listed = depths.find((one: { depth: number }) => one.depth === depth).tiers;
      const five = 0.1 * 1.5 ** depth;
      assert.ok(Math.abs(listed[0].rate - five / (five + 0.9)) < 1e-12);
      // Of one five in the pool, an offer of three contains it with three times its share of choices.
      assert.ok(Math.abs(listed[0].contains / 3 - tiers[0].base) < 1e-9, `at depth ${depth}`);
    }
    // Below depth 0, a single item is left for three choices.
    assert.deepEqual((await oddsOf(team, 'offers')).depths.length, 1);
    assert.deepEqual((await oddsOf(team, 'winter')).depths, []);
  });

  test('tells how rolls accrue', async () => {
    const team = await newTeam();
    assert.deepEqual((await oddsOf(team, 'hours')).idle, { rollsPerHour: 2.5, maxHours: 3, maxRolls: 7 });
    assert.equal((await oddsOf(team, 'winter')).idle, null);
    const page = assertDone(await read(team, 'hours', '')).body;
    assert.match(page, /2\.5 rolls per hour, for up to 3 hours \(at most 7 rolls\)/);
  });

  test('names the public templates of a pity group, and no others', async () => {
    const team = await newTeam();
    const others = async () => (await oddsOf(team, 'winter')).pityGroup;
    const spring = { templateId: 'spring', name: 'The spring' };
    assert.deepEqual(await others(), { name: 'limited', templates: [spring] });
    assert.deepEqual((await oddsOf(team, 'other')).pityGroup, { name: 'Limited', templates: [] });
    assert.equal((await oddsOf(team, 'hours')).pityGroup, null);
    assert.match(assertDone(await read(team, 'winter', '')).body, /together with <a href="spring"><bdi>The spring/);
    assertDone(await team.put('/templates/spring', { disclosure: 'private' }));
    assert.deepEqual(await others(), { name: 'limited', templates: [] });
  });

  test('compares results with what was promised for those rolls, not with the long run', async () => {
    const team = await newTeam();
    service().setDraws(cheapDraws(5));
    // Of fresh players, nobody comes near the pity.
    for (let user = 0; user < 20; user += 1)
      assertDone(await team.post('/templates/winter/roll', { userId: `u${user}`, count: 3 }));
    service().setDraws();
    await lookAtAll(service(), { clock: () => NOON });
    const { results, tiers } = await oddsOf(team, 'winter');
    assert.equal(results.tiers[0].expected, 0.1);
    assert.ok(tiers[0].effective > 0.11);
    assert.match(assertDone(await read(team, 'winter', '')).body, /Promised for these<\/th>/);
  });

  test('announces what a scheduled draft will change, if its team wants that', async () => {
    const team = await newTeam();
    const config = { baseRates: { five: 0.2, three: 0.8 }, pityThreshold: 20, pityGroup: 'limited' };
    const { id, name, type, disclosure } = DOCUMENT.templates[0] as (typeof DOCUMENT.templates)[0];
    const after = { id, name, type, disclosure, config };
    const draft = { id: 'soon', name: 'Soon', changes: [{ kind: 'template', id, after }] };
    assertDone(await team.post('/catalog/drafts', draft));
    const publish = (body: object) => team.post('/catalog/drafts/soon/publish', body);
    assertInvalid(await publish({ announce: true }), '/body/announce');
    const at = new Date(NOON + 24 * 60 * MINUTE).toISOString();
    let minutes = 0;
    const announced = async (of = 'winter') => {
      minutes += 1;
      service().setClock(NOON + minutes * MINUTE);
      return (await oddsOf(team, of)).announced;
    };
    assert.equal(assertDone(await publish({ at, rebase: true })).body.draft.announce, false);
    assert.deepEqual(await announced(), []);
    assert.equal(assertDone(await publish({ at, rebase: true, announce: true })).body.draft.announce, true);
    const [change, ...more] = await announced();
    assert.deepEqual([change.at, more], [at, []]);
    const [five] = change.tiers;
    assert.deepEqual([five.tier, five.before], ['five', (await oddsOf(team, 'winter')).tiers[0].effective]);
    assert.ok(five.after > 0.2);
    assert.deepEqual(await announced('spring'), []);
    const page = assertDone(await read(team, 'winter', '')).body;
    assert.match(page, /Announced changes[\s\S]*From <time[^>]*>15 November 2026 at 12:00 UTC/);
    // It follows what else is changed, and ends with a clash.
    assertDone(await team.put('/items/b', { rollNumerator: 500 }));
    assert.equal((await announced()).length, 1);
    assertDone(await team.put('/templates/winter', { config: { ...config, baseRates: { five: 0.3, three: 0.7 } } }));
    await recordAll(service());
    assert.deepEqual(await announced(), []);
    assertDone(await team.delete('/catalog/drafts/soon'));
  });

  test('says everything in five languages, and rejects others', async () => {
    const team = await newTeam();
    const pages = new Map<string, string>();
    for (const lang of LANGUAGES) {
      const { body, headers } = assertDone(await read(team, 'winter', `?lang=${lang}`));
      assert.match(body, new RegExp(`^<!doctype html>\\n<html lang="${lang === 'zh' ? 'zh-Hans' : lang}">`));
      assert.doesNotMatch(body, /undefined|NaN|\[object|\$\{/);
      for (const other of LANGUAGES)
        assert.equal(body.includes(`href="winter?lang=${other}"`), other !== lang, `${lang} to ${other}`);
      pages.set(headers.get('etag') ?? '', body);
    }
    assert.equal(pages.size, LANGUAGES.length);
    assert.equal(
      assertDone(await read(team, 'winter', '')).body,
      assertDone(await read(team, 'winter', '?lang=en')).body,
    );
    for (const [lang, term] of [
      ['ja', '提供割合'],
      ['ko', '확률형 아이템 확률 공개'],
      ['zh', '概率公示'],
      ['de', 'Wahrscheinlichkeiten'],
    ] as const)
      assert.ok(assertDone(await read(team, 'winter', `?lang=${lang}`)).body.includes(term), lang);
    for (const lang of ['fr', '', 'EN', 'toString'])
      assertInvalid(await read(team, 'winter', `?lang=${lang}`), '/query/lang');
    assertInvalid(await read(team, 'winter', '/odds?lang=en'), '/query/lang');
  });
});
