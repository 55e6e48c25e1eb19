import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { LIMITS } from '../src/shared/limits.ts';
import { type ApiResponse, type Client, issuePaths, type Service } from './harness.ts';

/** Rules of the API that hold for many operations, so that each feature states them in one line. */

type Running = () => Service;

export const NOT_FOUND = { code: 'NOT_FOUND', message: 'Not found', issues: [] };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Asserts that a response is an error with issues at exactly these paths. */
export const assertInvalid = (response: ApiResponse, ...paths: string[]): void => {
  assert.equal(response.status, 400, JSON.stringify(response.body));
  assert.equal(response.body.code, 'BAD_REQUEST');
  assert.equal(response.body.message, 'Invalid input data');
  assert.deepEqual(issuePaths(response).sort(), paths.sort(), JSON.stringify(response.body));
  for (const issue of response.body.issues) {
    assert.deepEqual(Object.keys(issue), ['path', 'message']);
    assert.ok(issue.message.length > 0);
  }
};

export const assertConflict = (response: ApiResponse, path: string): void => {
  assert.equal(response.status, 409, JSON.stringify(response.body));
  assert.deepEqual(
    response.body.issues.map((issue: { path: string }) => issue.path),
    [path],
  );
};

export const assertNotFound = (response: ApiResponse): void =>
  assert.equal(response.status, 404, JSON.stringify(response.body));

export const assertDone = (response: ApiResponse): ApiResponse => {
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response;
};

/** Creates whatever a creation refers to in a team. */
type Prepare = (team: Client) => Promise<unknown>;

const nothingToPrepare: Prepare = async () => {};

/** Gives each team the item `coin`, once, for whatever needs an item. */
export const givesCoins = (): Prepare => {
  const done = new Set<string>();
  return async (team) => {
    if (!done.has(team.teamId)) assertDone(await team.post('/items', { id: 'coin', name: 'Coin' }));
    done.add(team.teamId);
  };
};

/** Which ids a creation generates, accepts and rejects; `body` is the rest that it needs. */
export const keepsTheRulesOfIds = (service: Running, path: string, body: object, prepare = nothingToPrepare): void => {
  const post = (more: object) => service().post(path, { ...body, ...more });
  before(() => prepare(service()));

  test('generates a version 7 UUID as the id', async () => {
    assert.match(assertDone(await post({})).body.id, UUID_V7);
  });

  test('accepts an id from the caller', async () => {
    for (const id of ['a', 'AZ.az_09:-', '...', 'Roll', 'rolls', 'x'.repeat(191)])
      assert.equal(assertDone(await post({ id })).body.id, id);
  });

  test('accepts an id that another team uses', async () => {
    const other = await service().anotherTeam();
    await prepare(other);
    assertDone(await other.post(path, { ...body, id: 'in-two-teams' }));
    assert.equal(assertDone(await post({ id: 'in-two-teams' })).body.teamId, service().teamId);
  });

  describe('rejects', () => {
    test('an id that is already in use', async () => {
      assertDone(await post({ id: 'taken' }));
      const response = await post({ id: 'taken' });
      assertInvalid(response, '/body/id');
      assert.deepEqual(response.body.issues, [{ path: '/body/id', message: 'is already in use' }]);
    });

    test('an id with characters or words that are not allowed', async () => {
      const reserved = ['roll', 'odds', 'batch', 'type', 'stats', 'drop-rates'];
      for (const id of ['', '.', '..', ...reserved, 'a b', 'a/b', 'a%b', 'é', 'a\n', 'x'.repeat(192)])
        assertInvalid(await post({ id }), '/body/id');
      for (const id of [1, null, true, ['a'], {}]) assertInvalid(await post({ id }), '/body/id');
    });
  });
};

