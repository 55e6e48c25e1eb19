import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import {
  assertDone,
  assertInvalid,
  keepsTheRulesOfAccess,
  keepsTheRulesOfCreation,
  keepsTheRulesOfLists,
  keepsTheRulesOfRows,
  keepsTheRulesOfTimes,
} from '../../../test/rules.ts';
import { LIMITS } from '../../shared/limits.ts';

const create = (client: Client, id: string) => client.post('/items', { id, name: id });

interface ItemAttribute {
  id: string;
  itemId: string;
  attributeId: string;
  min: number;
  max: number;
}

const numbered = (count: number, name: string): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`);

onEveryDatabase('items', (service) => {
  /** What the tests refer to: two attributes, and two classifiers with two options each. */
  const attributes = ['damage', 'speed'] as const;
  const option: Record<string, { id: string; name: string; dropRateMultiplier: number | null; classifierId: string }> =
    {};
  before(async () => {
    assertDone(await service().post('/attributes', { id: attributes[0], name: 'Damage', min: 0, max: 100 }));
    assertDone(await service().post('/attributes', { id: attributes[1], name: 'Speed', min: -1, max: 1, step: 0.5 }));
    for (const [id, first, second] of [
      ['rarity', 'common', 'epic'],
      ['slot', 'hand', 'head'],
    ] as const) {
      const { body } = assertDone(
        await service().post('/classifiers', {
          id,
          name: id,
          classifierOptions: [{ name: first }, { name: second, dropRateMultiplier: 0.5 }],
        }),
      );
      // Only classifiers have the colours of options.
      for (const { color: _, ...made } of body.classifierOptions) option[made.name] = made;
    }
  });
  const optionId = (name: string): string => option[name]?.id as string;
  const classifier = (name: string) => ({ classifierId: option[name]?.classifierId, classifierOption: option[name] });

  describe('creation', () => {
    test('requires only a name', async () => {
      const moment = '2026-11-14T09:30:00.007Z';
      service().setClock(Date.parse(moment));
      const { body } = assertDone(await service().post('/items', { name: 'Stone' }));
      assert.deepEqual(body, {
        id: body.id,
        name: 'Stone',
        thumbnail: null,
        rollNumerator: 100,
        width: 1,
        height: 1,
        description: null,
        data: null,
        createdAt: moment,
        updatedAt: moment,
        teamId: service().teamId,
        classifiers: [],
        attributes: [],
      });
      assert.deepEqual(assertDone(await service().get(`/items/${body.id}`)).body, body);
    });

    test('stores everything that is given, arrays in the given order', async () => {
      const { body } = assertDone(
        await service().post('/items', {
          id: 'sword',
          name: 'Sword',
          thumbnail: 'https://cdn.example/sword.png',
          rollNumerator: 12.5,
          width: 20,
          height: 2,
          createdAt: '2020-02-29T01:02:03.004Z',
          updatedAt: '2021-01-01T00:00:00Z',
          classifierOptionIds: [optionId('head'), optionId('epic'), optionId('common')],
          itemAttributes: [
            { attributeId: 'speed', min: -1, max: 0.5 },
            { attributeId: 'damage', min: 0, max: 100 },
          ],
        }),
      );
      const ids = body.attributes.map(({ id }: ItemAttribute) => id);
      assert.equal(new Set(ids).size, 2);
      assert.deepEqual(body, {
        id: 'sword',
        name: 'Sword',
        thumbnail: 'https://cdn.example/sword.png',
        rollNumerator: 12.5,
        width: 20,
        height: 2,
        description: null,
        data: null,
        createdAt: '2020-02-29T01:02:03.004Z',
        updatedAt: '2021-01-01T00:00:00.000Z',
        teamId: service().teamId,
        classifiers: [classifier('head'), classifier('epic'), classifier('common')],
        attributes: [
          { id: ids[0], itemId: 'sword', attributeId: 'speed', min: -1, max: 0.5 },
          { id: ids[1], itemId: 'sword', attributeId: 'damage', min: 0, max: 100 },
        ],
      });
      assert.deepEqual((await service().get('/items/sword')).body, body);
    });

    test('stores negative zero as 0', async () => {
      const raw =
        '{"id":"zero","name":"n","rollNumerator":-0,"itemAttributes":[{"attributeId":"speed","min":-0,"max":-0}]}';
      assertDone(await service().post('/items', undefined, { raw }));
      const { body } = await service().get('/items/zero');
      for (const value of [body.rollNumerator, body.attributes[0].min, body.attributes[0].max])
        assert.ok(Object.is(value, 0));
    });

    test('accepts 100 options and 100 attributes at most', async () => {
      const names = numbered(101, 'many');
      for (const id of names) assertDone(await service().post('/attributes', { id, name: id }));
      const made: { id: string; color?: unknown }[] = [];
      for (const part of [names.slice(0, 100), names.slice(100)]) {
        const classifierOptions = part.map((name) => ({ name }));
        made.push(...(await service().post('/classifiers', { name: 'n', classifierOptions })).body.classifierOptions);
      }
      const body = (count: number) => ({
        name: 'laden',
        classifierOptionIds: made.slice(0, count).map(({ id }) => id),
        itemAttributes: names.slice(0, count).map((attributeId) => ({ attributeId, min: 1, max: 2 })),
      });
      const answer = assertDone(await service().post('/items', body(100)));
      assert.deepEqual(
        answer.body.classifiers.map(({ classifierOption }: { classifierOption: object }) => classifierOption),
        made.slice(0, 100).map(({ color: _, ...inItem }) => inItem),
      );
      assert.deepEqual(
        answer.body.attributes.map(({ attributeId }: ItemAttribute) => attributeId),
        names.slice(0, 100),
      );
      const paths = ['/body/classifierOptionIds', '/body/itemAttributes'];
      assertInvalid(await service().post('/items', body(101)), ...paths);
      assertInvalid(await service().put(`/items/${answer.body.id}`, body(101)), ...paths);
      assert.deepEqual((await service().get(`/items/${answer.body.id}`)).body, answer.body);
    });

    test('accepts a thumbnail of 2,048 characters, an empty one and null', async () => {
      for (const thumbnail of ['🗡'.repeat(2048), 'x'.repeat(2048), '', null])
        assert.equal(assertDone(await service().post('/items', { name: 'seen', thumbnail })).body.thumbnail, thumbnail);
      for (const thumbnail of ['🗡'.repeat(2049), 'x'.repeat(2049), 1, [], 'a\u0000'])
        assertInvalid(await service().post('/items', { name: 'seen', thumbnail }), '/body/thumbnail');
    });

    keepsTheRulesOfCreation(service, '/items', {});

    keepsTheRulesOfTimes(service, '/items', { name: 'dated' });

    describe('rejects', () => {
      test('members of the wrong type or out of range, all at once', async () => {
        for (const wrong of ['1', null, [], {}, -1])
          assertInvalid(
            await service().post('/items', { name: 'n', rollNumerator: wrong, width: wrong, height: wrong }),
            ...['/body/rollNumerator', '/body/width', '/body/height'],
          );
        for (const side of [0, 21, 1.5])
          assertInvalid(
            await service().post('/items', { name: 'n', width: side, height: side }),
            '/body/width',
            '/body/height',
          );
        for (const wrong of [null, {}, 'a', 1])
          assertInvalid(
            await service().post('/items', { name: 'n', classifierOptionIds: wrong, itemAttributes: wrong }),
            ...['/body/classifierOptionIds', '/body/itemAttributes'],
          );
        assertInvalid(
          await service().post('/items', {
            name: 'n',
            classifierOptionIds: [1, null, '', 'x'.repeat(192)],
            itemAttributes: [{ attributeId: 1, min: '0', max: null, step: 1 }, {}, 'damage'],
          }),
          ...numbered(4, '/body/classifierOptionIds').map((path) => path.replace(/-(\d)$/, '/$1')),
          ...['attributeId', 'min', 'max', 'step'].map((member) => `/body/itemAttributes/0/${member}`),
          ...['attributeId', 'min', 'max'].map((member) => `/body/itemAttributes/1/${member}`),
          '/body/itemAttributes/2',
        );
      });

      test('infinite numbers', async () => {
        const raw =
          '{"name":"n","rollNumerator":1e999,"width":1e999,"itemAttributes":[{"attributeId":"damage","min":-1e999,"max":1e999}]}';
        assertInvalid(
          await service().post('/items', undefined, { raw }),
          ...['/body/rollNumerator', '/body/width', '/body/itemAttributes/0/min', '/body/itemAttributes/0/max'],
        );
      });

      test('more than a hundred issues, and says how many are not listed', async () => {
        const itemAttributes = Array.from({ length: 60 }, () => ({ attributeId: 'damage', min: '0', max: '1' }));
        const { status, body } = await service().post('/items', { name: 'n', itemAttributes });
        assert.equal(status, 400);
        assert.equal(body.issues.length, 100);
        assert.deepEqual(body.issues[99], { path: '/body', message: 'and 21 more issues' });
      });

      test('options and attributes that are unknown, repeated or of another team', async () => {
        const other = await service().anotherTeam();
        const theirOptions = { name: 'n', classifierOptions: [{ name: 'theirs' }] };
        const theirs = (await other.post('/classifiers', theirOptions)).body.classifierOptions[0].id;
        await other.post('/attributes', { id: 'their-attribute', name: 'n' });
        const at = (attributeId: string) => ({ attributeId, min: 0, max: 1 });
        const answer = await service().post('/items', {
          name: 'n',
          classifierOptionIds: [optionId('epic'), 'nobody', theirs, 'rarity', 'roll'],
          itemAttributes: [at('damage'), at('nobody'), at('their-attribute')],
        });
        assertInvalid(
          answer,
          ...['1', '2', '3', '4'].map((index) => `/body/classifierOptionIds/${index}`),
          ...['1', '2'].map((index) => `/body/itemAttributes/${index}/attributeId`),
        );
        const messages = new Set(answer.body.issues.map((issue: { message: string }) => issue.message));
        assert.equal(messages.size, 2, 'an id of another team is treated like an unknown one');
        assertInvalid(
          await service().post('/items', {
            name: 'n',
            classifierOptionIds: [optionId('epic'), optionId('head'), optionId('epic')],
            itemAttributes: [at('damage'), at('damage')],
          }),
          ...['/body/classifierOptionIds/2', '/body/itemAttributes/1/attributeId'],
        );
      });

      test("ranges that are inverted or outside the attribute's own", async () => {
        const post = (...itemAttributes: object[]) => service().post('/items', { name: 'n', itemAttributes });
        assertInvalid(await post({ attributeId: 'damage', min: 2, max: 1 }), '/body/itemAttributes/0/min');
        assertInvalid(
          await post({ attributeId: 'damage', min: -1, max: 101 }, { attributeId: 'speed', min: -1, max: 1.5 }),
          ...['/body/itemAttributes/0/min', '/body/itemAttributes/0/max', '/body/itemAttributes/1/max'],
        );
        assertDone(await post({ attributeId: 'damage', min: 100, max: 100 }));
      });

      test('all invalid references at once', async () => {
        assertDone(await create(service(), 'taken-and-more'));
        assertInvalid(
          await service().post('/items', {
            id: 'taken-and-more',
            name: 'n',
            classifierOptionIds: ['nobody'],
            itemAttributes: [
              { attributeId: 'nobody', min: 0, max: 1 },
              { attributeId: 'damage', min: -5, max: 1 },
            ],
          }),
          ...['/body/id', '/body/classifierOptionIds/0'],
          ...['/body/itemAttributes/0/attributeId', '/body/itemAttributes/1/min'],
        );
      });

      test('an infinite weight, and changes nothing', async () => {
        const team = await service().anotherTeam();
        const classifierOptions = [
          { name: 'large', dropRateMultiplier: 1e200 },
          { name: 'none', dropRateMultiplier: 0 },
        ];
        const { body } = await team.post('/classifiers', { name: 'n', classifierOptions });
        const [large, none] = body.classifierOptions;
        const item = { id: 'heavy', name: 'n', rollNumerator: 1e150, classifierOptionIds: [large.id] };
        assertInvalid(await team.post('/items', item), '/body/rollNumerator');
        // Infinity × 0 is NaN.
        const both = { ...item, classifierOptionIds: [large.id, none.id] };
        assertInvalid(await team.post('/items', both), '/body/rollNumerator');
        assert.deepEqual((await team.get('/items')).body, []);
        assertDone(await team.post('/items', { ...item, rollNumerator: 1e100 }));
      });

      test('an infinite sum of weights, and changes nothing', async () => {
        const team = await service().anotherTeam();
        const heavy = { name: 'n', rollNumerator: 1e308 };
        const { body: first } = assertDone(await team.post('/items', { ...heavy, id: 'heavy-1' }));
        assertInvalid(await team.post('/items', { ...heavy, id: 'heavy-2' }), '/body/rollNumerator');
        assert.deepEqual((await team.get('/items')).body, [first]);
        const { body: second } = assertDone(await team.post('/items', { id: 'heavy-2', name: 'light' }));
        assertInvalid(await team.put('/items/heavy-2', { name: 'heavy', rollNumerator: 1e308 }), '/body/rollNumerator');
        assert.deepEqual((await team.get('/items')).body, [first, second]);
        assertDone(await team.delete('/items/heavy-1'));
        assertDone(await team.put('/items/heavy-2', { rollNumerator: 1e308 }));
      });

      test('more items than a team may have', async () => {
        const team = await service().anotherTeam();
        await service().database.transaction('', ({ queries: tx }) =>
          tx
            .updateTable('teams')
            .set({ item_count: LIMITS.itemsPerTeam - 1 })
            .where('id', '=', team.teamId)
            .execute(),
        );
        assertDone(await create(team, 'last'));
        assertInvalid(await create(team, 'one-too-many'), '/body');
        assert.equal((await team.get('/items/one-too-many')).status, 404);
        assertDone(await team.delete('/items/last'));
        assertDone(await create(team, 'last-again'));
      });
    });
  });

  describe('list', () => {
    test('returns complete items, ordered by a given creation time', async () => {
      const team = await service().anotherTeam();
      service().setClock(Date.parse('2026-06-01T00:00:00Z'));
      await team.post('/attributes', { id: 'a', name: 'n' });
      const { body: made } = await team.post('/classifiers', { name: 'n', classifierOptions: [{ name: 'o' }] });
      const whole = {
        name: 'n',
        classifierOptionIds: [made.classifierOptions[0].id],
        itemAttributes: [{ attributeId: 'a', min: 1, max: 2 }],
      };
      const younger = (await team.post('/items', { ...whole, id: 'younger' })).body;
      const older = (await team.post('/items', { ...whole, id: 'older', createdAt: '2026-05-31T23:59:59Z' })).body;
      assert.deepEqual(assertDone(await team.get('/items')).body, [older, younger]);
    });

    keepsTheRulesOfLists(service, '/items', create);
  });

  describe('get', () => {
    keepsTheRulesOfRows(service, 'GET /items/{id}', (client, id) => client.get(`/items/${id}`), create);
  });

  describe('change', () => {
    test('changes only the given members and updatedAt', async () => {
      service().setClock(Date.parse('2026-01-01T00:00:00Z'));
      const { body: before } = assertDone(
        await service().post('/items', {
          id: 'changing',
          name: 'before',
          thumbnail: 't',
          classifierOptionIds: [optionId('epic')],
          itemAttributes: [{ attributeId: 'damage', min: 1, max: 2 }],
        }),
      );
      service().setClock(Date.parse('2026-01-02T00:00:00Z'));
      const now = { updatedAt: '2026-01-02T00:00:00.000Z' };
      const steps: [object, object][] = [
        [{}, now],
        [{ name: 'after' }, { name: 'after' }],
        [{ thumbnail: null }, { thumbnail: null }],
        [{ rollNumerator: 0 }, { rollNumerator: 0 }],
        [
          { width: 2, height: 3 },
          { width: 2, height: 3 },
        ],
        [{ createdAt: '2025-01-01T00:00+01:00' }, { createdAt: '2024-12-31T23:00:00.000Z' }],
        [{ updatedAt: '2025-06-01T00:00Z' }, { updatedAt: '2025-06-01T00:00:00.000Z' }],
        [{ classifierOptionIds: [] }, { ...now, classifiers: [] }],
        [
          { classifierOptionIds: [optionId('hand'), optionId('common')] },
          { classifiers: [classifier('hand'), classifier('common')] },
        ],
        [{ itemAttributes: [] }, { attributes: [] }],
      ];
      let expected = before;
      for (const [change, outcome] of steps) {
        expected = { ...expected, ...outcome };
        assert.deepEqual(assertDone(await service().put('/items/changing', change)).body, expected);
        assert.deepEqual((await service().get('/items/changing')).body, expected);
      }
    });

    test('keeps the id of an item attribute that stays, and the values of its instances', async () => {
      const { body: before } = assertDone(
        await service().post('/items', {
          id: 'evolving',
          name: 'n',
          itemAttributes: [
            { attributeId: 'damage', min: 10, max: 20 },
            { attributeId: 'speed', min: 0, max: 1 },
          ],
        }),
      );
      const [damage, speed] = before.attributes as [ItemAttribute, ItemAttribute];
      const { body: instance } = assertDone(
        await service().post('/item-instances', {
          itemId: 'evolving',
          userId: 'player',
          itemAttributeInstances: [
            { itemAttributeId: damage.id, value: 15 },
            { itemAttributeId: speed.id, value: 0.5 },
          ],
        }),
      );
      await service().post('/attributes', { id: 'luck', name: 'Luck' });
      const { body: after } = assertDone(
        await service().put('/items/evolving', {
          itemAttributes: [
            { attributeId: 'luck', min: 1, max: 1 },
            { attributeId: 'damage', min: 0, max: 100 },
          ],
        }),
      );
      assert.deepEqual(after.attributes, [
        { id: after.attributes[0].id, itemId: 'evolving', attributeId: 'luck', min: 1, max: 1 },
        { id: damage.id, itemId: 'evolving', attributeId: 'damage', min: 0, max: 100 },
      ]);
      assert.ok(![damage.id, speed.id].includes(after.attributes[0].id));
      assert.deepEqual((await service().get(`/item-instances/${instance.id}`)).body.attributes, [
        { id: damage.id, attributeId: 'damage', name: 'Damage', value: 15, min: 0, max: 100 },
      ]);
    });

    test('stores negative zero as 0', async () => {
      await create(service(), 'to-zero');
      const raw = '{"rollNumerator":-0,"itemAttributes":[{"attributeId":"speed","min":-0,"max":-0}]}';
      assertDone(await service().put('/items/to-zero', undefined, { raw }));
      const { body } = await service().get('/items/to-zero');
      for (const value of [body.rollNumerator, body.attributes[0].min, body.attributes[0].max])
        assert.ok(Object.is(value, 0));
    });

    keepsTheRulesOfRows(service, 'PUT /items/{id}', (client, id) => client.put(`/items/${id}`, { name: 'x' }), create);

    describe('rejects', () => {
      test('an invalid change, and changes nothing', async () => {
        const { body: before } = await create(service(), 'target');
        assertInvalid(
          await service().put('/items/target', {
            id: 'x',
            name: '',
            thumbnail: 1,
            rollNumerator: -1,
            width: 0,
            teamId: 'x',
          }),
          ...['/body/id', '/body/name', '/body/thumbnail', '/body/rollNumerator', '/body/width', '/body/teamId'],
        );
        assertInvalid(await service().put('/items/target', { createdAt: '2026-02-31T00:00:00Z' }), '/body/createdAt');
        assertInvalid(await service().put('/items/target'), '/body');
        assertInvalid(
          await service().put('/items/target', {
            name: 'after',
            classifierOptionIds: ['nobody'],
            itemAttributes: [
              { attributeId: 'nobody', min: 0, max: 1 },
              { attributeId: 'speed', min: -2, max: 2 },
            ],
          }),
          ...['/body/classifierOptionIds/0', '/body/itemAttributes/0/attributeId'],
          ...['/body/itemAttributes/1/min', '/body/itemAttributes/1/max'],
        );
        assert.deepEqual((await service().get('/items/target')).body, before);
      });

      test('an infinite weight caused by existing options', async () => {
        const team = await service().anotherTeam();
        const classifierOptions = [{ name: 'large', dropRateMultiplier: 1e200 }];
        const { body: made } = await team.post('/classifiers', { name: 'n', classifierOptions });
        const classifierOptionIds = [made.classifierOptions[0].id];
        const { body: before } = await team.post('/items', { id: 'i', name: 'n', classifierOptionIds });
        assertInvalid(await team.put('/items/i', { rollNumerator: 1e200 }), '/body/rollNumerator');
        assert.deepEqual((await team.get('/items/i')).body, before);
      });

      test('in this order: an invalid request, an unknown item, invalid references', async () => {
        const unknown = { classifierOptionIds: ['nobody'] };
        assertInvalid(await service().put('/items/nobody', { ...unknown, colour: 'red' }), '/body/colour');
        const turned = { itemAttributes: [{ attributeId: 'nobody', min: 2, max: 1 }] };
        assertInvalid(await service().put('/items/nobody', turned), '/body/itemAttributes/0/min');
        const twice = { classifierOptionIds: ['a', 'a'] };
        assertInvalid(await service().put('/items/nobody', twice), '/body/classifierOptionIds/1');
        assert.equal((await service().put('/items/nobody', unknown)).status, 404);
        await create(service(), 'somebody');
        assertInvalid(await service().put('/items/somebody', unknown), '/body/classifierOptionIds/0');
      });
    });
  });

  describe('deletion', () => {
    test('deletes the attributes and options of the item', async () => {
      const item = {
        id: 'going',
        name: 'n',
        classifierOptionIds: [optionId('epic')],
        itemAttributes: [{ attributeId: 'damage', min: 1, max: 2 }],
      };
      assertDone(await service().post('/items', item));
      assert.deepEqual(assertDone(await service().delete('/items/going')).body, {});
      assert.equal((await service().get('/items/going')).status, 404);
      assert.ok(!(await service().get('/items')).body.some(({ id }: { id: string }) => id === 'going'));
      const left = await service().database.read('', async ({ queries: reader }) => [
        await reader.selectFrom('item_attributes').select('id').where('item_id', '=', 'going').execute(),
        await reader.selectFrom('item_classifiers').select('id').where('item_id', '=', 'going').execute(),
      ]);
      assert.deepEqual(left, [[], []]);
      assertDone(await create(service(), 'going'));
    });

    keepsTheRulesOfRows(service, 'DELETE /items/{id}', (client, id) => client.delete(`/items/${id}`), create);

    describe('rejects', () => {
      test('an item that users have instances of', async () => {
        const { body: before } = await create(service(), 'owned');
        const { body: instance } = assertDone(
          await service().post('/item-instances', { itemId: 'owned', userId: 'owner' }),
        );
        const answer = await service().delete('/items/owned');
        assertInvalid(answer, '/path/id');
        assert.match(answer.body.issues[0].message, new RegExp(instance.id));
        assert.deepEqual((await service().get('/items/owned')).body, before);
        assertDone(await service().get(`/item-instances/${instance.id}`));
        assertDone(await service().delete(`/item-instances/${instance.id}`));
        assertDone(await service().delete('/items/owned'));
      });

      test('an item that a template refers to', async () => {
        const item = 'named-by-template';
        assertDone(await create(service(), item));
        const template = { id: 'naming', name: 'Banner', config: { featuredItemIds: [item] } };
        assertDone(await service().post('/templates', template));
        const answer = await service().delete(`/items/${item}`);
        assertInvalid(answer, '/path/id');
        assert.match(answer.body.issues[0].message, /Banner.*naming/);
        assertDone(await service().get(`/items/${item}`));
      });
    });
  });

  describe('description and data', () => {
    const data = { sound: 'clang', quests: [7, { stage: null }], '☘': { deep: [[]] } };
    const show = async (id: string) => assertDone(await service().get(`/items/${id}`)).body;
    const entityOf = async (id: string) => {
      const { items } = assertDone(await service().get('/catalog')).body;
      return items.find((item: { id: string }) => item.id === id);
    };

    test('are stored, returned, changed one by one, and removed by null', async () => {
      const description = 'Forged\nat first light. ☘';
      const { body } = assertDone(await service().post('/items', { id: 'told', name: 'Told', description, data }));
      assert.deepEqual([body.description, body.data], [description, data]);
      assert.deepEqual(await show('told'), body);
      const listed = assertDone(await service().get('/items?limit=1000')).body;
      assert.deepEqual(
        listed.find((item: { id: string }) => item.id === 'told'),
        body,
      );
      assertDone(await service().put('/items/told', { name: 'Told again' }));
      assertDone(await service().put('/items/told', { description: null }));
      const changed = await show('told');
      assert.deepEqual([changed.name, changed.description, changed.data], ['Told again', null, data]);
      assertDone(await service().put('/items/told', { description: '', data: {} }));
      const emptied = await show('told');
      assert.deepEqual([emptied.description, emptied.data], ['', {}]);
      assertDone(await service().put('/items/told', { data: null }));
      assert.equal((await show('told')).data, null);
    });

    test('are a part of the catalog, where items without them do not mention them', async () => {
      assertDone(await service().post('/items', { id: 'part', name: 'Part', description: 'A part.', data }));
      const whole = await entityOf('part');
      assert.deepEqual([whole.description, whole.data], ['A part.', data]);
      const change = { kind: 'item', id: 'part', after: { ...whole, description: null, data: undefined } };
      const { version } = assertDone(await service().get('/catalog/versions?limit=1')).body[0];
      const { body: plan } = assertDone(await service().post('/catalog/plan', { changes: [change] }));
      assert.deepEqual(plan.changes[0].fields, ['description', 'data']);
      assertDone(await service().post('/catalog/publish', { changes: [change], baseVersion: version }));
      assert.deepEqual(
        Object.keys(await entityOf('part')),
        Object.keys(whole).filter((member) => member !== 'description' && member !== 'data'),
      );
      const { body: shown } = assertDone(await service().get(`/catalog/versions/${version + 1}`));
      assert.deepEqual(shown.changes[0].before, whole);
      assertDone(await service().post('/catalog/publish', { undo: version + 1, baseVersion: version + 1 }));
      assert.deepEqual(await entityOf('part'), whole);
    });

    test('are not told by rolls and instances, which players may wait for', async () => {
      const item = { id: 'long', name: 'Long', description: 'long', data: { secret: 'longer' } };
      assertDone(await service().post('/items', item));
      const given = assertDone(await service().post('/item-instances', { itemId: 'long', userId: 'reader' }));
      const rolled = assertDone(await service().post('/items/roll', {}));
      for (const { body } of [given, rolled]) assert.doesNotMatch(JSON.stringify(body), /"description"|"data"|longer/);
    });

    test('have a length', async () => {
      const sized = (bytes: number) => ({ filler: 'f'.repeat(bytes - JSON.stringify({ filler: '' }).length) });
      const longest = { description: '☘'.repeat(2000), data: sized(8192) };
      assertDone(await service().post('/items', { id: 'longest', name: 'Longest', ...longest }));
      const before = await show('longest');
      assert.deepEqual({ description: before.description, data: before.data }, longest);
      for (const [change, path] of [
        [{ description: 'd'.repeat(2001) }, '/body/description'],
        [{ data: sized(8193) }, '/body/data'],
        // Three bytes each.
        [{ data: { filler: '☘'.repeat(2730) } }, '/body/data'],
        [{ description: 7 }, '/body/description'],
        [{ data: [] }, '/body/data'],
        [{ data: 'text' }, '/body/data'],
      ] as const) {
        assertInvalid(await service().put('/items/longest', change), path);
      }
      assert.deepEqual(await show('longest'), before);
    });
  });

  test('an id may be a path segment that is not reserved', async () => {
    for (const id of ['items', 'move', 'spaces']) {
      assertDone(await create(service(), id));
      assert.equal(assertDone(await service().get(`/items/${id}`)).body.id, id);
    }
    assert.deepEqual(issuePaths(await create(service(), 'odds')), ['/body/id']);
  });

  describe('access', () => {
    keepsTheRulesOfAccess(service, [
      { method: 'POST', path: '/items', changes: true },
      { method: 'GET', path: '/items', changes: false },
      { method: 'GET', path: '/items/any', changes: false },
      { method: 'PUT', path: '/items/any', changes: true },
      { method: 'DELETE', path: '/items/any', changes: true },
    ]);
  });
});
