import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';

describe('the console as served', () => {
  let empty: EmptyDatabase;
  let service: Service;
  before(async () => {
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
  });
  after(async () => {
    await service?.stop();
    await empty?.drop();
  });

  const page = async (path: string) => service.anyone().get(path);
  const assetsOf = (html: string): string[] =>
    [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);

  test('serves the page at all of its URLs, so that links can be pasted', async () => {
    for (const path of ['/console', '/console/', '/console/items', '/console/players/a%2Fb']) {
      const { status, headers, body } = await page(path);
      assert.equal(status, 200, path);
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      assert.equal(headers.get('cache-control'), 'no-cache');
      assert.match(body, /<div id="root">/);
    }
  });

  test('has a policy without inline scripts, with a new nonce per response', async () => {
    const [first, second] = [await page('/console'), await page('/console')];
    const policy = first.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
    assert.ok(nonce !== undefined && first.body.includes(`nonce="${nonce}"`));
    assert.doesNotMatch(first.body, /NONCE/);
    assert.notEqual(policy, second.headers.get('content-security-policy'));
    assert.doesNotMatch(first.body, /<script(?![^>]* src=)/);
  });

  test('refers only to files of the service, which are immutable under their names', async () => {
    const { body } = await page('/console');
    const assets = assetsOf(body).filter((path) => path.startsWith('/console/assets/'));
    assert.ok(assets.length >= 2);
    for (const path of assetsOf(body)) assert.match(path, /^\/(?:console\/|docs)/);
    for (const path of assets) {
      const { status, headers } = await page(path);
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    }
  });

  test('returns the usual error for a missing file', async () => {
    for (const name of ['nothing.js', '', '.', '..%2findex.html', '..%2f.sources', '%2fetc%2fpasswd', '%00', '/x.js']) {
      const { status, headers, body } = await page(`/console/assets/${name}`);
      assert.equal(status, 404, name);
      assert.deepEqual(body, { code: 'NOT_FOUND', message: 'Not found', issues: [] });
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });

  test('sends a file again only if it has changed', async () => {
    const { headers } = await page('/console/favicon.svg');
    assert.equal(headers.get('cache-control'), 'public, max-age=3600');
    const etag = headers.get('etag') ?? '';
    // By default, fetch asks for a fresh response if a validator is given.
    const asked = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    const again = await service.anyone().get('/console/favicon.svg', { headers: asked });
    assert.equal(again.status, 304);
    const other = await service.anyone().get('/console/favicon.svg', { headers: { 'if-match': '"another"' } });
    assert.deepEqual([other.status, other.body.code], [412, 'PRECONDITION_FAILED']);
  });

  test('is compressed as the browser accepts, and loads with less than 300 kB', async () => {
    const { body } = await page('/console');
    let bytes = body.length;
    for (const path of assetsOf(body).filter((asset) => asset.startsWith('/console/'))) {
      const sizes: Record<string, number> = {};
      for (const encoding of ['br', 'gzip', 'identity']) {
        const response = await fetch(`${service.address}${path}`, { headers: { 'accept-encoding': encoding } });
        const encoded = response.headers.get('content-encoding') ?? 'identity';
        assert.equal(encoded, encoding, path);
        assert.equal(response.headers.get('vary'), 'accept-encoding');
        sizes[encoding] = Number(response.headers.get('content-length'));
        await response.arrayBuffer();
      }
      assert.ok((sizes.br ?? 0) <= (sizes.gzip ?? 0));
      bytes += sizes.gzip ?? 0;
    }
    assert.ok(bytes < 300_000, `${bytes} bytes`);
  });

  test('has an icon where browsers look for one', async () => {
    const { status, headers } = await page('/favicon.ico');
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/svg+xml']);
  });
});
