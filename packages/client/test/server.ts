import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Client, createClient } from '../src/index.ts';

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the server responds to a request. */
export type Respond = (response: ServerResponse, request: Received) => void;

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export interface Server {
  readonly url: string;
  readonly client: Client;
  /** All requests so far. */
  readonly received: Received[];
  /** How it responds to the next requests, one after another; after them with an empty list. */
  readonly answers: Respond[];
  readonly close: () => Promise<void>;
}

/** A server that says what a test wants it to. */
export const startServer = async (): Promise<Server> => {
  const received: Received[] = [];
  const answers: Respond[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const one = { method, url, headers, body: await text(request) };
    received.push(one);
    (answers.shift() ?? json(200, []))(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    client: createClient({ url, teamId: 'team', secret: 'sécret' }),
    received,
    answers,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
