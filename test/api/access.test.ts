import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTeam } from '../../src/features/teams/teams.service.ts';
import { ROLES, type Role } from '../../src/shared/context.ts';
import { type ApiResponse, basic, type Client, onEveryDatabase } from '../harness.ts';
import { guardedRoutesOf, isForPlayers, PUBLIC_URLS, type Route, routesOf } from '../routes.ts';

const FORBIDDEN = { code: 'FORBIDDEN', message: 'Insufficient access', issues: [] };

const encode = (text: string | Buffer): string => Buffer.from(text as string).toString('base64');

/** A body that no route accepts, to show what is checked before it is read. */
const BROKEN = { raw: '{' };

const callEmptyHanded = ({ method, url }: Route, client: Client): Promise<ApiResponse> => {
  const path = url.replaceAll(/:\w+/g, 'nothing');
  return method === 'GET' || method === 'HEAD'
    ? client.request(method, path)
    : client.request(method, path, undefined, BROKEN);
};

onEveryDatabase('authorization', (service) => {
  const assertUnauthorized = ({ status, body, headers }: ApiResponse, what: string) => {
    assert.equal(status, 401, what);
    assert.deepEqual([body.code, body.message], ['UNAUTHORIZED', 'Authorization not provided'], what);
    assert.deepEqual(
      body.issues.map(({ path }: { path: string }) => path),
      ['/headers/authorization'],
      what,
    );
    assert.equal(headers.get('www-authenticate'), 'Basic realm="itemwright"', what);
    assert.ok(headers.get('x-request-id'), what);
  };

  test('accepts the team id as username and a secret as password', async () => {
    const { teamId, secret } = service();
    const padded = encode(`${teamId}:${secret}`);
    for (const header of [`Basic ${padded}`, `basic ${padded}`, `BASIC ${padded}`, `Basic   ${padded}`]) {
      for (let n = 0; n < 2; n += 1) assert.equal((await service().anyone(header).get('/team')).status, 200, header);
    }
  });

  test('accepts secrets that contain a colon or are not ASCII', async () => {
    for (const secret of ['a:b:c:d:e:f:g:h:i', 'pässwörd-🐉-long-enough']) {
      const { teamId } = await service().database.transaction('', (tx) =>
        createTeam(tx, Date.now(), { name: 'n', secret }),
      );
      assert.equal((await service().anyone(basic(teamId, secret)).get('/team')).status, 200);
    }
  });

  test('accepts a new team immediately', async () => {
    const { teamId, secret } = await service().database.transaction('', (tx) =>
      createTeam(tx, Date.now(), { name: 'New' }),
    );
    assert.equal((await service().anyone(basic(teamId, secret)).get('/team')).body.name, 'New');
  });

  test('returns 401 for anything else', async () => {
    const { teamId, secret } = service();
    const other = await service().anotherTeam();
    for (const [what, header] of [
      ['no header', undefined],
      ['an empty header', ''],
      ['a scheme alone', 'Basic'],
      ['a scheme and a space', 'Basic '],
      ['another scheme', `Bearer ${encode(`${teamId}:${secret}`)}`],
      ['no scheme', encode(`${teamId}:${secret}`)],
      ['a scheme that only begins so', `Basics ${encode(`${teamId}:${secret}`)}`],
      ['no base64', 'Basic !!!!'],
      ['credentials as they are', `Basic ${teamId}:${secret}`],
      ['base64 with something behind', `Basic ${encode(`${teamId}:${secret}`)} x`],
      ['no colon', `Basic ${encode(teamId)}`],
      ['no team', `Basic ${encode(`:${secret}`)}`],
      ['nothing but a colon', `Basic ${encode(':')}`],
      ['an empty secret', basic(teamId, '')],
      ['an unknown team', basic('nobody', secret)],
      ['an unknown secret', basic(teamId, 'wrong-secret-wrong')],
      ["another team's secret", basic(teamId, other.secret)],
      ['a secret with something behind', basic(teamId, `${secret}x`)],
      ['a secret cut short', basic(teamId, secret.slice(0, -1))],
      ['a secret in other letters', basic(teamId, secret.toLowerCase() === secret ? 'X' : secret.toLowerCase())],
      ['a team in other letters', basic(teamId.toUpperCase(), secret)],
      ['a NUL', basic(`${teamId}\0`, secret)],
      ['bytes that are no UTF-8', `Basic ${encode(Buffer.from([0xff, 0xfe, 0x3a, 0xff]))}`],
      ['the digest instead of the secret', basic(teamId, '0'.repeat(64))],
      ['twelve thousand characters', basic('x'.repeat(6000), 'y'.repeat(3000))],
    ] as const) {
      assertUnauthorized(await service().anyone(header).get('/team'), what);
    }
  });

  test('says what is wrong with the header, but not whether there is such a team', async () => {
    const { teamId, secret } = service();
    const messageFor = async (header: string | undefined): Promise<string> =>
      (await service().anyone(header).get('/team')).body.issues[0].message;
    assert.match(await messageFor(undefined), /^is missing: it must be Basic, with a team id/);
    for (const header of ['Basic', `Bearer ${secret}`, `Basic ${encode(teamId)}`])
      assert.match(await messageFor(header), /^must be Basic, followed by the team id, a colon and a secret/, header);
    const wrong = await messageFor(basic(teamId, 'wrong-secret-wrong'));
    assert.match(wrong, /^has a team id or a secret that is wrong/);
    assert.equal(await messageFor(basic('nobody', secret)), wrong);
  });

  test('returns the usual 400 for headers that are too large', async () => {
    const response = await fetch(`${service().address}/team`, {
      headers: { authorization: basic('x'.repeat(30_000), 'y') },
    });
    assert.equal(response.status, 400);
    const { code, message } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([code, message], ['BAD_REQUEST', 'Invalid input data']);
    assert.equal((await service().get('/team')).status, 200, 'the service stays up');
  });

  test('is required on every route except the public ones', () => {
    const urls = [...new Set(routesOf(service().app).map(({ url }) => url))];
    assert.deepEqual(
      urls.filter((url) => !guardedRoutesOf(service().app).some((route) => route.url === url)).sort(),
      [...PUBLIC_URLS, ...urls.filter(isForPlayers)].sort(),
    );
    assert.ok(guardedRoutesOf(service().app).length > 40);
  });

  test('is not required on the public routes', async () => {
    for (const url of PUBLIC_URLS) {
      const { status } = await service().anyone().get(url);
      // There is no file called `*`, but finding that out needs no authorization.
      const expected = url.endsWith('/*') && url !== '/console/*' ? [404] : [200, 301, 302];
      assert.ok(expected.includes(status), `${url}: ${status}`);
    }
  });

  test('is checked before the body, the path and the query on every route', async () => {
    for (const route of guardedRoutesOf(service().app)) {
      const answer = await callEmptyHanded(route, service().anyone());
      const what = `${route.method} ${route.url}`;
      if (route.method === 'HEAD') assert.equal(answer.status, 401, what);
      else assertUnauthorized(answer, what);
      if (route.method === 'GET')
        assertUnauthorized(await service().anyone().get(`${route.url}?nonsense=1&limit=x`), what);
    }
  });

  test('is checked before the size of a body', async () => {
    const raw = `{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    assert.equal((await service().anyone().post('/attributes', undefined, { raw })).status, 401);
    assert.equal((await service().post('/attributes', undefined, { raw })).status, 413);
  });

  /** Operations that change the catalog, and previews of odds, simulations and rolls, which belong to it. */
  const CATALOG =
    /^(?:POST|PUT|DELETE) \/(?:(?:attributes|classifiers|items|templates|spaces)(?:\/:id)?|templates\/(?:odds|simulate|test-rolls)|catalog\/(?!plan).*)$/;
  const MAY: Record<Role, (operation: string) => boolean> = {
    read: () => false,
    support: (operation) => !CATALOG.test(operation),
    design: (operation) => CATALOG.test(operation),
    write: () => true,
    admin: () => true,
  };
  test('tells changes of the catalog from everything else', () => {
    const operations = guardedRoutesOf(service().app).map(({ method, url }) => `${method} ${url}`);
    assert.equal(operations.filter((operation) => CATALOG.test(operation)).length, 23);
  });
  for (const role of ROLES) {
    test(`lets ${role} do exactly what it may on every route`, async () => {
      const caller = await service().as(role);
      for (const route of guardedRoutesOf(service().app)) {
        const { method, url } = route;
        const administers = /^\/secrets(\/|$)/.test(url) || (method === 'PUT' && /^\/team(\/|$)/.test(url));
        const reads = method === 'GET' || method === 'HEAD' || url === '/catalog/plan';
        const allowed = administers ? role === 'admin' : reads || MAY[role](`${method} ${url}`);
        const answer = await callEmptyHanded(route, caller);
        const what = `${role} ${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`;
        if (allowed) assert.ok([200, 400, 404].includes(answer.status), what);
        else if (method === 'HEAD') assert.equal(answer.status, 403, what);
        else assert.deepEqual([answer.status, answer.body], [403, FORBIDDEN], what);
      }
    });
  }
});

onEveryDatabase('unknown query parameters', (service) => {
  test('are rejected on every route', async () => {
    for (const { method, url } of guardedRoutesOf(service().app)) {
      if (method === 'HEAD') continue;
      const path = url.replaceAll(/:\w+/g, 'nothing');
      const { status, body } = await service().request(method, `${path}?colour=red`);
      assert.equal(status, 400, `${method} ${url}`);
      const paths = body.issues.map((issue: { path: string }) => issue.path);
      assert.ok(paths.includes('/query/colour'), `${method} ${url} ${paths}`);
    }
  });
});