/** Which names a creation accepts and rejects. */
const keepsTheRulesOfNames = (service: Running, path: string, body: object): void => {
  const post = (more: object) => service().post(path, { ...body, ...more });

  test('accepts names of 1 and of 191 characters, however many bytes they have', async () => {
    for (const name of ['n', ' ', 'n'.repeat(191), 'é'.repeat(191), '🗡'.repeat(191)])
      assert.equal(assertDone(await post({ name })).body.name, name);
    const raw = JSON.stringify({ ...body, name: 'NAME' }).replace('NAME', '\\ud83d\\udde1');
    assert.equal(assertDone(await service().post(path, undefined, { raw })).body.name, '🗡');
  });

  test('accepts a duplicate name', async () => {
    const first = assertDone(await post({ name: 'twin' }));
    assert.notEqual(assertDone(await post({ name: 'twin' })).body.id, first.body.id);
  });

  describe('rejects', () => {
    test('a name that is empty, too long, of another type or missing', async () => {
      for (const name of ['', 'n'.repeat(192), '🗡'.repeat(192), 1, null, ['n'], {}])
        assertInvalid(await post({ name }), '/body/name');
      assertInvalid(await service().post(path, body), '/body/name');
    });

    test('NUL and lone surrogates', async () => {
      for (const name of ['a\u0000b', '\ud83d', 'a\udde1b', '\udde1\ud83d'])
        assertInvalid(await post({ name }), '/body/name');
    });
  });
};

/** Which bodies a creation accepts and rejects, given a valid one. */
export const keepsTheRulesOfBodies = (service: Running, path: string, valid: object): void => {
  const post = (more: object) => service().post(path, { ...valid, ...more });

  test('accepts a body of exactly 1 MiB', async () => {
    const raw = JSON.stringify(valid);
    assertDone(await service().post(path, undefined, { raw: raw.padEnd(LIMITS.bodyBytes, ' ') }));
  });

  describe('rejects', () => {
    test('unknown members', async () => {
      assertInvalid(await post({ colour: 'red', 'a/b~c': 1 }), '/body/colour', '/body/a~1b~0c');
      assertInvalid(await post({ 'a\u0000b': 1 }), '/body');
      for (const member of ['__proto__', 'constructor']) {
        const raw = `{"${member}":{"prototype":{}},${JSON.stringify(valid).slice(1)}`;
        assert.equal((await service().post(path, undefined, { raw })).status, 400);
      }
    });

    test('a body that is missing or not an object', async () => {
      assertInvalid(await service().post(path), '/body');
      for (const raw of ['', '[]', 'null', '1', '"name"', 'true', '{', '{"name":"n",}', '{"name":\'n\'}', 'name=n'])
        assertInvalid(
          await service().post(path, undefined, { raw, headers: { 'content-type': 'application/json' } }),
          '/body',
        );
    });

    test('a body over 1 MiB', async () => {
      const raw = JSON.stringify(valid);
      const response = await service().post(path, undefined, { raw: raw.padEnd(LIMITS.bodyBytes + 1, ' ') });
      assert.equal(response.status, 413);
      assert.deepEqual(response.body, { code: 'PAYLOAD_TOO_LARGE', message: 'Payload too large', issues: [] });
    });

    test('a body with a content type other than JSON', async () => {
      const response = await service().post(path, valid, { headers: { 'content-type': 'text/plain' } });
      assert.equal(response.status, 415);
      assert.deepEqual(response.body, {
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: 'Unsupported media type',
        issues: [{ path: '/headers/content-type', message: 'must be application/json' }],
      });
    });
  });
};

/** What every creation of something with an id and a name accepts and rejects; `body` is the rest that it needs. */
export const keepsTheRulesOfCreation = (
  service: Running,
  path: string,
  body: object,
  prepare = nothingToPrepare,
): void => {
  const valid = { name: 'name', ...body };
  keepsTheRulesOfIds(service, path, valid, prepare);
  keepsTheRulesOfNames(service, path, body);
  keepsTheRulesOfBodies(service, path, valid);
};

