import assert from 'node:assert/strict';
import { createCallers, type Ledger, prepareCatalog, type Sight } from './crash-callers.ts';
import type { ApiResponse, Client } from './harness.ts';

const NO_LEDGER: Ledger = { rolled: () => {}, rolledUnseen: () => {} };

const sightOf = ({ get, request }: Client): Sight => ({
  get,
  must: async (method, path, body) => {
    const response = await request(method, path, body);
    assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  },
  list: async (path) => (await get(path)).body,
});

/** Texts and numbers that are easily corrupted when copied from one database to another. */
const AWKWARD = {
  id: '_:.-aA',
  text: 'Ünï "quoted" \'one\' \\back\\slash\\ {a,b} NULL,  👾 ￿ é',
  numbers: { min: -1.7976931348623157e308, max: 0.1 + 0.2, step: null },
};

/** A game with many concurrent users, which creates every kind of data that the service stores. */
export const createGame = async (client: Client) => {
  const sight = sightOf(client);
  await prepareCatalog(sight);
  const { id: attributeId } = await sight.must('POST', '/attributes', { name: AWKWARD.text, ...AWKWARD.numbers });
  await sight.must('POST', '/items', {
    id: AWKWARD.id,
    name: AWKWARD.text,
    rollNumerator: 1e-7,
    itemAttributes: [{ attributeId, min: -5e-324, max: 1 / 7 }],
  });
  await sight.must('POST', '/item-instances', { id: AWKWARD.id, itemId: AWKWARD.id, userId: AWKWARD.id });
  await sight.must('POST', '/items', { id: 'gone', name: 'Gone', rollNumerator: 1e9 });
  for (let count = 0; count < 3; count += 1) await sight.must('POST', '/items/roll', {});
  await sight.must('DELETE', '/items/gone');
  const callers = createCallers(sight, NO_LEDGER, 1);
  await Promise.all(callers.map(({ prepare }) => prepare()));
  let keys = 0;

  /** How many requests each caller sends, unless it is told to stop earlier. */
  const play = async (times: number, isOver = () => false): Promise<void> => {
    await Promise.all(
      callers.map(async (caller) => {
        for (let time = 0; time < times && !isOver(); time += 1) {
          const { method, path, body } = caller.next();
          keys += 1;
          const headers: Record<string, string> =
            method === 'POST' && keys % 3 === 0 ? { 'idempotency-key': `key ${keys}` } : {};
          caller.handleResponse(await client.request(method, path, body, { headers }));
        }
      }),
    );
  };
  return { play };
};

/** About six elements, from all over the list. */
const some = <T>(rows: readonly T[]): T[] => rows.filter((_, index) => index % Math.ceil(rows.length / 6) === 0);

/** Everything that the service returns about a team, by path; for users and instances a sample. */
export const responsesOf = async ({ get }: Client, mostPages = 100): Promise<Record<string, unknown>> => {
  const responses: Record<string, unknown> = {};
  const ask = async (path: string) => {
    const { status, body } = await get(path);
    responses[path] = { status, body };
    return body;
  };
  const askAll = async (path: string) => {
    const rows = [];
    let next: string | undefined = path;
    for (let page = 0; page < mostPages && next !== undefined; page += 1) {
      const { body, headers }: ApiResponse = await get(next);
      rows.push(...body);
      next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
    }
    responses[path] = rows;
    return rows;
  };
  for (const path of [
    '/team',
    '/secrets',
    '/attributes',
    '/classifiers',
    '/items/odds',
    '/spaces',
    '/roll-events/stats',
  ])
    await ask(path);
  await ask('/roll-events/drop-rates');
  await askAll('/items');
  await askAll('/item-instance-spaces');
  const templates = await ask('/templates');
  for (const { id } of templates) {
    await ask(`/templates/${id}/odds`);
    await ask(`/roll-events/stats?templateId=${id}`);
    await ask(`/roll-events/drop-rates?templateId=${id}`);
  }
  for (const { id } of some(await askAll('/users'))) {
    const user = encodeURIComponent(id);
    await ask(`/users/${user}`);
    await ask(`/users/${user}/spaces`);
    await ask(`/users/${user}/fairness`);
    await ask(`/users/${user}/receipts`);
    await ask(`/users/${user}/proof`);
    for (const template of templates) await ask(`/users/${user}/templates/${template.id}`);
  }
  for (const { id } of some(await askAll('/item-instances'))) {
    const instance = encodeURIComponent(id);
    await ask(`/item-instances/${instance}`);
    await ask(`/item-instances/${instance}/history`);
  }
  return responses;
};
