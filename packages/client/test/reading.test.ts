import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import {
  type Client,
  ConnectionError,
  createClient,
  PreconditionFailedError,
  TimeoutError,
  UnavailableError,
  ValidationError,
} from '../src/index.ts';
import { json, type Respond, type Server, startServer } from './server.ts';

onEveryDatabase('the client', (service) => {
  let client: Client;
  before(async () => {
    const { address: url, teamId, secret } = service();
    client = createClient({ url, teamId, secret });
    for (let number = 0; number < 7; number += 1)
      await client.items.create({ id: `item-${number}`, name: `Item ${number}` });
  });

  test('walks all pages of a list', async () => {
    const names: string[] = [];
    for await (const { id } of client.items.list({ limit: 3 })) names.push(id);
    const expected = Array.from({ length: 7 }, (_, number) => `item-${number}`);
    assert.deepEqual(names, expected);
    const lengths: number[] = [];
    for await (const { rows } of client.items.list({ limit: 3 }).pages()) lengths.push(rows.length);
    assert.deepEqual(lengths, [3, 3, 1]);
    const list = client.items.list({ limit: 2 });
    const first = await list.page();
    const second = await list.page(first.next);
    assert.deepEqual([first.rows[0]?.id, second.rows[0]?.id], ['item-0', 'item-2']);
    const same = await client.items.list({ limit: 2, cursor: first.next }).page();
    assert.deepEqual(same.rows, second.rows);
    assert.deepEqual(
      (await list.all()).map(({ id }) => id),
      expected,
    );
    assert.equal((await list.all(7)).length, 7);
    await assert.rejects(list.all(6), RangeError);
  });

  test('reads no further than it is walked', async () => {
    const { address: url, teamId, secret } = service();
    let requests = 0;
    const counted: typeof fetch = (...given) => {
      requests += 1;
      return fetch(...given);
    };
    const counting = createClient({ url, teamId, secret, fetch: counted });
    for await (const { id } of counting.items.list({ limit: 3 })) if (id === 'item-3') break;
    assert.equal(requests, 2);
  });

  test('rejects a change of what was changed by somebody else', async () => {
    const { data, etag } = await client.items.get('item-1').withResponse();
    assert.equal(data.name, 'Item 1');
    const changed = await client.items.update('item-1', { name: 'Mine' }, { ifMatch: etag }).withResponse();
    await assert.rejects(client.items.update('item-1', { name: 'Theirs' }, { ifMatch: etag }), PreconditionFailedError);
    await client.items.update('item-1', { name: 'Item 1' }, { ifMatch: changed.etag });
  });

  test('resolves to nothing if what is known is still so', async () => {
    const { teamId, address: url } = service();
    const config = { pool: { itemIds: ['item-0', 'item-1'] } };
    await client.templates.create({ id: 'open', name: 'Open', config, disclosure: 'public' });
    const anyone = createClient({ url });
    const { etag = '' } = await anyone.public.odds(teamId, 'open').withResponse();
    assert.equal(await anyone.public.odds(teamId, 'open', { ifNoneMatch: etag }), undefined);
    assert.notEqual(await anyone.public.odds(teamId, 'open', { ifNoneMatch: '"other"' }), undefined);
  });

  test('reports the progress of a simulation', async () => {
    const config = { pool: { itemIds: ['item-0', 'item-1'] } };
    const request = { type: 'gacha', config, players: 1000, rolls: 10, seed: 'a' } as const;
    const progress: number[] = [];
    const watched = await client.templates.simulate(request, { onProgress: (share) => progress.push(share) });
    assert.deepEqual([progress[0], progress.at(-1)], [0, 1]);
    assert.deepEqual(watched, await client.templates.simulate(request));
    const wrong = { ...request, players: -1 };
    await assert.rejects(client.templates.simulate(wrong, { onProgress: () => {} }), ValidationError);
  });

  test('returns the text of a proof, and where it goes on', async () => {
    await client.fairness.start('ann');
    const { nextCommitment: commitment, nextManifest: manifest } = await client.fairness.get('ann');
    await client.fairness.rotate('ann', { clientSeed: 'lucky ☘', commitment, manifest });
    const { data, text, next } = await client.users.proof('ann').withResponse();
    assert.deepEqual(JSON.parse(text), data);
    assert.equal(next, undefined);
  });

  test('plans and publishes a catalog', async () => {
    const changes = [{ kind: 'item' as const, id: 'item-6', after: null }];
    const { baseVersion, faults } = await client.catalog.plan({ changes });
    assert.deepEqual(faults, []);
    const { version } = await client.catalog.publish({ changes, baseVersion, message: 'less' });
    assert.equal(version, baseVersion + 1);
    await client.catalog.publish({ undo: version, baseVersion: version, message: 'more' });
  });
});

