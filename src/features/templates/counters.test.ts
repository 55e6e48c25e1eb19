import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertConflict, assertDone, assertInvalid, assertNotFound } from '../../../test/rules.ts';

const BECAUSE = { headers: { 'itemwright-reason': 'ten rolls were lost' } };
const MOMENT = Date.parse('2026-11-03T09:30:00.000Z');
const DAY_MS = 86_400_000;

onEveryDatabase('counters', (service) => {
  /** A team with a tier that comes with the 90th roll, and, by base rates, never. */
  const teamWithBanner = async (config: object = {}): Promise<Client> => {
    const team = await service().anotherTeam();
    const classifierOptions = ['five', 'three'].map((id) => ({
      ...{ id, name: id === 'five' ? 'Legendary' : 'Common', dropRateMultiplier: 1 },
    }));
    const changes = [{ kind: 'classifier', id: 'stars', after: { id: 'stars', name: 'Stars', classifierOptions } }];
    assertDone(await team.post('/catalog/publish', { baseVersion: 0, changes }));
    for (const [id, option] of [
      ['sword', 'five'],
      ['club', 'three'],
    ])
      assertDone(await team.post('/items', { id, name: id, classifierOptionIds: [option] }));
    const whole = { baseRates: { five: 0, three: 1 }, pityThreshold: 90, pityTier: 'five', ...config };
    for (const id of ['banner', 'second'])
      assertDone(await team.post('/templates', { id, name: id, type: 'gacha', config: whole }));
    assertDone(await team.post('/users', { id: 'ann' }));
    return team;
  };
  const set = (team: Client, body: object, { id = 'banner', userId = 'ann', options = BECAUSE as object } = {}) =>
    team.post(`/users/${userId}/templates/${id}/counters`, body, options);
  const roll = async (team: Client, count: number, id = 'banner') =>
    assertDone(await team.post(`/templates/${id}/roll`, { userId: 'ann', count })).body;
  const waitOf = async (team: Client, id = 'banner') =>
    assertDone(await team.get(`/users/ann/templates/${id}/wait`)).body;
  const changesOf = async (team: Client) => assertDone(await team.get('/users/ann/counter-changes')).body;

  test('are set, decide the next roll, and the change is kept with its reason and author', async () => {
    const team = await teamWithBanner();
    await roll(team, 3);
    const { body: state } = assertDone(await set(team, { sinceTop: 89, sparkPoints: 300 }));
    assert.deepEqual([state.sinceTop, state.sparkPoints, state.rolls, state.next[0].rate], [89, 300, 3, 1]);
    const [change, ...others] = await changesOf(team);
    assert.deepEqual(others, []);
    const { body: secrets } = await team.get('/secrets');
    const before = { rolls: 3, sinceTop: 3, losses: 0, sparkPoints: 3, pities: [] };
    assert.deepEqual(change, {
      ...{ id: change.id, templateId: 'banner', before, after: { ...before, sinceTop: 89, sparkPoints: 300 } },
      ...{ author: secrets[0].name, reason: 'ten rolls were lost' },
      ...{ requestId: change.requestId, createdAt: change.createdAt },
    });
    const rolled = await roll(team, 1);
    assert.deepEqual([rolled.rolls[0].item.id, rolled.rolls[0].pity], ['sword', true]);
  });

  test('of a user who has not rolled yet can be set, and those of a pity group are shared', async () => {
    const team = await teamWithBanner({ pityGroup: 'limited' });
    assertDone(await set(team, { sinceTop: 80 }));
    const { body: state } = await team.get('/users/ann/templates/second');
    assert.equal(state.sinceTop, 80);
    const { sentence, setAt } = await waitOf(team, 'second');
    assert.match(sentence, /^The counter of rolls without Legendary is at 80 rolls; it was set on /);
    assert.ok(setAt);
  });

  test('need a reason, a user and a template', async () => {
    const team = await teamWithBanner();
    assertInvalid(await set(team, { sinceTop: 1 }, { options: {} }), '/headers/itemwright-reason');
    assertNotFound(await set(team, { sinceTop: 1 }, { userId: 'nobody' }));
    assertNotFound(await set(team, { sinceTop: 1 }, { id: 'nothing' }));
    assert.equal((await team.get('/users/nobody')).status, 404, 'nobody is created');
    assert.deepEqual(await changesOf(team), []);
  });

  for (const [body, path] of [
    [{}, '/body'],
    [{ sinceTop: 90 }, '/body/sinceTop'],
    [{ sinceTop: -1 }, '/body/sinceTop'],
    [{ sinceTop: 1.5 }, '/body/sinceTop'],
    [{ sinceTop: '1' }, '/body/sinceTop'],
    [{ sparkPoints: 1_000_001 }, '/body/sparkPoints'],
    [{ losses: 1 }, '/body/losses'],
    [{ pities: [{ tier: 'three', since: 1 }] }, '/body/pities/0/tier'],
    [{ luck: 1 }, '/body/luck'],
  ] as const)
    test(`reject ${JSON.stringify(body)}, and stay as they are`, async () => {
      const team = await teamWithBanner();
      assertInvalid(await set(team, body), path);
      assert.equal((await team.get('/users/ann/templates/banner')).body.sinceTop, 0);
      assert.deepEqual(await changesOf(team), []);
    });

  test('that receipts have are never set', async () => {
    const team = await teamWithBanner();
    assertDone(await team.put('/templates/banner', { verifiable: true }));
    const refused = await set(team, { sinceTop: 1 });
    assertConflict(refused, '/path/id');
    assert.match(refused.body.issues[0].message, /receipts have its counters/);
    assert.deepEqual(await changesOf(team), []);
    assertDone(await set(team, { sinceTop: 1 }, { id: 'second' }));
  });

  test('are set one after the other, and no roll in between is lost', async () => {
    const team = await teamWithBanner();
    await Promise.all([
      ...Array.from({ length: 10 }, (_, points) => set(team, { sparkPoints: 1000 * (points + 1) })),
      ...Array.from({ length: 10 }, () => roll(team, 1)),
    ]);
    const changes = await changesOf(team);
    assert.equal(changes.length, 10);
    const { body: state } = await team.get('/users/ann/templates/banner');
    assert.equal(state.rolls, 10);
    const inOrder = changes.toSorted(
      (one: { after: { rolls: number } }, other: { after: { rolls: number } }) => one.after.rolls - other.after.rolls,
    );
    for (const { before, after } of inOrder) assert.equal(before.rolls, after.rolls);
    assert.ok(changes.some(({ after }: { after: { sparkPoints: number } }) => state.sparkPoints >= after.sparkPoints));
    assert.equal(state.sparkPoints % 1000 <= 10, true, `${state.sparkPoints}`);
  });

  test('are for support, and not for those who only read or design', async () => {
    for (const [role, status] of [
      ['support', 404],
      ['read', 403],
      ['design', 403],
    ] as const) {
      const caller = await service().as(role);
      assert.equal((await set(caller, { sinceTop: 1 })).status, status, role);
    }
  });

  test('and their changes are forgotten with the user', async () => {
    const team = await teamWithBanner();
    assertDone(await set(team, { sinceTop: 1 }));
    assertDone(await team.delete('/users/ann'));
    assertNotFound(await team.get('/users/ann/counter-changes'));
    assertDone(await team.post('/users', { id: 'ann' }));
    assert.deepEqual(await changesOf(team), []);
  });

  describe('waits', () => {
    test('are explained in a sentence', async () => {
      const team = await teamWithBanner({ baseRates: { five: 0.036, three: 0.964 } });
      service().setClock(MOMENT);
      assertDone(await set(team, { sinceTop: 89 }));
      await roll(team, 1);
      service().setClock(MOMENT + 9 * DAY_MS);
      assert.deepEqual(await waitOf(team), {
        ...{ templateId: 'banner', userId: 'ann', tier: 'five', tierName: 'Legendary', rolls: 0 },
        ...{ lastAt: new Date(MOMENT).toISOString(), setAt: null, chance: 1, certainWithin: 90, pities: [] },
        sentence: 'The latest roll on 3 November 2026 gave Legendary; the next 90 are certain to contain one.',
      });
      service().setClock(Date.now());
    });

    test('have the date of the last one, the chance by exact odds, and their end', async () => {
      const team = await teamWithBanner();
      service().setClock(MOMENT);
      await roll(team, 90);
      service().setClock(MOMENT + DAY_MS);
      await roll(team, 81);
      service().setClock(Date.now());
      const { rolls, chance, certainWithin, sentence } = await waitOf(team);
      assert.deepEqual([rolls, chance, certainWithin], [81, 1, 9]);
      assert.equal(
        sentence,
        '81 rolls since the last Legendary on 3 November 2026; the chance of that is 100 %; the next 9 are certain to contain one.',
      );
      assertDone(await team.put('/templates/banner', { config: { baseRates: { five: 0.036, three: 0.964 } } }));
      const by = await waitOf(team);
      assert.ok(Math.abs(by.chance - 0.964 ** 81) < 1e-12);
      assert.equal(
        by.sentence,
        '81 rolls since the last Legendary on 3 November 2026; the chance of that is 5.1 %; none of the next rolls is certain to contain Legendary.',
      );
    });

    test('are not spoken of where there are no tiers, and not found for nobody', async () => {
      const team = await teamWithBanner();
      assertDone(await team.post('/templates', { id: 'plain', name: 'Plain', config: {} }));
      const { tier, sentence } = await waitOf(team, 'plain');
      assert.deepEqual([tier, sentence], [null, 'There are no tiers to wait for.']);
      assertNotFound(await team.get('/users/nobody/templates/banner/wait'));
      assertNotFound(await team.get('/users/ann/templates/nothing/wait'));
    });
  });
});
