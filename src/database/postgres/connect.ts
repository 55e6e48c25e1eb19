import { LIMITS } from '../../shared/limits.ts';
import { LATEST } from '../migrate.ts';
import { serversOf } from './address.ts';
import { isInCluster } from './citus.ts';
import { Client, types } from './client.ts';

/**
 * The name of our connections: what this version knows, for whoever looks at the server during an upgrade. That of 0.1.0
 * is `itemwright` alone.
 */
const NAME = `itemwright ${LATEST.slice(0, 4)}`;

/** A name in the URL would take precedence over ours, by which the database tells versions apart. */
const withoutName = (given: string): string => {
  const url = new URL(given);
  if (!url.searchParams.has('application_name')) return given;
  url.searchParams.delete('application_name');
  return url.href;
};

/** Sends nothing but the name at startup: connection poolers reject session settings there. */
const clientOf = (url: string): Client =>
  new Client({
    connectionString: withoutName(url),
    application_name: NAME,
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
    const cluster = isInCluster(client);
    // A standby is reported first; the other question fails with the connection.
    cluster.catch(() => {});
    if (mustAcceptWrites) await client.assertAcceptsWrites();
    client.isCitus = await cluster;
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
  /** Whether the last connection was to a Citus cluster. */
  readonly isCitus: boolean;
  /** Opens a connection. With several servers it picks one that accepts writes, starting with the last one used. */
  connect(options: { mustAcceptWrites: boolean }): Promise<Client>;
}

export const createConnector = (url: string): Connector => {
  const urls = serversOf(url);
  let last = 0;
  let isCitus = false;
  const openAt = async (server: string, mustAcceptWrites: boolean): Promise<Client> => {
    const client = await open(server, mustAcceptWrites);
    isCitus = client.isCitus;
    return client;
  };
  return {
    servers: urls.length,
    get isCitus() {
      return isCitus;
    },
    connect: async ({ mustAcceptWrites }) => {
      if (urls.length === 1) return openAt(url, mustAcceptWrites);
      const first = last;
      const inOrder = [...urls.slice(first), ...urls.slice(0, first)];
      const errors: unknown[] = [];
      for (const [tried, server] of inOrder.entries()) {
        try {
          const client = await openAt(server, true);
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
