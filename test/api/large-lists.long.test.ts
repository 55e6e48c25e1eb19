import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LIMITS } from '../../src/shared/limits.ts';
import { fillBag, fillItems, fillTemplates, fillVocabulary } from '../fill.ts';
import { type Client, onEveryDatabase } from '../harness.ts';

interface Row {
  readonly id: string;
}

onEveryDatabase('a list of large rows', (service) => {
  let team: Client;
  before(async () => {
    team = await service().anotherTeam();
    await service().database.transaction(team.teamId, async (tx) => {
      await fillVocabulary(tx, { classifiers: 100 });
      await fillItems(tx, 'fat', { count: 80, details: 100 });
      await fillBag(tx, 'player', { itemId: 'fat-000000', count: 60, values: 100 });
      await fillTemplates(tx, { count: 15 });
    });
  });

  /** The pages of a list, each with its size in bytes. */
  const pagesOf = async (path: string | undefined): Promise<{ rows: Row[]; bytes: number }[]> => {
    const pages = [];
    for (let next = path; next !== undefined; ) {
      const { status, body, headers } = await team.get(next);
      assert.equal(status, 200);
      pages.push({ rows: body as Row[], bytes: Buffer.byteLength(JSON.stringify(body)) });
      next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    return pages;
  };

  const isWhole = async (path: string, count: number): Promise<void> => {
    const pages = await pagesOf(path);
    assert.ok(pages.length > 1, 'all of it came in one page');
    for (const { bytes } of pages) assert.ok(bytes <= LIMITS.responseBytes * 1.01, `a page of ${bytes} bytes`);
    const ids = pages.flatMap(({ rows }) => rows.map(({ id }) => id));
    assert.equal(new Set(ids).size, count);
    assert.equal(ids.length, count);
    // All have the same creation time.
    assert.deepEqual(ids, ids.toSorted());
  };

  for (const [path, count] of [
    ['/items', 80],
    ['/classifiers', 100],
    ['/templates', 15],
    ['/item-instances', 60],
    ['/item-instances?userId=player', 60],
    ['/item-instances?userSpaceId=bag-of-player', 60],
  ] as const)
    test(`ends its pages early and links to the next: ${path}`, () => isWhole(path, count));

  test('links from a user space to the rest of its contents', async () => {
    for (const show of [
      () => team.get('/users/player/spaces/bag-of-player'),
      () => team.post('/users/player/spaces/bag-of-player/sort'),
    ]) {
      const { status, body } = await show();
      assert.equal(status, 200);
      assert.ok(Buffer.byteLength(JSON.stringify(body)) <= LIMITS.responseBytes * 1.01);
      const rest = await pagesOf(body.moreItemInstances);
      const ids = [...body.itemInstances, ...rest.flatMap(({ rows }) => rows)].map(({ id }: Row) => id);
      assert.deepEqual(ids, ids.toSorted());
      assert.equal(ids.length, 60);
    }
  });
});
