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

const create = (client: Client, id: string) => client.post('/classifiers', { id, name: id, classifierOptions: [] });

const options = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `option ${index}` }));

interface Option {
  id: string;
  name: string;
  dropRateMultiplier: number | null;
  classifierId: string;
  color?: string | null;
}

/** An option as items have it: without its colour. */
const inItem = ({ color: _, ...option }: Option) => option;

/** Creates a template that refers to an option, and an item with that option. */
const nameInTemplate = async (client: Client, id: string, optionId: string): Promise<void> => {
  assertDone(await client.post('/items', { name: 'n', classifierOptionIds: [optionId] }));
  assertDone(await client.post('/templates', { id, name: 'Banner', config: { baseRates: { [optionId]: 1 } } }));
};

onEveryDatabase('classifiers', (service) => {
  /** Creates a classifier; returns it, and its options by name. */
  const given = async (id: string, ...classifierOptions: object[]) => {
    const { body } = assertDone(await service().post('/classifiers', { id, name: id, classifierOptions }));
    return { body, option: Object.fromEntries(body.classifierOptions.map((option: Option) => [option.name, option])) };
  };

  describe('creation', () => {
    test('returns the classifier with its options, in the given order', async () => {
      const moment = '2026-11-14T09:30:00.123Z';
      service().setClock(Date.parse(moment));
      const answer = assertDone(
        await service().post('/classifiers', {
          name: 'Rarity',
          classifierOptions: [
            { name: 'zeta', dropRateMultiplier: 0.25 },
            { name: 'alpha' },
            { name: 'never', dropRateMultiplier: 0 },
            { name: 'plain', dropRateMultiplier: null },
            { name: 'alpha', dropRateMultiplier: 1e308 },
          ],
        }),
      );
      const { id, classifierOptions } = answer.body;
      const ids = classifierOptions.map((option: Option) => option.id);
      assert.equal(new Set(ids).size, 5);
      assert.deepEqual(answer.body, {
        id,
        name: 'Rarity',
        teamId: service().teamId,
        createdAt: moment,
        updatedAt: moment,
        classifierOptions: [
          { id: ids[0], name: 'zeta', dropRateMultiplier: 0.25, classifierId: id, color: null },
          { id: ids[1], name: 'alpha', dropRateMultiplier: null, classifierId: id, color: null },
          { id: ids[2], name: 'never', dropRateMultiplier: 0, classifierId: id, color: null },
          { id: ids[3], name: 'plain', dropRateMultiplier: null, classifierId: id, color: null },
          { id: ids[4], name: 'alpha', dropRateMultiplier: 1e308, classifierId: id, color: null },
        ],
      });
      assert.deepEqual(assertDone(await service().get(`/classifiers/${id}`)).body, answer.body);
    });

    test('stores negative zero as 0', async () => {
      const raw = '{"name":"zero","classifierOptions":[{"name":"none","dropRateMultiplier":-0}]}';
      const { body } = assertDone(await service().post('/classifiers', undefined, { raw }));
      assert.ok(Object.is(body.classifierOptions[0].dropRateMultiplier, 0));
    });

    test('accepts 0 and 100 options', async () => {
      for (const count of [0, 100]) {
        const body = { name: 'many', classifierOptions: options(count) };
        const answer = assertDone(await service().post('/classifiers', body));
        assert.deepEqual(
          answer.body.classifierOptions.map(({ name }: Option) => ({ name })),
          options(count),
        );
      }
    });

    test('counts the characters of option names', async () => {
      const names = ['n', 'n'.repeat(191), '🗡'.repeat(191)];
      const body = { name: 'named', classifierOptions: names.map((name) => ({ name })) };
      const answer = assertDone(await service().post('/classifiers', body));
      assert.deepEqual(
        answer.body.classifierOptions.map(({ name }: Option) => name),
        names,
      );
    });

    keepsTheRulesOfCreation(service, '/classifiers', { classifierOptions: [] });

    describe('rejects', () => {
      test('options that are missing, not an array, or more than 100', async () => {
        assertInvalid(await service().post('/classifiers', { name: 'n' }), '/body/classifierOptions');
        for (const classifierOptions of [null, {}, 'common', options(101)])
          assertInvalid(
            await service().post('/classifiers', { name: 'n', classifierOptions }),
            '/body/classifierOptions',
          );
      });

      test('invalid options, each with its path', async () => {
        const classifierOptions = [
          { name: 'fine', dropRateMultiplier: 1 },
          { name: '', dropRateMultiplier: -1 },
          { dropRateMultiplier: '1' },
          { name: 'n'.repeat(192), id: 'mine', colour: 'red' },
          'common',
          null,
          { name: '🗡'.repeat(192), dropRateMultiplier: -5e-324 },
          { name: 'a\u0000' },
        ];
        const at = (rest: string) => `/body/classifierOptions/${rest}`;
        assertInvalid(await service().post('/classifiers', { name: 'n', classifierOptions }), at('7/name'));
        assertInvalid(
          await service().post('/classifiers', { name: 'n', classifierOptions: classifierOptions.slice(0, -1) }),
          ...[at('1/name'), at('1/dropRateMultiplier'), at('2/name'), at('2/dropRateMultiplier'), at('3/name')],
          ...[at('3/id'), at('3/colour'), at('4'), at('5'), at('6/name'), at('6/dropRateMultiplier')],
        );
      });

      test('an infinite multiplier', async () => {
        const raw = '{"name":"n","classifierOptions":[{"name":"a","dropRateMultiplier":1e999}]}';
        assertInvalid(
          await service().post('/classifiers', undefined, { raw }),
          '/body/classifierOptions/0/dropRateMultiplier',
        );
      });
    });
  });

  describe('list', () => {
    test('returns each classifier with its own options', async () => {
      const team = await service().anotherTeam();
      const bodies = [];
      for (const [index, name] of ['rarity', 'slot', 'element'].entries()) {
        service().setClock(1_000_000 + index);
        const body = { name, classifierOptions: options(index) };
        bodies.push((await team.post('/classifiers', body)).body);
      }
      assert.deepEqual(assertDone(await team.get('/classifiers')).body, bodies);
    });

    keepsTheRulesOfLists(service, '/classifiers', create);
  });

  describe('get', () => {
    keepsTheRulesOfRows(service, 'GET /classifiers/{id}', (client, id) => client.get(`/classifiers/${id}`), create);
  });

  describe('change', () => {
    test('of the name leaves the options alone', async () => {
      service().setClock(Date.parse('2026-01-01T00:00:00Z'));
      const { body } = await given('renamed', { name: 'a', dropRateMultiplier: 2 }, { name: 'b' });
      service().setClock(Date.parse('2026-01-02T00:00:00Z'));
      const answer = assertDone(await service().put('/classifiers/renamed', { name: 'New name' }));
      assert.deepEqual(answer.body, { ...body, name: 'New name', updatedAt: '2026-01-02T00:00:00.000Z' });
      assert.deepEqual((await service().get('/classifiers/renamed')).body, answer.body);
    });

    test('updates options with an id, adds those without, removes those left out, and keeps the given order', async () => {
      const { body, option } = await given(
        'rebuilt',
        { name: 'kept', dropRateMultiplier: 2 },
        { name: 'gone' },
        { name: 'changed', dropRateMultiplier: 3 },
        { name: 'cleared', dropRateMultiplier: 4 },
      );
      const answer = assertDone(
        await service().put('/classifiers/rebuilt', {
          classifierOptions: [
            { name: 'new', dropRateMultiplier: 0.5 },
            { id: option.cleared.id, dropRateMultiplier: null },
            { id: option.changed.id, name: 'renamed', dropRateMultiplier: 30 },
            { id: option.kept.id },
          ],
        }),
      );
      const [added] = answer.body.classifierOptions;
      assert.ok(!body.classifierOptions.some(({ id }: Option) => id === added.id));
      assert.deepEqual(answer.body.classifierOptions, [
        { id: added.id, name: 'new', dropRateMultiplier: 0.5, classifierId: 'rebuilt', color: null },
        { ...option.cleared, dropRateMultiplier: null },
        { ...option.changed, name: 'renamed', dropRateMultiplier: 30 },
        option.kept,
      ]);
      assert.equal(answer.body.name, 'rebuilt');
      assert.deepEqual((await service().get('/classifiers/rebuilt')).body, answer.body);
    });

    test('removes a deleted option from items, which keep their other options', async () => {
      const { option } = await given('assigned', { name: 'stays' }, { name: 'goes' });
      const classifierOptionIds = [option.stays.id, option.goes.id];
      await service().post('/items', { id: 'two-options', name: 'n', classifierOptionIds });
      assertDone(await service().put('/classifiers/assigned', { classifierOptions: [{ id: option.stays.id }] }));
      assert.deepEqual((await service().get('/items/two-options')).body.classifiers, [
        { classifierId: 'assigned', classifierOption: inItem(option.stays) },
      ]);
      assertDone(await service().put('/classifiers/assigned', { classifierOptions: [] }));
      assert.deepEqual((await service().get('/items/two-options')).body.classifiers, []);
    });

    test('of a colour, which options keep until it is taken away', async () => {
      const { option } = await given('coloured', { name: 'epic', color: '#a335ee' }, { name: 'plain' });
      assert.deepEqual([option.epic.color, option.plain.color], ['#a335ee', null]);
      const change = async (...classifierOptions: object[]) => {
        const { body } = assertDone(await service().put('/classifiers/coloured', { classifierOptions }));
        assert.deepEqual((await service().get('/classifiers/coloured')).body, body);
        return body.classifierOptions.map(({ color }: Option) => color);
      };
      const [epic, plain] = [{ id: option.epic.id }, { id: option.plain.id }];
      assert.deepEqual(await change({ ...epic, name: 'Epic' }, { ...plain, color: '#FFFFFF' }), ['#a335ee', '#FFFFFF']);
      const { body: document } = await service().get('/catalog');
      const stored = document.classifiers.find(({ id }: { id: string }) => id === 'coloured').classifierOptions;
      assert.deepEqual(
        stored.map(({ color }: Option) => color),
        ['#a335ee', '#FFFFFF'],
      );
      assert.deepEqual(await change({ ...epic, color: null }, plain), [null, '#FFFFFF']);
      // What has no colour does not mention it, so that the history of older catalogs stays as it is.
      const { body: later } = await service().get('/catalog');
      const [first] = later.classifiers.find(({ id }: { id: string }) => id === 'coloured').classifierOptions;
      assert.deepEqual(Object.keys(first), ['id', 'name', 'dropRateMultiplier']);
    });

    test('of a colour by a plan and a publication', async () => {
      await given('planned', { name: 'epic' });
      const { body } = await service().get('/classifiers/planned');
      const [{ id }] = body.classifierOptions;
      const after = { id: 'planned', name: 'planned', classifierOptions: [{ id, name: 'epic', color: '#123abc' }] };
      const changes = [{ kind: 'classifier', id: 'planned', after }];
      const plan = assertDone(await service().post('/catalog/plan', { changes })).body;
      assert.deepEqual(
        plan.changes.map((one: { after: { classifierOptions: Option[] } }) => one.after.classifierOptions[0]?.color),
        ['#123abc'],
      );
      assertDone(await service().post('/catalog/publish', { changes, baseVersion: plan.baseVersion, message: null }));
      assert.equal((await service().get('/classifiers/planned')).body.classifierOptions[0].color, '#123abc');
    });

    test('accepts 100 options', async () => {
      await given('filled');
      assertDone(await service().put('/classifiers/filled', { classifierOptions: options(100) }));
      const { body } = await service().get('/classifiers/filled');
      assert.deepEqual(
        body.classifierOptions.map(({ name }: Option) => ({ name })),
        options(100),
      );
      const answer = await service().put('/classifiers/filled', { classifierOptions: options(101) });
      assertInvalid(answer, '/body/classifierOptions');
    });

    test('stores negative zero as 0', async () => {
      const { option } = await given('to-zero', { name: 'a', dropRateMultiplier: 1 });
      const raw = `{"classifierOptions":[{"id":"${option.a.id}","dropRateMultiplier":-0}]}`;
      const { body } = await service().put('/classifiers/to-zero', undefined, { raw });
      assert.ok(Object.is(body.classifierOptions[0].dropRateMultiplier, 0));
    });

    keepsTheRulesOfRows(
      service,
      'PUT /classifiers/{id}',
      (client, id) => client.put(`/classifiers/${id}`, { name: 'x' }),
      create,
    );

    describe('rejects', () => {
      test('options of another classifier and repeated options', async () => {
        const { body: before, option } = await given('own', { name: 'a' });
        const { option: sister } = await given('sister', { name: 'b' });
        const other = await service().anotherTeam();
        const theirs = await other.post('/classifiers', { name: 'n', classifierOptions: [{ name: 'c' }] });
        assertInvalid(
          await service().put('/classifiers/own', {
            name: 'changed',
            classifierOptions: [
              { id: option.a.id },
              { id: sister.b.id },
              { id: theirs.body.classifierOptions[0].id },
              { id: 'nobody', name: 'n' },
            ],
          }),
          ...['/body/classifierOptions/1/id', '/body/classifierOptions/2/id', '/body/classifierOptions/3/id'],
        );
        const twice = { classifierOptions: [{ id: option.a.id }, { name: 'n' }, { id: option.a.id }] };
        assertInvalid(await service().put('/classifiers/own', twice), '/body/classifierOptions/2/id');
        assert.deepEqual((await service().get('/classifiers/own')).body, before);
      });

      test('an invalid change', async () => {
        await given('target');
        for (const color of ['red', '#fff', '#12345g', '#1234567', 7])
          assertInvalid(
            await service().put('/classifiers/target', { classifierOptions: [{ name: 'a', color }] }),
            '/body/classifierOptions/0/color',
          );
        const at = (rest: string) => `/body/classifierOptions/${rest}`;
        assertInvalid(
          await service().put('/classifiers/target', {
            id: 'x',
            name: '',
            classifierOptions: [{ id: 1, name: 2, dropRateMultiplier: -1, colour: 'red' }, null],
          }),
          ...['/body/id', '/body/name', at('0/id'), at('0/name'), at('0/dropRateMultiplier'), at('0/colour'), at('1')],
        );
        assertInvalid(await service().put('/classifiers/target', { classifierOptions: [{}] }), at('0/name'));
        assertInvalid(await service().put('/classifiers/target'), '/body');
        const raw = '{"classifierOptions":[{"name":"a","dropRateMultiplier":1e999}]}';
        assertInvalid(await service().put('/classifiers/target', undefined, { raw }), at('0/dropRateMultiplier'));
      });

      test('an invalid request before looking up the classifier', async () => {
        assertInvalid(await service().put('/classifiers/nobody', { colour: 'red' }), '/body/colour');
        assertInvalid(
          await service().put('/classifiers/nobody', { classifierOptions: [{ dropRateMultiplier: 1 }] }),
          '/body/classifierOptions/0/name',
        );
        assertInvalid(
          await service().put('/classifiers/nobody', { classifierOptions: [{ id: 'a' }, { id: 'a' }] }),
          '/body/classifierOptions/1/id',
        );
        const unknown = await service().put('/classifiers/nobody', { classifierOptions: [{ id: 'a' }] });
        assert.equal(unknown.status, 404);
      });

      test('multipliers that make a weight, or the sum of weights, infinite', async () => {
        const { body: before, option } = await given('heavy', { name: 'a', dropRateMultiplier: 1 }, { name: 'b' });
        const items = [
          { id: 'heavy-1', name: 'n', rollNumerator: 1e307, classifierOptionIds: [option.a.id] },
          { id: 'heavy-2', name: 'n', rollNumerator: 1e307, classifierOptionIds: [option.b.id] },
        ];
        for (const item of items) assertDone(await service().post('/items', item));
        const change = (a: number, b: number) =>
          service().put('/classifiers/heavy', {
            classifierOptions: [
              { id: option.a.id, dropRateMultiplier: a },
              { id: option.b.id, dropRateMultiplier: b },
            ],
          });
        assertInvalid(await change(100, 1), '/body/classifierOptions');
        assertInvalid(await change(15, 15), '/body/classifierOptions');
        assert.deepEqual((await service().get('/classifiers/heavy')).body, before);
        assertDone(await change(15, 1));
        for (const { id } of items) await service().delete(`/items/${id}`);
      });

      test('removing an option that a template refers to', async () => {
        const { body: before, option } = await given('named', { name: 'five' }, { name: 'four' });
        await nameInTemplate(service(), 'naming-five', option.five.id);
        const answer = await service().put('/classifiers/named', { classifierOptions: [{ id: option.four.id }] });
        assert.equal(answer.status, 409);
        assert.equal(answer.body.code, 'CONFLICT');
        assert.equal(answer.body.message, 'Conflict');
        assert.deepEqual(issuePaths(answer), ['/body/classifierOptions']);
        assert.match(answer.body.issues[0].message, /naming-five.*option five/);
        assert.equal(answer.headers.get('x-should-retry'), 'false');
        assert.deepEqual((await service().get('/classifiers/named')).body, before);
        assertDone(await service().put('/classifiers/named', { classifierOptions: [{ id: option.five.id }] }));
      });
    });
  });

  describe('deletion', () => {
    test('deletes the options and removes them from items', async () => {
      const { option } = await given('going', { name: 'a' }, { name: 'b' });
      const { option: staying } = await given('staying', { name: 'c' });
      const classifierOptionIds = [option.a.id, staying.c.id, option.b.id];
      await service().post('/items', { id: 'three-options', name: 'n', classifierOptionIds });
      assert.deepEqual(assertDone(await service().delete('/classifiers/going')).body, {});
      assert.equal((await service().get('/classifiers/going')).status, 404);
      assert.deepEqual((await service().get('/items/three-options')).body.classifiers, [
        { classifierId: 'staying', classifierOption: inItem(staying.c) },
      ]);
      const answer = await service().post('/items', { name: 'n', classifierOptionIds: [option.a.id] });
      assertInvalid(answer, '/body/classifierOptionIds/0');
    });

    keepsTheRulesOfRows(
      service,
      'DELETE /classifiers/{id}',
      (client, id) => client.delete(`/classifiers/${id}`),
      create,
    );

    describe('rejects', () => {
      test('a classifier with an option that a template refers to', async () => {
        const { body: before, option } = await given('kept', { name: 'five' });
        await nameInTemplate(service(), 'keeping-five', option.five.id);
        const answer = await service().delete('/classifiers/kept');
        assertInvalid(answer, '/path/id');
        assert.match(answer.body.issues[0].message, /keeping-five.*option five/);
        assert.deepEqual((await service().get('/classifiers/kept')).body, before);
      });

      test('removing a small multiplier if a weight would become infinite without it', async () => {
        const { option: small } = await given('damping', { name: 'small', dropRateMultiplier: 1e-300 });
        const { option: large } = await given('raising', { name: 'large', dropRateMultiplier: 1e10 });
        const item = { id: 'damped', name: 'n', rollNumerator: 1e305 };
        const classifierOptionIds = [small.small.id, large.large.id];
        assertDone(await service().post('/items', { ...item, classifierOptionIds }));
        assertInvalid(await service().delete('/classifiers/damping'), '/path/id');
        assert.equal((await service().get('/items/damped')).body.classifiers.length, 2);
        assertDone(await service().delete('/items/damped'));
        assertDone(await service().delete('/classifiers/damping'));
      });
    });
  });

  describe('access', () => {
    keepsTheRulesOfAccess(service, [
      { method: 'POST', path: '/classifiers', changes: true },
      { method: 'GET', path: '/classifiers', changes: false },
      { method: 'GET', path: '/classifiers/any', changes: false },
      { method: 'PUT', path: '/classifiers/any', changes: true },
      { method: 'DELETE', path: '/classifiers/any', changes: true },
    ]);
  });
});
