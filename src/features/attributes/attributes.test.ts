import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import {
  assertDone,
  assertInvalid,
  keepsTheRulesOfAccess,
  keepsTheRulesOfCreation,
  keepsTheRulesOfLists,
  keepsTheRulesOfRows,
} from '../../../test/rules.ts';

const create = (client: Client, id: string) => client.post('/attributes', { id, name: id });

onEveryDatabase('attributes', (service) => {
  describe('creation', () => {
    test('uses the default range', async () => {
      const { body } = assertDone(await service().post('/attributes', { name: 'damage' }));
      assert.deepEqual(body, { id: body.id, name: 'damage', min: 0, max: 100, step: null, teamId: service().teamId });
    });

    test('stores what the request contains', async () => {
      for (const [min, max, step] of [
        [1, 1, null],
        [-5.5, 7.25, 0.25],
        [-1e308, 5e307, 1e300],
        [5e-324, 1.7976931348623157e308, 5e-324],
        [0.1, 0.30000000000000004, 0.1],
        [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1],
      ]) {
        const { body } = assertDone(await service().post('/attributes', { name: 'exact', min, max, step }));
        assert.deepEqual(body, { id: body.id, name: 'exact', min, max, step, teamId: service().teamId });
        assert.deepEqual((await service().get(`/attributes?id=${body.id}`)).body, [body]);
      }
    });

    test('stores negative zero as 0', async () => {
      const answer = await service().post('/attributes', undefined, { raw: '{"name":"zero","min":-0,"max":-0.0}' });
      const [stored] = (await service().get(`/attributes?id=${answer.body.id}`)).body;
      for (const value of [answer.body.min, answer.body.max, stored.min, stored.max]) assert.ok(Object.is(value, 0));
    });

    keepsTheRulesOfCreation(service, '/attributes', {});

    describe('rejects', () => {
      test('a range with min above max', async () => {
        const { status, body } = await service().post('/attributes', { name: 'damage', min: 9, max: 1 });
        assert.equal(status, 400);
        assert.deepEqual(body, {
          code: 'BAD_REQUEST',
          message: 'Invalid input data',
          issues: [{ path: '/body/min', message: 'must not be above max (1)' }],
        });
        assertInvalid(await service().post('/attributes', { name: 'damage', min: 101 }), '/body/min');
        assertInvalid(await service().post('/attributes', { name: 'damage', max: -1 }), '/body/min');
      });

      test('an infinite range', async () => {
        assertInvalid(await service().post('/attributes', { name: 'wide', min: -1e308, max: 1e308 }), '/body/max');
      });

      test('numbers of the wrong type', async () => {
        for (const wrong of ['1', null, true, [1], {}])
          assertInvalid(
            await service().post('/attributes', { name: 'n', min: wrong, max: wrong }),
            '/body/min',
            '/body/max',
          );
        for (const step of ['1', true, [1], {}])
          assertInvalid(await service().post('/attributes', { name: 'n', step }), '/body/step');
      });

      test('numbers that are not finite', async () => {
        const raw = '{"name":"n","min":-1e999,"max":1e999,"step":1e999}';
        assertInvalid(await service().post('/attributes', undefined, { raw }), '/body/min', '/body/max', '/body/step');
      });

      test('a step that is not greater than 0', async () => {
        for (const step of [0, -0.5])
          assertInvalid(await service().post('/attributes', { name: 'n', step }), '/body/step');
        assertInvalid(await service().post('/attributes', undefined, { raw: '{"name":"n","step":-0}' }), '/body/step');
      });

      test('all invalid members at once, each with its path', async () => {
        const answer = await service().post('/attributes', { name: '', min: '1', colour: 'red' });
        assertInvalid(answer, '/body/colour', '/body/min', '/body/name');
      });
    });
  });

  describe('list', () => {
    test('filters by id', async () => {
      const team = await service().anotherTeam();
      const first = await team.post('/attributes', { id: 'a-first', name: 'first', min: -1, max: 2.5, step: 0.5 });
      const second = await team.post('/attributes', { id: 'a-second', name: 'second' });
      assert.deepEqual((await team.get('/attributes')).body, [first.body, second.body]);
      assert.deepEqual((await team.get('/attributes?id=a-second')).body, [second.body]);
      for (const id of ['nobody', '', '%00', 'a-first%00', 'a-first,a-second', 'x'.repeat(191), '%F0%9F%97%A1'])
        assert.deepEqual(assertDone(await team.get(`/attributes?id=${id}`)).body, []);
    });

    test('does not find an attribute of another team by id', async () => {
      assertDone(await create(await service().anotherTeam(), 'not-ours'));
      assert.deepEqual(assertDone(await service().get('/attributes?id=not-ours')).body, []);
    });

    keepsTheRulesOfLists(service, '/attributes', create);

    test('rejects an id that is too long or repeated', async () => {
      assertInvalid(await service().get(`/attributes?id=${'x'.repeat(192)}`), '/query/id');
      assertInvalid(await service().get('/attributes?id=a&id=b'), '/query/id');
    });
  });

  describe('change', () => {
    test('changes only the given members', async () => {
      const { body: before } = assertDone(
        await service().post('/attributes', { id: 'changing', name: 'before', min: 1, max: 9, step: 0.5 }),
      );
      const steps: [object, object][] = [
        [{}, {}],
        [{ name: 'after' }, { name: 'after' }],
        [{ min: -3 }, { min: -3 }],
        [{ max: 90 }, { max: 90 }],
        [{ step: null }, { step: null }],
        [{ step: 2 }, { step: 2 }],
        [{ teamId: service().teamId }, {}],
        [
          { name: 'all', min: 0, max: 0, step: 1, teamId: service().teamId },
          { name: 'all', min: 0, max: 0, step: 1 },
        ],
      ];
      let expected = before;
      for (const [change, outcome] of steps) {
        expected = { ...expected, ...outcome };
        assert.deepEqual(assertDone(await service().put('/attributes/changing', change)).body, expected);
        assert.deepEqual((await service().get('/attributes?id=changing')).body, [expected]);
      }
    });

    test('stores negative zero as 0', async () => {
      await service().post('/attributes', { id: 'to-zero', name: 'n', min: -1, max: 1 });
      const { body } = await service().put('/attributes/to-zero', undefined, { raw: '{"min":-0,"max":-0}' });
      assert.ok(Object.is(body.min, 0) && Object.is(body.max, 0));
    });

    test('allows a range that exactly contains the ranges of the items', async () => {
      await service().post('/attributes', { id: 'held', name: 'held' });
      const item = { name: 'holder', itemAttributes: [{ attributeId: 'held', min: 10, max: 20 }] };
      assertDone(await service().post('/items', item));
      assertDone(await service().put('/attributes/held', { min: 10, max: 20 }));
    });

    keepsTheRulesOfRows(
      service,
      'PUT /attributes/{id}',
      (client, id) => client.put(`/attributes/${id}`, { name: 'x' }),
      create,
    );

    describe('rejects', () => {
      test('a range that excludes part of an item range, and names the item', async () => {
        await service().post('/attributes', { id: 'carried', name: 'carried' });
        const itemAttributes = [{ attributeId: 'carried', min: 10, max: 20 }];
        await service().post('/items', { id: 'first-carrier', name: 'First', itemAttributes });
        await service().post('/items', { id: 'second-carrier', name: 'Second', itemAttributes });
        const { body: before } = await service().get('/attributes?id=carried');

        const above = await service().put('/attributes/carried', { min: 10.5 });
        assertInvalid(above, '/body/min', '/body/min');
        assert.match(above.body.issues[0].message, /first-carrier/);
        assert.match(above.body.issues[1].message, /second-carrier/);
        assertInvalid(await service().put('/attributes/carried', { max: 19 }), '/body/max', '/body/max');
        const both = await service().put('/attributes/carried', { name: 'new', min: 11, max: 19 });
        assert.equal(both.status, 400);
        assert.deepEqual(new Set(issuePaths(both)), new Set(['/body/min', '/body/max']));
        assert.deepEqual((await service().get('/attributes?id=carried')).body, before);
      });

      test('a range inverted by the bound already stored', async () => {
        await service().post('/attributes', { id: 'turning', name: 'n', min: 1, max: 9 });
        assertInvalid(await service().put('/attributes/turning', { min: 10 }), '/body/min');
        assertInvalid(await service().put('/attributes/turning', { max: 0 }), '/body/max');
        assertInvalid(await service().put('/attributes/turning', { min: 5, max: 4 }), '/body/min');
        assertInvalid(await service().put('/attributes/turning', { min: -1e308, max: 1e308 }), '/body/max');
      });

      test('an invalid change', async () => {
        await create(service(), 'target');
        assertInvalid(
          await service().put('/attributes/target', { name: '', min: '1', max: null, step: 0, id: 'x', teamId: 1 }),
          ...['/body/name', '/body/min', '/body/max', '/body/step', '/body/id', '/body/teamId'],
        );
        assertInvalid(await service().put('/attributes/target', undefined, { raw: '{"max":1e999}' }), '/body/max');
        assertInvalid(await service().put('/attributes/target', { teamId: 'x'.repeat(192) }), '/body/teamId');
        assertInvalid(await service().put('/attributes/target'), '/body');
      });

      test('another team id, whether or not the attribute exists', async () => {
        await create(service(), 'to-give');
        const other = await service().anotherTeam();
        for (const [id, teamId] of [
          ['to-give', other.teamId],
          ['to-give', ''],
          ['nobody', other.teamId],
        ]) {
          const answer = await service().put(`/attributes/${id}`, { teamId });
          assert.equal(answer.status, 403);
          assert.equal(answer.body.code, 'FORBIDDEN');
          assert.equal(answer.body.message, 'Insufficient access');
          assert.deepEqual(issuePaths(answer), ['/body/teamId']);
        }
      });

      test('an invalid request before looking up the attribute', async () => {
        assertInvalid(await service().put('/attributes/nobody', { colour: 'red' }), '/body/colour');
        assertInvalid(await service().put('/attributes/nobody', { min: 2, max: 1 }), '/body/min');
      });
    });
  });

  describe('deletion', () => {
    test('returns {} and deletes the attribute', async () => {
      await create(service(), 'going');
      assert.deepEqual(assertDone(await service().delete('/attributes/going')).body, {});
      assert.deepEqual((await service().get('/attributes?id=going')).body, []);
      assert.equal((await service().delete('/attributes/going')).status, 404);
      assertDone(await create(service(), 'going'));
    });

    keepsTheRulesOfRows(service, 'DELETE /attributes/{id}', (client, id) => client.delete(`/attributes/${id}`), create);

    test('rejects an attribute that items carry, and names the items', async () => {
      await create(service(), 'attached');
      const itemAttributes = [{ attributeId: 'attached', min: 1, max: 2 }];
      await service().post('/items', { id: 'attached-1', name: 'One', itemAttributes });
      await service().post('/items', { id: 'attached-2', name: 'Two', itemAttributes });
      const answer = await service().delete('/attributes/attached');
      assertInvalid(answer, '/path/id', '/path/id');
      assert.deepEqual(
        answer.body.issues.map((issue: { message: string }) => issue.message),
        ['is used by item One (attached-1)', 'is used by item Two (attached-2)'],
      );
      assert.equal((await service().get('/attributes?id=attached')).body.length, 1);

      assertDone(await service().put('/items/attached-1', { itemAttributes: [] }));
      assertDone(await service().delete('/items/attached-2'));
      assertDone(await service().delete('/attributes/attached'));
    });
  });

  describe('access', () => {
    keepsTheRulesOfAccess(service, [
      { method: 'POST', path: '/attributes', changes: true },
      { method: 'GET', path: '/attributes', changes: false },
      { method: 'PUT', path: '/attributes/any', changes: true },
      { method: 'DELETE', path: '/attributes/any', changes: true },
    ]);

    test('a read-only secret can list attributes', async () => {
      assertDone(await (await service().as('read')).get('/attributes'));
    });
  });
});