describe('lines of a simulation', () => {
  let server: Server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const lines =
    (...parts: string[]): Respond =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      for (const part of parts) {
        response.write(part);
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      response.end();
    };
  const run = (options: object = {}) => {
    const progress: number[] = [];
    const onProgress = (share: number) => progress.push(share);
    const call = server.client.templates.simulate({ players: 1, rolls: 1, seed: 'a' }, { onProgress, ...options });
    return { call, progress };
  };

  test('may arrive in any parts', async () => {
    server.answers.push(lines('{"progress":0}\n{"prog', 'ress":0.5}\n', '{"result":{"config":"ä', '"}}\n'));
    const { call, progress } = run();
    assert.deepEqual(await call, { config: 'ä' });
    assert.deepEqual(progress, [0, 0.5]);
    assert.equal(server.received.at(-1)?.headers.accept, 'application/x-ndjson');
  });

  test('each give it more time', async () => {
    server.answers.push(lines('{"progress":0}\n', '{"progress":0.5}\n', '{"progress":1}\n', '{"result":{}}\n'));
    assert.deepEqual(await run({ timeoutMs: 150 }).call, {});
  });

  test('can end with an error, which is final', async () => {
    const error = JSON.stringify({ code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable', issues: [] });
    server.answers.push(lines('{"progress":0}\n', `{"error":${error}}\n`));
    const before = server.received.length;
    await assert.rejects(run().call, UnavailableError);
    assert.equal(server.received.length, before + 1);
  });

  test('can be cut off, and the simulation begins again', async () => {
    server.answers.push(lines('{"progress":0}\n', '{"resu'), lines('{"progress":0}\n', '{"result":{}}\n'));
    const { call, progress } = run();
    await call;
    assert.deepEqual(progress, [0, 0]);
    server.answers.push(lines('{"progress":0}\n'));
    await assert.rejects(run({ retries: 0 }).call, ConnectionError);
  });

  test('reach a callback whose own error is what the call rejects with', async () => {
    server.answers.push(lines('{"progress":0}\n', '{"progress":1}\n', '{"result":{}}\n'));
    const before = server.received.length;
    const error = new Error('mine');
    const onProgress = () => {
      throw error;
    };
    await assert.rejects(run({ onProgress }).call, (thrown) => thrown === error);
    assert.equal(server.received.length, before + 1);
  });

  test('do not extend the time of the whole call', async () => {
    server.answers.push(lines(...Array.from({ length: 20 }, (_, step) => `{"progress":${step / 20}}\n`)));
    const { call, progress } = run({ timeoutMs: 1000, totalTimeoutMs: 200 });
    await assert.rejects(call, TimeoutError);
    assert.ok(progress.length < 20, 'it did not wait for all lines');
  });

  test('are not sent if there is nobody to tell', async () => {
    server.answers.push(json(200, { config: 'a' }));
    await server.client.templates.simulate({ players: 1, rolls: 1, seed: 'a' });
    assert.equal(server.received.at(-1)?.headers.accept, 'application/json');
  });
});
