import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { createEmptyDatabase, ENGINES, startService } from '../harness.ts';
import { launchBrowser, noBrowser } from './browser.ts';

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A game</title>
<style>body{font:14px system-ui;margin:24px}td{padding:2px 12px 2px 0;font-family:monospace}</style>
<h1>A game on another origin</h1><table><tbody></tbody></table><script src="/game.js"></script></html>`;

/** The game and the client in one script, as a bundler creates it for a browser. */
const bundle = async (): Promise<string> => {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: {
        entry: fileURLToPath(new URL('vendor-client/game.ts', import.meta.url)),
        formats: ['iife'],
        name: 'game',
      },
    },
  });
  const [output] = [result].flat();
  const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined;
  assert.ok(chunk?.type === 'chunk');
  return chunk.code;
};

/** Serves the page of the game, on an origin of its own. */
const serveGame = async (script: string) => {
  const server = createServer((request, response) => {
    const isScript = request.url === '/game.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(isScript ? script : PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, stop: () => server.close() };
};

describe("the vendor's client in a browser, on another origin", { skip: noBrowser }, () => {
  for (const engine of ENGINES)
    test(`calls every method on ${engine}`, async () => {
      const game = await serveGame(await bundle());
      const empty = await createEmptyDatabase(engine);
      const service = await startService(empty.url, { CORS_ORIGINS: game.origin, PATH_PREFIX: '/api' });
      const browser = await launchBrowser();
      try {
        const api = (path: string, body: unknown) => service.post(`/api${path}`, body);
        await api('/attributes', { id: 'damage', name: 'Damage', min: 0, max: 100 });
        const { body: rarity } = await api('/classifiers', {
          ...{ name: 'Rarity' },
          classifierOptions: [{ name: 'Common' }],
        });
        await api('/items', {
          ...{ id: 'sword', name: 'Sword', classifierOptionIds: [rarity.classifierOptions[0].id] },
          itemAttributes: [{ attributeId: 'damage', min: 10, max: 20 }],
        });
        await api('/spaces', { id: 'backpack', name: 'Backpack', cols: 6, rows: 4 });

        const page = await browser.newPage({ viewport: { width: 1200, height: 640 } });
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(error.message));
        page.on('console', (message) => {
          // The browser reports the one request that is meant to fail.
          if (message.type() === 'error' && !/404 \(Not Found\)/.test(message.text())) errors.push(message.text());
        });
        await page.goto(game.origin);
        const settings = { baseURL: `${service.address}/api`, username: service.teamId, password: service.secret };
        const result = await page.evaluate(
          (given) => (globalThis as unknown as { play(settings: object): Promise<Played> }).play(given),
          settings,
        );
        if (process.env.SCREENSHOTS !== undefined)
          await page.screenshot({ path: `${process.env.SCREENSHOTS}/vendor-client-${engine}.png` });
        assert.deepEqual(errors, []);
        assert.deepEqual(result.called.toSorted(), result.methods.toSorted());
        for (const [name, rows] of Object.entries(result.lists)) assert.equal(rows.length, 1, name);
        assert.equal(result.status, 404);
        // The client sends `value` as it was rolled, so it must be stored unchanged.
        const [kept] = result.lists.instances ?? [];
        assert.equal(kept?.attributes?.[0]?.value, result.rolled.itemAttributeInstances[0]?.value);
      } finally {
        await browser.close();
        await service.stop();
        await empty.drop();
        game.stop();
      }
    });
});

interface Played {
  readonly called: string[];
  readonly methods: string[];
  readonly lists: Record<string, { readonly attributes?: readonly { readonly value: number }[] }[]>;
  readonly rolled: { readonly itemAttributeInstances: readonly { readonly value: number }[] };
  readonly status: unknown;
}
