import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { LIMITS } from '../../shared/limits.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

interface Listed {
  readonly id: string;
  readonly item: { readonly id: string };
}

/**
 * The first option is on more items than are looked up one by one, the second on a few; most instances have neither.
 */
const COMMON = range(LIMITS.itemsLookedUp + 1).map((number) => `common-${number}`);
const RARE = ['rare-0', 'rare-1'];

onEveryDatabase('instances filtered by options', (service) => {
  let team: Client;
  let all: Listed[];
  const optionIds = new Map<string, string>();

  const pagesOf = async (query: string, limit: number): Promise<Listed[][]> => {
    const pages: Listed[][] = [];
    for (let path: string | undefined = `/item-instances?${query}&limit=${limit}`; path !== undefined; ) {
      const { status, body, headers } = await team.get(path);
      assert.equal(status, 200, JSON.stringify(body));
      pages.push(body);
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    return pages;
  };

  before(async () => {
    team = await service().anotherTeam();
    const { body: rarity } = await team.post('/classifiers', {
      ...{ id: 'rarity', name: 'Rarity' },
      classifierOptions: [{ name: 'common' }, { name: 'rare' }, { name: 'unused' }],
    });
    for (const { id, name } of rarity.classifierOptions) optionIds.set(name, id);
    const ids = (name: string) => [optionIds.get(name)];
    for (const id of COMMON) await team.post('/items', { id, name: id, classifierOptionIds: ids('common') });
    for (const id of RARE) await team.post('/items', { id, name: id, classifierOptionIds: ids('rare') });
    await team.post('/items', { id: 'plain', name: 'Plain' });
    for (const id of ['ann', 'bob']) await team.post('/users', { id });
    const give = async (itemIds: readonly string[]): Promise<void> => {
      for (let start = 0; start < itemIds.length; start += LIMITS.operationsPerBatch) {
        const some = itemIds.slice(start, start + LIMITS.operationsPerBatch);
        const operations = some.map((itemId, index) => ({
          ...{ type: 'create', itemId, userId: index % 3 === 0 ? 'bob' : 'ann' },
        }));
        assert.equal((await team.post('/item-instances/batch', { operations })).status, 200);
      }
    };
    await give([...COMMON, ...RARE, ...RARE]);
    // More instances in between than are scanned at once.
    await give(range(LIMITS.pageRows + 100).map(() => 'plain'));
    await give([...RARE, ...COMMON, ...RARE]);
    all = (await pagesOf('', LIMITS.pageRows)).flat();
    assert.equal(all.length, 2 * COMMON.length + 4 * RARE.length + LIMITS.pageRows + 100);
  });

  const ownedBy = async (userId: string): Promise<Set<string>> =>
    new Set((await pagesOf(`userId=${userId}`, LIMITS.pageRows)).flat().map(({ id }) => id));

  for (const [options, items] of [
    [['common'], COMMON],
    [['rare'], RARE],
    [
      ['common', 'rare'],
      [...COMMON, ...RARE],
    ],
    [['unused'], []],
  ] as const)
    test(`lists all instances with ${options.join(' or ')}, page by page and in order`, async () => {
      const query = `classifierOptionIds=${options.map((name) => optionIds.get(name)).join()}`;
      const wanted = all.filter(({ item }) => (items as readonly string[]).includes(item.id)).map(({ id }) => id);
      for (const limit of [1, 7, LIMITS.pageRows]) {
        const pages = await pagesOf(query, limit);
        assert.deepEqual(
          pages.flat().map(({ id }) => id),
          wanted,
        );
        assert.equal(pages.length, Math.max(1, Math.ceil(wanted.length / limit)), 'no page too many');
        if (limit === 1) continue;
        for (const userId of ['ann', 'bob']) {
          const own = await ownedBy(userId);
          assert.deepEqual(
            (await pagesOf(`${query}&userId=${userId}`, limit)).flat().map(({ id }) => id),
            wanted.filter((id) => own.has(id)),
          );
        }
      }
      for (const itemId of ['plain', 'rare-0', 'nothing'])
        assert.deepEqual(
          (await pagesOf(`${query}&itemId=${itemId}`, LIMITS.pageRows)).flat().map(({ id }) => id),
          all.filter(({ item, id }) => item.id === itemId && wanted.includes(id)).map(({ id }) => id),
        );
    });
});
