import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiResponse, type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';

interface Stock {
  readonly team: Client;
  readonly legendary: string;
  readonly common: string;
  /** An option that no template uses. */
  readonly fire: string;
}

/** A banner with two tiers: a legendary one of a single item, and a common one of two. */
const stock = async (team: Client): Promise<Stock> => {
  const options = async (id: string, names: readonly string[]): Promise<string[]> => {
    const classifierOptions = names.map((name) => ({ name }));
    const { body } = assertDone(await team.post('/classifiers', { id, name: id, classifierOptions }));
    return body.classifierOptions.map((option: { id: string }) => option.id);
  };
  const [legendary, common] = (await options('rarity', ['Legendary', 'Common'])) as [string, string];
  const [fire] = (await options('element', ['Fire'])) as [string];
  const item = (id: string, ...classifierOptionIds: string[]) =>
    team.post('/items', { id, name: id, classifierOptionIds });
  assertDone(await item('sword', legendary));
  assertDone(await item('coin', common));
  assertDone(await item('potion', common));
  const config = { baseRates: { Legendary: 1, Common: 9 } };
  assertDone(await team.post('/templates', { id: 'dawn', name: 'Dawn banner', config }));
  return { team, legendary, common, fire };
};

const assertRejected = ({ status, body }: ApiResponse, path: string, reason: string): void => {
  assert.equal(status, 409, JSON.stringify(body));
  const message = `would leave template Dawn banner (dawn) unable to roll: ${reason}`;
  assert.deepEqual(body.issues, [{ path, message }]);
};

const EMPTY = 'its tier "Legendary" has no item that can be rolled';

onEveryDatabase('templates that can be rolled', (service) => {
  const prepare = async () => stock(await service().anotherTeam());
  const rolls = async (team: Client) => assertDone(await team.post('/templates/dawn/roll', { count: 5 }));
  const versionOf = async (team: Client) => (await team.get('/catalog/versions?limit=1')).body[0].version;

  describe('reject', () => {
    test('an item with the options of two tiers', async () => {
      const { team, legendary, common } = await prepare();
      const before = await versionOf(team);
      const both = [legendary, common];
      const shares = (id: string) => {
        const [first, second] = legendary < common ? ['Legendary', 'Common'] : ['Common', 'Legendary'];
        return `its tier "${second}" shares the item "${id}" with the tier "${first}"`;
      };
      assertRejected(
        await team.post('/items', { id: 'chimera', name: 'Chimera', classifierOptionIds: both }),
        '/body',
        shares('chimera'),
      );
      assertRejected(await team.put('/items/coin', { classifierOptionIds: both }), '/body', shares('coin'));
      assert.equal((await team.get('/items/chimera')).status, 404);
      assert.equal(await versionOf(team), before);
      await rolls(team);
    });

    test('the last item of a tier being deleted, moved or weighed 0', async () => {
      const { team, common } = await prepare();
      assertRejected(await team.delete('/items/sword'), '/path/id', EMPTY);
      assertRejected(await team.put('/items/sword', { rollNumerator: 0 }), '/body', EMPTY);
      assertRejected(await team.put('/items/sword', { classifierOptionIds: [] }), '/body', EMPTY);
      assertRejected(await team.put('/items/sword', { classifierOptionIds: [common] }), '/body', EMPTY);
      await rolls(team);
    });

    test('a multiplier of 0 for all items of a tier', async () => {
      const { team, legendary, common, fire } = await prepare();
      const zero = (id: string, ...others: string[]) => ({
        classifierOptions: [{ id, dropRateMultiplier: 0 }, ...others.map((other) => ({ id: other }))],
      });
      const path = '/body/classifierOptions';
      assertRejected(await team.put('/classifiers/rarity', zero(legendary, common)), path, EMPTY);
      assertDone(await team.put('/items/sword', { classifierOptionIds: [legendary, fire] }));
      assertRejected(await team.put('/classifiers/element', zero(fire)), path, EMPTY);
      assertDone(await team.post('/items', { id: 'axe', name: 'Axe', classifierOptionIds: [legendary] }));
      assertDone(await team.put('/classifiers/element', zero(fire)));
      assertRejected(await team.delete('/items/axe'), '/path/id', EMPTY);
      assertRejected(await team.put('/items/axe', { classifierOptionIds: [legendary, fire] }), '/body', EMPTY);
      await rolls(team);
    });

    test('weights that a tier cannot use', async () => {
      const { team } = await prepare();
      const reason = 'its tier "Legendary" has items whose weights add up to less than 2^-900 or more than 2^1000';
      assertRejected(await team.put('/items/sword', { rollNumerator: 1e305 }), '/body', reason);
      assertRejected(await team.put('/items/sword', { rollNumerator: 5e-324 }), '/body', reason);
    });

    test('the last item of a template without tiers', async () => {
      const team = await service().anotherTeam();
      assertDone(await team.post('/items', { id: 'only', name: 'Only' }));
      assertDone(await team.post('/templates', { id: 'dawn', name: 'Dawn banner', config: {} }));
      assertRejected(await team.delete('/items/only'), '/path/id', 'the pool has no item that can be rolled');
      assertDone(await team.post('/items', { id: 'other', name: 'Other' }));
      assertDone(await team.delete('/items/only'));
    });
  });

  test('accept everything else', async () => {
    const { team, legendary, common, fire } = await prepare();
    assertDone(await team.put('/items/sword', { name: 'Blade', rollNumerator: 3, width: 2 }));
    assertDone(await team.put('/items/sword', { classifierOptionIds: [legendary, fire] }));
    assertDone(await team.post('/items', { id: 'axe', name: 'Axe', classifierOptionIds: [fire, legendary] }));
    assertDone(await team.put('/items/axe', { classifierOptionIds: [common] }));
    assertDone(await team.delete('/items/coin'));
    assertDone(await team.delete('/classifiers/element'));
    assertDone(await team.put('/classifiers/rarity', { name: 'Rareness' }));
    await rolls(team);
  });

  test('are those of this team only', async () => {
    const { team } = await prepare();
    const { team: other } = await prepare();
    assertDone(await other.delete('/templates/dawn'));
    assertDone(await other.delete('/items/sword'));
    await rolls(team);
  });

  test('stay so when their last items are deleted at once', async () => {
    const { team, legendary } = await prepare();
    const ids = ['sword', ...Array.from({ length: 7 }, (_, index) => `axe-${index}`)];
    for (const id of ids.slice(1))
      assertDone(await team.post('/items', { id, name: id, classifierOptionIds: [legendary] }));
    const all = await Promise.all(ids.map((id) => team.delete(`/items/${id}`)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [...ids.slice(1).map(() => 200), 409]);
    await rolls(team);
  });

  test('do not stand in the way of templates that cannot be rolled anyway', async () => {
    const { team, common } = await prepare();
    // As an earlier release could leave it.
    await service().database.transaction(team.teamId, (tx) =>
      tx.queries
        .updateTable('items')
        .set({ roll_numerator: 0 })
        .where('team_id', '=', team.teamId)
        .where('id', '=', 'sword')
        .execute(),
    );
    await service().database.transaction(team.teamId, (tx) =>
      tx.queries.updateTable('teams').set({ catalog_version: 'tampered' }).where('id', '=', team.teamId).execute(),
    );
    assert.equal((await team.post('/templates/dawn/roll', {})).status, 400);
    assertDone(await team.put('/items/sword', { classifierOptionIds: [common] }));
    assertDone(await team.delete('/items/sword'));
  });
});
