import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { acceptedEncoding } from '../../src/http/prepared-responses.ts';
import { createEmptyDatabase, type EmptyDatabase, ENGINES, type Service, startService } from '../harness.ts';
import { assertDone } from '../rules.ts';

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

test('the encoding is the one that a client prefers', () => {
  for (const [header, expected] of [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['identity, br;q=0.5', undefined],
    ['deflate, zstd', undefined],
    [';;,=,q', undefined],
  ] as const)
    assert.equal(acceptedEncoding(header), expected, header);
});

for (const engine of ENGINES)
  describe(`what is the same for everyone, on ${engine}`, () => {
    let empty: EmptyDatabase;
    let service: Service;
    before(async () => {
      empty = await createEmptyDatabase(engine);
      service = await startService(empty.url);
    });
    after(async () => {
      await service?.stop();
      await empty?.drop();
    });

    /** A response as it is on the wire. */
    const receive = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> => {
      const sent = request(`${service.address}${path}`, { method, headers, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
    };

    const publish = async (): Promise<string> => {
      const items = Array.from({ length: 1000 }, (_, index) => ({
        ...{ id: `item-${index}`, name: `Item ${index}`, classifierOptionIds: ['common'] },
      }));
      const option = { id: 'common', name: 'Common', dropRateMultiplier: 1 };
      const template = { id: 'banner', name: 'Banner', type: 'gacha', config: { baseRates: { common: 1 } } };
      assertDone(
        await service.post('/catalog/publish', {
          ...{ formatVersion: 1, baseVersion: 0, attributes: [], spaces: [], items },
          classifiers: [{ id: 'rarity', name: 'Rarity', classifierOptions: [option] }],
          templates: [{ ...template, disclosure: 'public' }],
        }),
      );
      const path = `/public/${service.teamId}/templates/banner`;
      while ((await service.anyone().get(path)).status === 503) await new Promise((resolve) => setTimeout(resolve, 50));
      return path;
    };

    test('has a tag, is sent in the encoding that is accepted, and not again to those who have it', async () => {
      const page = await publish();
      const { bytes: consolePage } = await receive('/console');
      const [asset] = /\/console\/assets\/[^"]+/.exec(consolePage.toString()) ?? [];
      const { config } = assertDone(await service.anyone().get(`${page}/odds`)).body;
      const snapshots = `/public/${service.teamId}/snapshots`;
      const paths = ['/docs/', '/docs/js/scalar.js', '/openapi.json', '/verify', '/favicon.ico', asset as string];
      assert.equal((await receive(`${snapshots}/${config}`)).status, 404, 'it is not public, as no roll used it');
      for (const path of [...paths, page, `${page}/odds`, `${page}/history`]) {
        const plain = await receive(path);
        assert.equal(plain.status, 200, path);
        const tags = new Set<string>();
        for (const encoding of ['identity', 'gzip', 'br']) {
          const { status, headers, bytes } = await receive(path, { 'accept-encoding': encoding });
          assert.equal(status, 200, path);
          assert.equal(headers.vary, 'accept-encoding', path);
          assert.equal(headers['x-content-type-options'], 'nosniff', path);
          assert.notEqual(headers['cache-control'], 'no-store', path);
          assert.equal(headers['content-length'], String(bytes.length), path);
          const encoded = headers['content-encoding'] ?? 'identity';
          // What is short is not compressed.
          if (plain.bytes.length >= 1024) assert.equal(encoded, encoding, path);
          assert.deepEqual(DECODE[encoded]?.(bytes), plain.bytes, path);
          const tag = headers.etag ?? '';
          tags.add(`${encoded} ${tag}`);
          const known = { 'accept-encoding': encoding, 'if-none-match': `W/${tag}, "other"` };
          const again = await receive(path, known);
          assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, tag], path);
          const head = await receive(path, { 'accept-encoding': encoding }, 'HEAD');
          assert.deepEqual([head.status, head.bytes.length], [200, 0], path);
          assert.equal(head.headers['content-length'], String(bytes.length), path);
          assert.equal(head.headers.etag, tag, path);
        }
        assert.equal(new Set([...tags].map((tag) => tag.split(' ')[1])).size, tags.size, 'a tag per encoding');
      }
    });

    test('has the origin in Vary, too, if other origins may read it', async () => {
      const open = await createEmptyDatabase(engine);
      const other = await startService(open.url, { CORS_ORIGINS: 'https://game.example' });
      try {
        const { headers } = await fetch(`${other.address}/openapi.json`, {
          headers: { origin: 'https://game.example' },
        });
        assert.match(headers.get('vary') ?? '', /\borigin\b.*\baccept-encoding\b/i);
      } finally {
        await other.stop();
        await open.drop();
      }
    });

    test('makes an API reference of less than 1.2 MB', async () => {
      let total = 0;
      for (const path of ['/docs/', '/docs/js/scalar.js', '/openapi.json'])
        total += (await receive(path, { 'accept-encoding': 'gzip, deflate, br' })).bytes.length;
      assert.ok(total < 1.2e6, `${total} bytes`);
    });

    test('is rejected if it is not the version that a client insists on', async () => {
      const { status } = await receive('/openapi.json', { 'if-match': '"other"' });
      assert.equal(status, 412);
    });
  });
