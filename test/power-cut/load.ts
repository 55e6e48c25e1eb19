import assert from 'node:assert/strict';
import type { Draws } from '../../src/engine/random.ts';
import { BANNERS, prepareCatalog, type Request } from '../crash-callers.ts';
import { basic } from '../harness.ts';

export const TEAM = { id: 'team', secret: 'a-secret-of-the-power-cuts' };

/** An acknowledged write: from that moment on, its effect must be there. */
export interface Acknowledged {
  readonly mark: string;
  readonly timeNs: number;
}

interface Sent extends Request {
  readonly number: number;
  /** Its effect, if it succeeds. */
  readonly mark: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several kinds.
type Body = any;

export const nowNs = (): number => Number(process.hrtime.bigint());

/** A caller that sends one request at a time, and does a bit of everything with its own data. */
const createCaller = (name: string, draws: Draws) => {
  const below = (bound: number): number => Math.floor(draws() * bound);
  const things: string[] = [];
  let made = 0;
  const gift = (): Request => {
    made += 1;
    const place = things.length < 8 ? { userSpaceId: `${name}-bag` } : {};
    return {
      method: 'POST',
      path: '/item-instances',
      body: { id: `${name}-${made}`, itemId: 'dot', userId: name, ...place },
    };
  };
  const ways: (() => Request)[] = [
    gift,
    gift,
    () => ({ method: 'POST', path: '/items/roll' }),
    () => ({ method: 'POST', path: '/items/roll', body: { userId: name } }),
    () => {
      const body = { userId: name, count: 1 + below(4), userSpaceId: `${name}-bag`, onFull: 'unplaced' };
      return { method: 'POST', path: `/templates/${BANNERS[below(2)]}/roll`, body };
    },
    () => {
      const id = things.pop();
      if (id === undefined) return gift();
      return { method: 'POST', path: `/item-instances/${id}/transfer`, body: { userId: name, toUserId: 'shared' } };
    },
    () => ({ method: 'PUT', path: `/items/${name}-item`, body: { name: '' } }),
  ];
  return {
    prepare: (): Request[] => [
      { method: 'POST', path: `/users/${name}/spaces`, body: { id: `${name}-bag`, spaceId: 'bag' } },
      { method: 'POST', path: '/items', body: { id: `${name}-item`, name: `${name}-item` } },
    ],
    next: (): Request => {
      const oldest = things.length > 12 ? things.shift() : undefined;
      if (oldest !== undefined) return { method: 'DELETE', path: `/item-instances/${oldest}` };
      return (ways[below(ways.length)] as () => Request)();
    },
    handleResponse: ({ path }: Request, body: Body): void => {
      if (path === '/item-instances') things.push(body.id);
      for (const { itemInstance } of body.rolls ?? [body]) if (itemInstance !== undefined) things.push(itemInstance.id);
    },
  };
};

/** All callers, over all lives of a service, and all acknowledged writes. */
export const createLoad = (draws: Draws) => {
  const acknowledged: Acknowledged[] = [];
  const callers = Array.from({ length: 10 }, (_, number) => createCaller(`caller-${number}`, draws));
  /** Requests that a kill cut off. */
  let cutOff: Sent[] = [];
  let requests = 0;
  let address = '';

  const numbered = (request: Request): Sent => {
    requests += 1;
    if (request.method === 'POST') return { ...request, number: requests, mark: `key key-${requests}` };
    if (request.method === 'DELETE') return { ...request, number: requests, mark: `request request-${requests}` };
    const name = `name-${requests}`;
    return { ...request, body: { ...request.body, name }, number: requests, mark: `item ${name}` };
  };

  const send = async ({ method, path, body, number, mark }: Sent): Promise<Body> => {
    const response = await fetch(`${address}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        authorization: basic(TEAM.id, TEAM.secret),
        'x-request-id': `request-${number}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'POST' ? { 'idempotency-key': `key-${number}` } : {}),
      },
    });
    const text = await response.text();
    const timeNs = nowNs();
    assert.equal(response.status, 200, `${method} ${path} ${JSON.stringify(body)}: ${text}`);
    acknowledged.push({ mark, timeNs });
    return JSON.parse(text);
  };

  return {
    acknowledged,
    /** The service has a different address after each start. */
    serviceAt: (given: string): void => {
      address = given;
    },
    prepare: async (): Promise<void> => {
      const must = (method: string, path: string, body?: object) => send(numbered({ method, path, body }));
      await prepareCatalog({ must, get: assert.fail, list: assert.fail });
      for (const caller of callers) for (const request of caller.prepare()) await send(numbered(request));
    },
    /** Repeats the requests that were cut off, with their keys. */
    repeat: async (): Promise<void> => {
      await Promise.all(cutOff.filter(({ method }) => method === 'POST').map(send));
      cutOff = [];
    },
    /**
     * Lets everyone send requests until there are enough responses; then `enough` is called, and whatever fails counts
     * as cut off.
     */
    call: async (count: number, enough: () => void = () => {}): Promise<void> => {
      let left = count;
      const drive = async (caller: (typeof callers)[number]): Promise<void> => {
        while (left > 0) {
          const sent = numbered(caller.next());
          try {
            caller.handleResponse(sent, await send(sent));
          } catch (error) {
            if (left > 0 || error instanceof assert.AssertionError) throw error;
            cutOff.push(sent);
          }
          left -= 1;
          if (left === 0) enough();
        }
      };
      await Promise.all(callers.map(drive));
    },
  };
};
