import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiResponse, type Client, onEveryDatabase, startService } from '../../../test/harness.ts';
import { assertDone, assertInvalid, keepsTheRulesOfAccess } from '../../../test/rules.ts';
import { agrees, cheapDraws, countedDraws, listedDraws } from '../../../test/statistics.ts';
import type { Draws } from '../../engine/random.ts';
import { LIMITS } from '../../shared/limits.ts';

const roll = (client: Client, body?: object) => client.post('/items/roll', body);
const rolledId = (answer: ApiResponse): string => assertDone(answer).body.item.id;

const LARGEST_DRAW = 1 - 2 ** -53;

/**
 * The definition of a choice, as a caller would verify it: ids in byte order, the first running total above `u ×
 * total`.
 */
const choose = (weights: Record<string, number>, u: number): string => {
  const entries = Object.entries(weights).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const t = u * entries.reduce((sum, [, weight]) => sum + weight, 0);
  let running = 0;
  for (const [id, weight] of entries) {
    running += weight;
    if (running > t) return id;
  }
  return entries.findLast(([, weight]) => weight > 0)?.[0] as string;
};

const decimals = (value: number): number => String(value).split('.')[1]?.length ?? 0;

/** The definition of a value. The bounds in this file are plain decimals, so that the printed digits can be counted. */
const valueAt = ({ min, max, step }: { min: number; max: number; step: number | null }, u: number): number => {
  if (step !== null) {
    const d = Math.max(decimals(min), decimals(max), decimals(step));
    const count = Math.round((max - min) * 10 ** d);
    const steps = Math.floor(count / Math.round(step * 10 ** d)) + 1;
    return Number((min + Math.floor(u * steps) * step).toFixed(d));
  }
  if (Number.isInteger(min) && Number.isInteger(max)) return min + Math.floor(u * (max - min + 1));
  return Math.min(max, min + u * (max - min));
};

