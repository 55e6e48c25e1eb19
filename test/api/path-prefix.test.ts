import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../src/shared/limits.ts';
import { fillBag, fillItems, fillVocabulary } from '../fill.ts';
import { createEmptyDatabase, ENGINES, type Service, startService } from '../harness.ts';

const withPrefix = async (engine: (typeof ENGINES)[number], use: (service: Service) => Promise<void>) => {
  const empty = await createEmptyDatabase(engine);
  const service = await startService(empty.url, { PATH_PREFIX: '/games/api', METRICS: 'on' });
  try {
    await use(service);
  } finally {
    await service.stop();
    await empty.drop();
  }
};

for (const engine of ENGINES)
  describe(`a service with a path prefix on ${engine}`, () => {
    test('serves everything under it, and nothing elsewhere', () =>
      withPrefix(engine, async (service) => {
        const open = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/', '/console', '/console/items'];
        for (const path of [...open, '/team', '/items', '/items?limit=1']) {
          assert.equal((await service.get(`/games/api${path}`)).status, 200, path);
          for (const outside of ['', '/games', '/games/apis', '/games/api/games/api', '/GAMES/API'])
            assert.equal((await fetch(`${service.address}${outside}${path}`)).status, 404, `${outside}${path}`);
        }
        for (const path of ['', '/', '?a=b']) {
          const { status, headers } = await service.get(`/games/api${path}`);
          assert.deepEqual([status, headers.get('location')], [302, '/games/api/console'], path);
        }
        assert.equal((await service.anyone().get('/games/api/items')).status, 401);
      }));

    test('has links that stay under it', () =>
      withPrefix(engine, async (service) => {
        await service.database.transaction(service.teamId, async (tx) => {
          await fillVocabulary(tx, { classifiers: 10 });
          await fillItems(tx, 'thing', { count: 2, details: 1 });
          await fillBag(tx, 'ann', { itemId: 'thing-000000', count: LIMITS.pageRows + 1, values: 1 });
        });
        const { headers } = await service.get('/games/api/items?limit=1');
        const next = /^<(\/games\/api\/items\?[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
        assert.equal((await service.get(next ?? '')).body[0].id, 'thing-000001');
        const { body: bag } = await service.get('/games/api/users/ann/spaces/bag-of-ann');
        assert.match(bag.moreItemInstances, /^\/games\/api\/item-instances\?/);
        const { body: rest } = await service.get(bag.moreItemInstances);
        assert.equal(bag.itemInstances.length + rest.length, LIMITS.pageRows + 1);
      }));

    test('has it in the OpenAPI document', () =>
      withPrefix(engine, async (service) => {
        const { body } = await service.get('/games/api/openapi.json');
        assert.equal(body.servers[0].url, '/games/api');
        assert.ok('/items' in body.paths);
        const { body: page } = await service.get('/games/api/docs/');
        assert.ok(page.includes('/games/api/openapi.json'));
        for (const [, path] of page.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)) {
          const { pathname } = new URL(path, `${service.address}/games/api/docs/`);
          assert.equal((await service.get(pathname)).status, 200, pathname);
        }
        const { body: guide } = await service.get('/games/api/guides/rolls');
        for (const [, path] of guide.matchAll(/(?:src|href|data-search)="([^"#]+)/g)) {
          const { pathname } = new URL(path, `${service.address}/games/api/guides/rolls`);
          assert.equal((await fetch(`${service.address}${pathname}`)).status, 200, pathname);
        }
        assert.equal((await service.get('/games/api/guides')).headers.get('location'), '/games/api/guides/');
        const { body: consolePage } = await service.get('/games/api/console/items');
        for (const [, path] of consolePage.matchAll(/(?:src|href)="([^"]+)"/g))
          assert.match(path, /^\/games\/api\/(?:console\/|docs)/);
      }));
  });
