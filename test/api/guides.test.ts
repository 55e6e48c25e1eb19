/** The documentation as the service serves it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildSite } from '../../site/build.ts';
import { pagesOf, readContents } from '../../site/contents.ts';
import { operationLink } from '../../site/links.ts';
import { PAGES, readPage } from '../docs.ts';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';

const api = JSON.parse(readPage('openapi.json'));

describe('the guides', () => {
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

  const get = (path: string) => fetch(new URL(path, `${service.address}/guides/`));

  test('list every page of the documentation once', async () => {
    const listed = pagesOf(await readContents()).map(({ file }) => file);
    const written = PAGES.filter((path) => /^docs\/(?!decisions\/)/.test(path));
    const others = ['CHANGELOG.md', 'examples/loot-game/README.md', 'packages/csharp/README.md'];
    assert.deepEqual(listed.toSorted(), [...written, ...others].toSorted());
    assert.deepEqual(
      (await readContents()).parts.map(({ title }) => title),
      ['Start', 'Guides', 'Reference', 'Operate'],
    );
  });

  test('are served as pages and as Markdown, without anything from elsewhere, and every link leads somewhere', async () => {
    const pages = pagesOf(await readContents());
    const ids = new Map<string, Set<string>>();
    const links: [from: string, to: URL][] = [];
    for (const { name, text } of pages) {
      const response = await get(name);
      const html = await response.text();
      assert.equal(response.status, 200, name);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.doesNotMatch(policy, /unsafe|https?:/);
      assert.doesNotMatch(html, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/, name);
      const page = new URL(name, `${service.address}/guides/`);
      ids.set(page.pathname, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
      for (const [, link = ''] of html.matchAll(/ (?:href|src|data-search)="([^"]+)"/g)) {
        const to = new URL(link.replaceAll('&#38;', '&'), page);
        if (to.origin === page.origin) links.push([name, to]);
        else assert.doesNotMatch(html, new RegExp(`<(?:script|link|img)[^>]*${link}`), name);
      }
      const markdown = await get(`${name || 'index'}.md`);
      assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
      const [heading = ''] = /^# .*$/m.exec(text) ?? [];
      assert.ok((await markdown.text()).includes(heading), name);
    }
    const known = new Map<string, number>();
    for (const [from, to] of links) {
      const { pathname, hash } = to;
      if (!known.has(pathname)) known.set(pathname, (await fetch(to)).status);
      assert.equal(known.get(pathname), 200, `${from} links ${pathname}`);
      const there = ids.get(pathname);
      if (hash !== '' && there !== undefined) assert.ok(there.has(decodeURIComponent(hash.slice(1))), `${from}: ${to}`);
    }
  });

  test('have Markdown whose links lead to Markdown', async () => {
    for (const { name } of pagesOf(await readContents())) {
      const text = await (await get(`${name || 'index'}.md`)).text();
      for (const [, link = ''] of text.replace(/^```.*?^```/gms, '').matchAll(/\]\(([^)\s#]+)/g))
        if (!/^[a-z]+:/.test(link)) assert.equal((await get(link)).status, 200, `${name} links ${link}`);
    }
  });

  test('name only operations that exist, and link them to the reference', async () => {
    let found = 0;
    for (const { file, text } of pagesOf(await readContents()).filter(({ name }) => name !== 'changelog'))
      for (const [, code = ''] of text.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`\s]*)`/g)) {
        found += 1;
        assert.ok(operationLink(api, code) !== undefined, `${file}: ${code}`);
      }
    assert.ok(found > 20);
    assert.equal(operationLink(api, 'GET /items'), '../docs/#tag/items/GET/items');
    assert.equal(
      operationLink(api, 'GET /users/{userId}/spaces?limit=1'),
      '../docs/#tag/user-spaces/GET/users/{userId}/spaces',
    );
    assert.equal(operationLink(api, 'GET /itens'), undefined);
    assert.equal(operationLink(api, 'PUT /items'), undefined);
  });

  test('have an index for programs that read', async () => {
    const { headers } = await fetch(`${service.address}/llms.txt`, { redirect: 'manual' });
    assert.equal(headers.get('location'), '/guides/llms.txt');
    const text = await (await get('llms.txt')).text();
    assert.match(text, /^# Itemwright\n\n> \S.*\n\n## Start\n\n- \[/);
    for (const [, link = ''] of text.matchAll(/\]\(([^)]+)\)/g)) assert.equal((await get(link)).status, 200, link);
    for (const { name, title } of pagesOf(await readContents()).slice(1))
      assert.ok(text.includes(`- [${title}](${name}.md): `), title);
  });

  test('are less than 2 MB in total, compressed files included', async () => {
    const { readdir, stat } = await import('node:fs/promises');
    const folder = new URL('../../console/dist/guides/', import.meta.url);
    let total = 0;
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) total += (await stat(`${entry.parentPath}/${entry.name}`)).size;
    assert.ok(total > 100_000 && total < 2_000_000, `${total} bytes`);
  });

  test('are what the pages say today', async () => {
    const site = await buildSite();
    for (const name of ['index.html', 'rolls.html', 'rolls.md', 'llms.txt'])
      assert.equal(await (await get(name)).text(), String(site.get(name)), name);
  });

  test('have names of assets that change with their content, which browsers may keep', async () => {
    const html = await (await get('')).text();
    const assets = [...html.matchAll(/"(assets\/\w+-[0-9a-f]{10}\.\w+)"/g)].map(([, path = '']) => path);
    assert.equal(assets.length, 4);
    for (const path of assets)
      assert.equal((await get(path)).headers.get('cache-control'), 'public, max-age=31536000, immutable', path);
    assert.equal((await get('')).headers.get('cache-control'), 'no-cache');
  });

  test('return the usual error for a missing page', async () => {
    for (const name of [
      'nothing',
      'nothing.md',
      '..%2findex.html',
      '..%2fdocs%2findex.html',
      '%00',
      'assets/',
      'assets',
      '.guides',
    ])
      assert.equal((await get(name)).status, 404, name);
  });
});