onEveryDatabase('rolls', (service, engine) => {
  /** Runs with a team of its own, while the service rolls with these draws. */
  const withDraws = async (draws: Draws, use: (team: Client) => Promise<void>): Promise<void> => {
    const team = await service().anotherTeam();
    service().setDraws(draws);
    try {
      await use(team);
    } finally {
      service().setDraws();
    }
  };

  /** The items that a roll can give, found by draws spread over the whole range. */
  const reachable = async (node: Client, u: { value: number }, body?: object): Promise<string[]> => {
    const found = new Set<string>();
    for (const value of [0, ...Array.from({ length: 15 }, (_, n) => (n + 1) / 16), LARGEST_DRAW]) {
      u.value = value;
      found.add(rolledId(await roll(node, body)));
    }
    return [...found].sort();
  };

  describe('a result', () => {
    test('contains the item with its options and values, and nothing else', async () => {
      const team = await service().anotherTeam();
      service().setClock(Date.parse('2026-11-14T09:30:00Z'));
      await team.post('/attributes', { id: 'damage', name: 'Damage', min: 0, max: 10 });
      await team.post('/attributes', { id: 'speed', name: 'Speed', min: 0, max: 9, step: 0.5 });
      const rarity = (
        await team.post('/classifiers', {
          id: 'rarity',
          name: 'Rarity',
          classifierOptions: [{ name: 'common' }, { name: 'epic', dropRateMultiplier: 0.5 }],
        })
      ).body.classifierOptions.map(({ color, ...option }: { color: null }) => option);
      const { body: item } = await team.post('/items', {
        id: 'sword',
        name: 'Sword',
        thumbnail: 'sword.png',
        width: 2,
        height: 3,
        classifierOptionIds: [rarity[1].id, rarity[0].id],
        itemAttributes: [
          { attributeId: 'speed', min: 2, max: 2 },
          { attributeId: 'damage', min: 7, max: 7 },
        ],
      });
      const { body } = assertDone(await roll(team));
      const { attributes, description, data, ...members } = item;
      const [speed, damage] = attributes;
      const link = (index: number) => body.item.classifiers[index].id;
      assert.notEqual(link(0), link(1));
      assert.deepEqual(body, {
        item: {
          ...members,
          classifiers: [
            [link(0), rarity[1]],
            [link(1), rarity[0]],
          ].map(([id, classifierOption]) => ({
            id,
            itemId: 'sword',
            classifierId: 'rarity',
            classifierOptionId: classifierOption.id,
            classifierOption,
          })),
        },
        itemAttributeInstances: [
          {
            itemAttributeId: speed.id,
            value: 2,
            attribute: { id: 'speed', name: 'Speed', min: 0, max: 9, step: 0.5, teamId: team.teamId },
          },
          {
            itemAttributeId: damage.id,
            value: 7,
            attribute: { id: 'damage', name: 'Damage', min: 0, max: 10, step: null, teamId: team.teamId },
          },
        ],
      });
    });

    test('is the same without a body, with an empty body and with {}', async () => {
      const team = await service().anotherTeam();
      await team.post('/items', { id: 'only', name: 'n' });
      const empty = { raw: '', headers: { 'content-type': 'application/json' } };
      for (const answer of [
        await roll(team),
        await team.post('/items/roll', undefined, empty),
        await roll(team, {}),
        await roll(team, { classifierOptionIds: [] }),
      ]) {
        assert.equal(rolledId(answer), 'only');
        assert.deepEqual(Object.keys(answer.body), ['item', 'itemAttributeInstances']);
      }
    });

    test('is exactly what the definition gives for the draws', async () => {
      const drawn: number[] = [];
      const source = cheapDraws(20_261_115);
      const draws = () => {
        const u = source();
        drawn.push(u);
        return u;
      };
      await withDraws(draws, async (node) => {
        const attributes = [
          { id: 'whole', name: 'whole', min: -3, max: 9, step: null },
          { id: 'stepped', name: 'stepped', min: 0.1, max: 0.75, step: 0.1 },
          { id: 'free', name: 'free', min: -0.5, max: 2.25, step: null },
          { id: 'coarse', name: 'coarse', min: 0, max: 10, step: 4 },
        ];
        for (const attribute of attributes) assertDone(await node.post('/attributes', attribute));
        const multipliers = [null, 0.3, 1.7, 0];
        const classifierOptions = multipliers.map((dropRateMultiplier, n) => ({ name: `o${n}`, dropRateMultiplier }));
        const { body: made } = await node.post('/classifiers', { name: 'n', classifierOptions });
        const options: { id: string; dropRateMultiplier: number | null }[] = made.classifierOptions;
        // Ids whose byte order is neither alphabetical nor the order of creation.
        const items: [string, number, number[], number[]][] = [
          ['b', 10.1, [], [0]],
          ['a', 20.2, [1, 2], [3, 1, 0]],
          ['Z', 12.3, [0], []],
          ['_', 0, [], [2]],
          ['10', 33.3, [2], [1, 2]],
          ['9', 7, [1], [0, 1, 2, 3]],
          ['never', 50, [3], [0]],
          ['a.b', 13.3, [2, 1, 0], [2]],
          ['a-b', 1e-3, [], []],
        ];
        const weights: Record<string, number> = {};
        const ranges: Record<string, { id: string; attributeId: string }[]> = {};
        for (const [id, rollNumerator, optionNumbers, attributeNumbers] of items) {
          const { body } = assertDone(
            await node.post('/items', {
              id,
              name: id,
              rollNumerator,
              classifierOptionIds: optionNumbers.map((n) => options[n]?.id),
              itemAttributes: attributeNumbers.map((n) => {
                const { id: attributeId, min, max } = attributes[n] as (typeof attributes)[number];
                return { attributeId, min, max };
              }),
            }),
          );
          // Multiplied in the order of the option ids, not in the order of the item.
          weights[id] = options
            .filter((_, n) => optionNumbers.includes(n))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .reduce((product, { dropRateMultiplier }) => product * (dropRateMultiplier ?? 1), rollNumerator);
          ranges[id] = body.attributes.toSorted((a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1));
        }
        const seen = new Set<string>();
        for (let n = 0; n < 300; n++) {
          drawn.length = 0;
          const { body } = assertDone(await roll(node));
          const expectedId = choose(weights, drawn[2] as number);
          const values = (ranges[expectedId] ?? []).map(({ id, attributeId }, index) => {
            const attribute = attributes.find((candidate) => candidate.id === attributeId);
            assert.ok(attribute);
            return { itemAttributeId: id, value: valueAt(attribute, drawn[3 + index] as number) };
          });
          assert.equal(body.item.id, expectedId);
          assert.deepEqual(
            body.itemAttributeInstances.map(
              ({ itemAttributeId, value }: { itemAttributeId: string; value: number }) => ({
                itemAttributeId,
                value,
              }),
            ),
            values,
          );
          assert.equal(drawn.length, 3 + values.length);
          seen.add(expectedId);
        }
        assert.ok(seen.size >= 6, 'the draws reach most of the items');
      });
    });

    test('is the first or last item with a weight for draws at either end', async () => {
      await withDraws(listedDraws(0.5, 0.5, 0, 0.5, 0.5, LARGEST_DRAW), async (node) => {
        for (const [id, rollNumerator] of [
          ['a', 0],
          ['b', 3],
          ['c', 1],
          ['d', 0],
        ])
          await node.post('/items', { id, name: 'n', rollNumerator });
        assert.equal(rolledId(await roll(node)), 'b');
        assert.equal(rolledId(await roll(node)), 'c');
      });
    });

    test('is never an item without weight', async () => {
      const u = { value: 0 };
      await withDraws(
        () => u.value,
        async (node) => {
          const classifierOptions = [
            { name: 'never', dropRateMultiplier: 0 },
            { name: 'tiny', dropRateMultiplier: 1e-9 },
          ];
          const { body } = await node.post('/classifiers', { name: 'n', classifierOptions });
          const [never, tiny] = body.classifierOptions;
          await node.post('/items', { id: 'a-zero', name: 'n', rollNumerator: 0 });
          await node.post('/items', { id: 'b-first', name: 'n', rollNumerator: 8 });
          await node.post('/items', { id: 'c-zero', name: 'n', classifierOptionIds: [never.id] });
          await node.post('/items', { id: 'd-second', name: 'n', rollNumerator: 8 });
          await node.post('/items', { id: 'e-zero', name: 'n', classifierOptionIds: [tiny.id, never.id] });
          assert.deepEqual(await reachable(node, u), ['b-first', 'd-second']);
        },
      );
    });

    test('agrees with the exact odds over thousands of rolls, at a significance level of one in a million', async () => {
      await withDraws(cheapDraws(7), async (node) => {
        const { body } = await node.post('/classifiers', {
          name: 'rarity',
          classifierOptions: [{ name: 'common' }, { name: 'rare', dropRateMultiplier: 0.2 }],
        });
        const [common, rare] = body.classifierOptions;
        await node.post('/attributes', { id: 'die', name: 'Die', min: 1, max: 6 });
        const weights: Record<string, number> = { a: 50, b: 30, c: 0, d: 25 * 0.2, e: 75 * 0.2 };
        const itemAttributes = [{ attributeId: 'die', min: 1, max: 6 }];
        for (const [id, rollNumerator, option] of [
          ['a', 50, common],
          ['b', 30, common],
          ['c', 0, common],
          ['d', 25, rare],
          ['e', 75, rare],
        ])
          assertDone(
            await node.post('/items', {
              id,
              name: id,
              rollNumerator,
              classifierOptionIds: [option.id],
              itemAttributes,
            }),
          );
        const counts: Record<string, number> = { a: 0, b: 0, c: 0, d: 0, e: 0 };
        const faces = [0, 0, 0, 0, 0, 0];
        // The database does not affect what is rolled, only what is counted.
        const rounds = engine === 'sqlite' ? 40 : 8;
        for (let round = 0; round < rounds; round++) {
          for (const answer of await Promise.all(Array.from({ length: 50 }, () => roll(node)))) {
            const id = rolledId(answer);
            counts[id] = (counts[id] ?? 0) + 1;
            const { value } = answer.body.itemAttributeInstances[0];
            faces[value - 1] = (faces[value - 1] ?? 0) + 1;
          }
        }
        const shares = Object.values(weights).map((weight) => weight / 100);
        assert.ok(agrees(Object.values(counts), shares, 1e-6), JSON.stringify(counts));
        assert.ok(agrees(faces, Array(6).fill(1 / 6), 1e-6), JSON.stringify(faces));
        const dropRates = (await node.get('/roll-events/drop-rates')).body;
        assert.deepEqual(
          Object.fromEntries(
            dropRates.map(({ itemId, dropCount }: { itemId: string; dropCount: number }) => [itemId, dropCount]),
          ),
          Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
        );
        assert.equal((await node.get('/roll-events/stats')).body.totalRolls, 50 * rounds);
      });
    });
  });

  test('is limited to items that have one of the listed options of each classifier', async () => {
    const u = { value: 0 };
    await withDraws(
      () => u.value,
      async (node) => {
        const made: Record<string, string> = {};
        for (const [name, ...names] of [
          ['rarity', 'common', 'epic', 'unused'],
          ['slot', 'hand', 'head'],
        ]) {
          const classifierOptions = names.map((option) => ({ name: option }));
          const { body } = await node.post('/classifiers', { name, classifierOptions });
          for (const option of body.classifierOptions) made[option.name] = option.id;
        }
        const ids = (...names: string[]) => names.map((name) => made[name] as string);
        for (const [id, ...names] of [
          ['bare'],
          ['common-hand', 'common', 'hand'],
          ['common-head', 'common', 'head'],
          ['epic', 'epic'],
          ['epic-hand', 'epic', 'hand'],
          ['mixed', 'common', 'epic', 'head'],
        ])
          assertDone(await node.post('/items', { id, name: 'n', classifierOptionIds: ids(...names) }));

        for (const [filter, expected] of [
          [[], ['bare', 'common-hand', 'common-head', 'epic', 'epic-hand', 'mixed']],
          [['common'], ['common-hand', 'common-head', 'mixed']],
          [
            ['common', 'epic'],
            ['common-hand', 'common-head', 'epic', 'epic-hand', 'mixed'],
          ],
          [['epic', 'hand'], ['epic-hand']],
          [
            ['hand', 'epic', 'head'],
            ['epic-hand', 'mixed'],
          ],
          [['unused', 'common', 'hand', 'hand'], ['common-hand']],
        ] as const)
          assert.deepEqual(await reachable(node, u, { classifierOptionIds: ids(...filter) }), expected, `${filter}`);

        assertInvalid(await roll(node, { classifierOptionIds: ids('unused') }), '/body');
      },
    );
  });

  describe('for a user', () => {
    const stocked = async (): Promise<Client> => {
      const team = await service().anotherTeam();
      await team.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 1_000_000 });
      await team.post('/attributes', { id: 'luck', name: 'Luck', min: 0, max: 1, step: null });
      const itemAttributes = [
        { attributeId: 'luck', min: 0.25, max: 0.75 },
        { attributeId: 'power', min: 0, max: 1_000_000 },
      ];
      assertDone(await team.post('/items', { id: 'charm', name: 'Charm', itemAttributes }));
      return team;
    };

    test('creates an instance with exactly these values, and the user if unknown', async () => {
      const team = await stocked();
      const moment = '2026-11-14T09:30:00.000Z';
      service().setClock(Date.parse(moment));
      const { body } = assertDone(await roll(team, { userId: 'auth0|5f🗡' }));
      const { id } = body.itemInstance;
      assert.deepEqual(body.itemInstance, {
        id,
        itemId: 'charm',
        userId: 'auth0|5f🗡',
        teamId: team.teamId,
        createdAt: moment,
        updatedAt: moment,
        itemInstanceSpace: null,
      });
      const { body: instance } = assertDone(await team.get(`/item-instances/${id}`));
      assert.equal(instance.userId, 'auth0|5f🗡');
      assert.equal(instance.item.id, 'charm');
      assert.equal(instance.itemInstanceSpace, null);
      const values = (list: { itemAttributeId?: string; id: string; value: number }[]) =>
        Object.fromEntries(list.map((entry) => [entry.itemAttributeId ?? entry.id, entry.value]));
      assert.deepEqual(values(instance.attributes), values(body.itemAttributeInstances));
      assert.equal(Object.keys(values(instance.attributes)).length, 2);
      assertDone(await team.get(`/users/${encodeURIComponent('auth0|5f🗡')}`));

      assertDone(await roll(team, { userId: 'auth0|5f🗡' }));
      assert.equal((await team.get('/item-instances')).body.length, 2);
    });

    test('places it if there is room; otherwise rejects it and records nothing', async () => {
      const team = await stocked();
      await team.post('/spaces', { id: 'pouch', name: 'Pouch', cols: 2, rows: 1 });
      const { body: userSpace } = assertDone(await team.post('/users/player/spaces', { spaceId: 'pouch' }));
      for (const x of [0, 1]) {
        const { body } = assertDone(await roll(team, { userId: 'player', userSpaceId: userSpace.id }));
        const placed = body.itemInstance.itemInstanceSpace;
        assert.deepEqual(placed, {
          id: placed.id,
          itemInstanceId: body.itemInstance.id,
          teamUserSpaceId: userSpace.id,
          spacePositionX: x,
          spacePositionY: 0,
          rotated: false,
          teamId: team.teamId,
          createdAt: placed.createdAt,
          updatedAt: placed.createdAt,
        });
        const read = (await team.get(`/item-instances/${body.itemInstance.id}`)).body;
        assert.deepEqual(read.itemInstanceSpace, placed);
      }
      const seen = async () => [
        (await team.get('/roll-events/stats')).body,
        (await team.get('/roll-events/drop-rates')).body,
        (await team.get('/item-instances')).body,
        await service().database.read('', ({ queries: reader }) =>
          reader.selectFrom('roll_events').selectAll().where('team_id', '=', team.teamId).execute(),
        ),
      ];
      const before = await seen();
      const full = await roll(team, { userId: 'player', userSpaceId: userSpace.id });
      assert.equal(full.status, 409);
      assert.equal(full.body.code, 'CONFLICT');
      assert.equal(full.body.message, 'Conflict');
      assert.deepEqual(
        full.body.issues.map(({ path }: { path: string }) => path),
        ['/body/userSpaceId'],
      );
      assert.equal(full.headers.get('x-should-retry'), 'false');
      assert.deepEqual(await seen(), before);
    });

    describe('rejects', () => {
      test('a user space that is unknown or belongs to another user or team, and creates no user', async () => {
        const team = await stocked();
        const other = await stocked();
        for (const client of [team, other]) await client.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 2 });
        const theirs = (await other.post('/users/player/spaces', { spaceId: 'bag' })).body.id;
        const sisters = (await team.post('/users/sister/spaces', { spaceId: 'bag' })).body.id;
        for (const userSpaceId of ['nobody', theirs, sisters])
          assertInvalid(await roll(team, { userId: 'player', userSpaceId }), '/body/userSpaceId');
        assert.equal((await team.get('/users/player')).status, 404);
        assert.equal((await team.get('/roll-events/stats')).body.totalRolls, 0);
      });

      test('a user space without a user', async () => {
        assertInvalid(await roll(await stocked(), { userSpaceId: 'any' }), '/body/userId');
      });

      test('invalid ids of users and user spaces', async () => {
        const team = await stocked();
        for (const wrong of [1, null, [], '', 'x'.repeat(192)])
          assertInvalid(await roll(team, { userId: wrong, userSpaceId: wrong }), '/body/userId', '/body/userSpaceId');
        for (const userId of ['a\nb', '\u007f', '\u0085', 'a\u0000'])
          assertInvalid(await roll(team, { userId }), '/body/userId');
      });
    });
  });

  describe('with nothing to roll', () => {
    const nothing = async (team: Client, word: RegExp) => {
      const bare = await roll(team);
      assert.equal(bare.status, 500);
      const says: string = bare.body.issues[0]?.message;
      assert.match(says, word);
      assert.deepEqual(bare.body, {
        code: 'INTERNAL_SERVER_ERROR',
        message: 'Internal server error',
        issues: [{ path: '', message: says }],
      });
      assert.equal(bare.headers.get('x-should-retry'), 'false');
      const empty = { raw: '', headers: { 'content-type': 'application/json' } };
      assert.equal((await team.post('/items/roll', undefined, empty)).status, 500);
      for (const body of [{}, { userId: 'player' }]) {
        const answer = await roll(team, body);
        assertInvalid(answer, '/body');
        assert.match(answer.body.issues[0].message, word);
      }
      assert.equal((await team.get('/users/player')).status, 404);
      assert.deepEqual((await team.get('/roll-events/stats')).body, {
        totalRolls: 0,
        uniqueItems: 0,
        rollsByTemplate: {},
        rollsByDay: [],
      });
    };

    test('says that there are no items', async () => {
      await nothing(await service().anotherTeam(), /nothing can be rolled.*weight above 0/);
    });

    test('says that no item has a weight', async () => {
      const team = await service().anotherTeam();
      await team.post('/items', { name: 'n', rollNumerator: 0 });
      await nothing(team, /nothing can be rolled.*weight above 0/);
    });

    test('says that the weights are too small or too large', async () => {
      const team = await service().anotherTeam();
      for (const rollNumerator of [1e308, 1e-300, 2 ** 1000 * 1.01, 2 ** -900 * 0.99]) {
        await team.post('/items', { id: 'odd', name: 'n', rollNumerator });
        await nothing(team, /nothing can be rolled.*sum of the weights/);
        await team.delete('/items/odd');
      }
      for (const rollNumerator of [2 ** 1000, 2 ** -900]) {
        await team.post('/items', { id: 'edge', name: 'n', rollNumerator });
        assert.equal(rolledId(await roll(team)), 'edge');
        await team.delete('/items/edge');
      }
    });

    test('makes no draw', async () => {
      const { draws, count } = countedDraws(cheapDraws(1));
      await withDraws(draws, async (node) => {
        await roll(node);
        assert.equal(count(), 0);
      });
    });
  });

  describe('rejects', () => {
    test('options that are unknown or of another team, each with its path', async () => {
      const [team, other] = [await service().anotherTeam(), await service().anotherTeam()];
      const option = async (client: Client): Promise<string> =>
        (await client.post('/classifiers', { name: 'n', classifierOptions: [{ name: 'o' }] })).body.classifierOptions[0]
          .id;
      const [ours, theirs] = [await option(team), await option(other)];
      await team.post('/items', { name: 'n', classifierOptionIds: [ours] });
      assertInvalid(
        await roll(team, { classifierOptionIds: ['nobody', ours, theirs] }),
        ...['/body/classifierOptionIds/0', '/body/classifierOptionIds/2'],
      );
      assert.equal((await team.get('/roll-events/stats')).body.totalRolls, 0);
    });

    test('a test roll for a user, and creates none', async () => {
      const team = await service().anotherTeam();
      await team.post('/items', { name: 'n' });
      const answer = await roll(team, { test: true, userId: 'player' });
      assertInvalid(answer, '/body/test');
      assert.equal(answer.body.issues[0].message, 'is for rolls that nobody gets: omit it, or userId');
      assertInvalid(await roll(team, { test: true, userSpaceId: 'bag' }), '/body/test');
      assertInvalid(
        await roll(team, { test: true, userId: 'player', userSpaceId: 'bag', classifierOptionIds: ['nobody'] }),
        ...['/body/classifierOptionIds/0', '/body/test'],
      );
      for (const test of [null, 'true', 1]) assertInvalid(await roll(team, { test }), '/body/test');
      assert.equal((await team.get('/users/player')).status, 404);
    });

    test('an invalid body', async () => {
      assertInvalid(await roll(service(), { colour: 'red', count: 2 }), '/body/colour', '/body/count');
      for (const classifierOptionIds of [null, 'a', {}, Array(LIMITS.listedIds + 1).fill('a')])
        assertInvalid(await roll(service(), { classifierOptionIds }), '/body/classifierOptionIds');
      assertInvalid(await roll(service(), { classifierOptionIds: [1] }), '/body/classifierOptionIds/0');
      for (const raw of ['{', 'null', '[]', '"a"', '1', '{"userId":"a",}'])
        assertInvalid(await service().post('/items/roll', undefined, { raw }), '/body');
    });

    test('query parameters, which could be mistaken for a working filter', async () => {
      await service().post('/items', { name: 'n' });
      const answer = await service().post('/items/roll?classifierOptionIds=epic');
      assertInvalid(answer, '/query/classifierOptionIds');
    });
  });

  test('records and counts every roll under its user', async () => {
    const team = await service().anotherTeam();
    await team.post('/attributes', { id: 'a', name: 'n' });
    const itemAttributes = [{ attributeId: 'a', min: 5, max: 5 }];
    await team.post('/items', { id: 'only', name: 'Only', itemAttributes });
    service().setClock(Date.parse('2026-11-14T23:59:59.999Z'));
    assertDone(await roll(team));
    service().setClock(Date.parse('2026-11-15T00:00:00.000Z'));
    assertDone(await roll(team, { userId: 'player' }));
    assert.deepEqual((await team.get('/roll-events/stats')).body, {
      totalRolls: 2,
      uniqueItems: 1,
      rollsByTemplate: {},
      rollsByDay: [
        { date: '2026-11-14', count: 1 },
        { date: '2026-11-15', count: 1 },
      ],
    });
    const events = await service().database.read('', ({ queries: reader }) =>
      reader
        .selectFrom('roll_events')
        .select(['template_id', 'roller_id', 'rolled_at', 'results'])
        .where('team_id', '=', team.teamId)
        .orderBy('rolled_at')
        .execute(),
    );
    const player = await service().database.read('', ({ queries }) =>
      queries.selectFrom('users').select('roller_id').where('team_id', '=', team.teamId).executeTakeFirst(),
    );
    assert.deepEqual(
      events.map((event) => ({ ...event })),
      [
        {
          template_id: null,
          roller_id: null,
          rolled_at: Date.parse('2026-11-14T23:59:59.999Z'),
          results: '[["only",5]]',
        },
        {
          template_id: null,
          roller_id: player?.roller_id,
          rolled_at: Date.parse('2026-11-15T00:00:00Z'),
          results: '[["only",5]]',
        },
      ],
    );
  });

  test('records nothing of a test roll', async () => {
    const team = await service().anotherTeam();
    await team.post('/attributes', { id: 'a', name: 'n' });
    const { body: rarity } = await team.post('/classifiers', { name: 'n', classifierOptions: [{ name: 'epic' }] });
    const classifierOptionIds = [rarity.classifierOptions[0].id];
    const itemAttributes = [{ attributeId: 'a', min: 5, max: 5 }];
    await team.post('/items', { id: 'only', name: 'Only', classifierOptionIds, itemAttributes });
    assert.deepEqual((await roll(team, { test: true })).body, (await roll(team, { test: false })).body);
    assert.equal(rolledId(await roll(team, { test: true, classifierOptionIds })), 'only');
    assert.equal((await team.get('/roll-events/stats')).body.totalRolls, 1);
    assert.equal((await team.get('/roll-events/drop-rates')).body[0].dropCount, 1);
    const events = await service().database.read('', ({ queries }) =>
      queries.selectFrom('roll_events').select('results').where('team_id', '=', team.teamId).execute(),
    );
    assert.deepEqual(
      events.map(({ results }) => results),
      ['[["only",5]]'],
    );
  });

  test('sees every change of the catalog immediately, on this node and on another', async () => {
    const here = await service().anotherTeam();
    const node = await startService(service().databaseUrl);
    try {
      const there = node.anyone(`Basic ${btoa(`${here.teamId}:${here.secret}`)}`);
      /** Both nodes have rolled before the change, so each has a catalog that could be stale. */
      const gives = async (check: (body: ApiResponse['body']) => void): Promise<void> => {
        for (const client of [here, there]) check(assertDone(await roll(client)).body);
      };
      const givesItem = (id: string) => gives(({ item }) => assert.equal(item.id, id));

      await here.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 100 });
      const classifierOptions = [{ name: 'o', dropRateMultiplier: 1 }];
      const { body: made } = await here.post('/classifiers', { id: 'c', name: 'n', classifierOptions });
      const option = made.classifierOptions[0];
      const itemAttributes = [{ attributeId: 'power', min: 1, max: 1 }];
      await here.post('/items', { id: 'first', name: 'First', itemAttributes, classifierOptionIds: [option.id] });
      await givesItem('first');

      for (let n = 0; n < 5; n++) {
        await there.post('/items', { id: 'second', name: 'Second', rollNumerator: 1 });
        await here.put('/items/first', { rollNumerator: 0 });
        await givesItem('second');
        await there.delete('/items/second');
        await here.put('/items/first', { rollNumerator: 1, name: `First ${n}` });
        await gives(({ item }) => assert.equal(item.name, `First ${n}`));
      }
      await here.put('/items/first', { itemAttributes: [{ attributeId: 'power', min: 50, max: 50 }] });
      await gives(({ itemAttributeInstances }) => assert.equal(itemAttributeInstances[0].value, 50));
      await there.put('/attributes/power', { name: 'Might', max: 60 });
      await gives(({ itemAttributeInstances: [{ attribute }] }) =>
        assert.deepEqual([attribute.name, attribute.max], ['Might', 60]),
      );
      await here.post('/items', { id: 'third', name: 'Third', rollNumerator: 1 });
      await there.put('/classifiers/c', { classifierOptions: [{ id: option.id, name: 'p', dropRateMultiplier: 0 }] });
      await givesItem('third');
      await here.delete('/items/third');
      assert.equal((await roll(here)).status, 500);
      assert.equal((await roll(there)).status, 500);
      await there.delete('/classifiers/c');
      await gives(({ item }) => assert.deepEqual(item.classifiers, []));
      // A rejected change leaves everything as it was.
      assertInvalid(
        await here.put('/items/first', { rollNumerator: 0, classifierOptionIds: ['gone'] }),
        '/body/classifierOptionIds/0',
      );
      await givesItem('first');
    } finally {
      await node.stop();
    }
  });

  describe('access', () => {
    keepsTheRulesOfAccess(service, [{ method: 'POST', path: '/items/roll', changes: true }]);
  });
});