/** How a creation treats times that the caller supplies; `body` is the rest that it needs. */
export const keepsTheRulesOfTimes = (
  service: Running,
  path: string,
  body: object,
  prepare = nothingToPrepare,
): void => {
  const post = (more: object) => service().post(path, { ...body, ...more });

  test('returns given times in UTC with milliseconds', async () => {
    service().setClock(Date.parse('2026-05-05T05:05:05.005Z'));
    for (const [given, answered] of [
      ['2026-11-14T09:30:00.000Z', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T09:30Z', '2026-11-14T09:30:00.000Z'],
      ['2026-11-14T09:30:00+05:45', '2026-11-14T03:45:00.000Z'],
      ['2024-02-29T23:30:00.1-01:00', '2024-03-01T00:30:00.100Z'],
      ['2026-11-14T09:30:00.123456789Z', '2026-11-14T09:30:00.123Z'],
      ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ]) {
      const created = assertDone(await post({ createdAt: given })).body;
      assert.deepEqual([created.createdAt, created.updatedAt], [answered, answered]);
      const changed = assertDone(await post({ updatedAt: given })).body;
      assert.deepEqual([changed.createdAt, changed.updatedAt], ['2026-05-05T05:05:05.005Z', answered]);
    }
  });

  test('is listed by given times, page by page, before 1970 and up to the end of 9999', async () => {
    const team = await service().anotherTeam();
    await prepare(team);
    const times = ['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'];
    for (const createdAt of times.toReversed()) assertDone(await team.post(path, { ...body, createdAt }));
    const seen = (await pagesOf(team, `${path}?limit=1`)).flat();
    assert.deepEqual(
      seen.map(({ createdAt }) => createdAt),
      times,
    );
  });

  test('rejects invalid times', async () => {
    for (const wrong of [
      ...['', 'now', '2026', '2026-11-14', '14.11.2026', '2026-11-14T09:30:00', '2026-11-14 09:30:00Z'],
      ...['2026-02-31T00:00:00Z', '2025-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z'],
      ...['2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-01T25:00:00Z', '2026-01-01T00:60:00Z'],
      ...['2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00+00:60', '+012026-01-01T00:00:00Z'],
      ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', 1_700_000_000_000, {}],
    ])
      assertInvalid(await post({ createdAt: wrong, updatedAt: wrong }), '/body/createdAt', '/body/updatedAt');
    assertInvalid(await post({ createdAt: null }), '/body/createdAt');
  });
};

const nextOf = ({ headers }: ApiResponse): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/** The pages of a list, by following the links. */
export const pagesOf = async (team: Client, path: string): Promise<Listed[][]> => {
  const pages: Listed[][] = [];
  for (let link: string | undefined = path; link !== undefined; ) {
    assert.ok(pages.length < 100, 'the links end');
    const page: ApiResponse = assertDone(await team.get(link));
    pages.push(page.body);
    link = nextOf(page);
  }
  return pages;
};

/** What every list accepts and returns; `create` creates a row with a given id. */
export const keepsTheRulesOfLists = (
  service: Running,
  path: string,
  create: (client: Client, id: string) => Promise<ApiResponse>,
): void => {
  const ids = (response: ApiResponse): string[] => response.body.map((row: { id: string }) => row.id);

  test('is empty for a team that has none', async () => {
    const response = assertDone(await (await service().anotherTeam()).get(path));
    assert.deepEqual(response.body, []);
    assert.equal(response.headers.get('link'), null);
  });

  test('is sorted by age, then by the bytes of the ids', async () => {
    const team = await service().anotherTeam();
    const moment = Date.parse('2026-03-01T12:00:00Z');
    service().setClock(moment + 1);
    await create(team, 'a-younger');
    service().setClock(moment);
    for (const id of ['b', 'a', 'Z', '_', 'a.b', 'a-b', '10', '9', 'aa']) assertDone(await create(team, id));
    const all = ['10', '9', 'Z', '_', 'a', 'a-b', 'a.b', 'aa', 'b', 'a-younger'];
    assert.deepEqual(ids(await team.get(path)), all);

    // Every page size leads through the same rows, though most of them were created in the same millisecond.
    for (const limit of [1, 3, 9, 10]) {
      const pages = await pagesOf(team, `${path}?limit=${limit}`);
      for (const { length } of pages) assert.ok(length >= 1 && length <= limit);
      const walked = pages.flat().map(({ id }) => id);
      assert.deepEqual(walked, all);
    }
  });

  test('keeps pages stable while rows before them are added and removed', async () => {
    const team = await service().anotherTeam();
    service().setClock(Date.parse('2026-03-02T12:00:00Z'));
    for (const id of ['a', 'c', 'd']) assertDone(await create(team, id));
    const first = await team.get(`${path}?limit=2`);
    assert.deepEqual(ids(first), ['a', 'c']);
    assertDone(await create(team, 'b'));
    assertDone(await team.delete(`${path}/c`));
    assert.deepEqual(ids(await team.get(nextOf(first) as string)), ['d']);
  });

  test("shows nothing of another team's", async () => {
    const [one, two] = [await service().anotherTeam(), await service().anotherTeam()];
    assertDone(await create(one, 'mine'));
    assert.deepEqual((await two.get(path)).body, []);
    const cursor = Buffer.from(JSON.stringify([0, ''])).toString('base64url');
    assert.deepEqual((await two.get(`${path}?cursor=${cursor}`)).body, []);
  });

  describe('rejects', () => {
    test('a limit outside 1 to 1,000 or that is not a whole number', async () => {
      for (const limit of ['0', '-1', '1001', '1.5', 'all', '', '1e999', 'NaN', '1&limit=2'])
        assertInvalid(await service().get(`${path}?limit=${limit}`), '/query/limit');
      for (const limit of ['1', '1000']) assertDone(await service().get(`${path}?limit=${limit}`));
    });

    test('an invalid cursor', async () => {
      const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const junk = [
        ...[
          '',
          'junk',
          '%00',
          '%F0%9F%97%A1',
          encoded(null),
          encoded({}),
          encoded([]),
          encoded([1]),
          encoded(['1', 'a']),
        ],
        ...[
          encoded([1.5, 'a']),
          encoded([1e300, 'a']),
          encoded([1, 1]),
          encoded([1, 'a\u0000']),
          encoded([null, null]),
        ],
      ];
      for (const cursor of junk) assertInvalid(await service().get(`${path}?cursor=${cursor}`), '/query/cursor');
      assertInvalid(await service().get(`${path}?cursor=${'A'.repeat(2000)}`), '/query/cursor');
    });

    test('unknown query parameters', async () => {
      assertInvalid(await service().get(`${path}?colour=red&limit=0`), '/query/colour', '/query/limit');
    });
  });
};

/**
 * How an operation on one row responds if there is no such row; `call` gets the row's id as written in a path, where it
 * is `parameter`.
 */
export const keepsTheRulesOfRows = (
  service: Running,
  operation: string,
  call: (client: Client, id: string) => Promise<ApiResponse>,
  create: (client: Client, id: string) => Promise<ApiResponse>,
  parameter = 'id',
): void => {
  describe(`${operation} does not find`, () => {
    test('an unknown id', async () => {
      for (const id of ['nobody', 'y'.repeat(191), '%F0%9F%97%A1', '%2F', "'", '%25']) {
        const response = await call(service(), id);
        assert.equal(response.status, 404, id);
        assert.deepEqual(response.body, NOT_FOUND);
      }
    });

    test("another team's row, with the same response", async () => {
      assertDone(await create(await service().anotherTeam(), 'theirs'));
      const response = await call(service(), 'theirs');
      assert.equal(response.status, 404);
      assert.deepEqual(response.body, NOT_FOUND);
    });

    test('an id with a NUL character', async () => {
      const team = await service().anotherTeam();
      assertDone(await create(team, 'a'));
      for (const id of ['%00', 'a%00', '%00a']) {
        const response = await call(team, id);
        assert.equal(response.status, 404);
        assert.deepEqual(response.body, NOT_FOUND);
      }
    });
  });

  test(`${operation} rejects an id of more than 191 characters`, async () => {
    assertInvalid(await call(service(), 'x'.repeat(192)), `/path/${parameter}`);
    assertInvalid(await call(service(), '%F0%9F%97%A1'.repeat(192)), `/path/${parameter}`);
    assert.equal((await call(service(), '%F0%9F%97%A1'.repeat(191))).status, 404);
  });
};

/**
 * Who may call: nobody without a secret, and for changes nobody with a read-only one, whatever the request contains.
 */
export const keepsTheRulesOfAccess = (
  service: Running,
  operations: readonly { method: string; path: string; changes: boolean }[],
): void => {
  for (const { method, path, changes } of operations) {
    test(`${method} ${path} requires authorization before anything else`, async () => {
      const response = await service()
        .anyone()
        .request(method, path, undefined, {
          ...(method === 'GET' ? {} : { raw: '{"colour":' }),
        });
      assert.equal(response.status, 401);
      assert.deepEqual(
        [response.body.code, response.body.message, issuePaths(response)],
        ['UNAUTHORIZED', 'Authorization not provided', ['/headers/authorization']],
      );
      assert.equal(response.headers.get('www-authenticate'), 'Basic realm="itemwright"');
    });

    if (changes)
      test(`${method} ${path} rejects a read-only secret before it looks at the request`, async () => {
        const reader = await service().as('read');
        const response = await reader.request(method, path, undefined, { raw: '{"colour":' });
        assert.equal(response.status, 403);
        assert.deepEqual(response.body, { code: 'FORBIDDEN', message: 'Insufficient access', issues: [] });
      });
  }
};
