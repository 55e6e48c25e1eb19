import { LIMITS } from '../../limits.ts';
import { serversOf } from './address.ts';
import { Client, types } from './client.ts';

/** Sends nothing but the name at startup: connection poolers reject session settings there. */
const clientOf = (url: string): Client =>
  new Client({
    connectionString: url,
    application_name: 'itemwright',
    keepAlive: true,
    keepAliveInitialDelayMillis: LIMITS.postgresKeepAliveMs,
    types,
  });

const noResponse = (): Error => Object.assign(new Error('the server did not respond in time'), { code: 'ETIMEDOUT' });

const open = async (url: string, mustAcceptWrites: boolean): Promise<Client> => {
  const client = clientOf(url);
  const timer = setTimeout(() => client.abort(noResponse()), LIMITS.postgresConnectMs);
  try {
    await client.connect();
    if (mustAcceptWrites) await client.assertAcceptsWrites();
    return client;
  } catch (error) {
    client.disconnect();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** The address of a server, without the password. */
const addressOf = (url: string): string => {
  const { hostname, port, searchParams } = new URL(url);
  return `${searchParams.get('host') || hostname}:${searchParams.get('port') || port || 5432}`;
};

const noneAcceptsWrites = (urls: readonly string[], errors: readonly unknown[]): Error => {
  const reasons = errors.map((error, place) => {
    const { message, code } = error as Partial<Error> & { code?: string };
    return `${addressOf(urls[place] as string)}: ${message || code}`;
  });
  return new AggregateError(errors, `no server accepts writes (${reasons.join('; ')})`);
};

export interface Connector {
  /** The number of servers to choose from. */
  readonly servers: number;
  /** Opens a connection. With several servers it picks one that accepts writes, starting with the last one used. */
  connect(options: { mustAcceptWrites: boolean }): Promise<Client>;
}

export const createConnector = (url: string): Connector => {
  const urls = serversOf(url);
  let last = 0;
  return {
    servers: urls.length,
    connect: async ({ mustAcceptWrites }) => {
      if (urls.length === 1) return open(url, mustAcceptWrites);
      const first = last;
      const inOrder = [...urls.slice(first), ...urls.slice(0, first)];
      const errors: unknown[] = [];
      for (const [tried, server] of inOrder.entries()) {
        try {
          const client = await open(server, true);
          last = (first + tried) % urls.length;
          return client;
        } catch (error) {
          errors.push(error);
        }
      }
      throw noneAcceptsWrites(inOrder, errors);
    },
  };
};
