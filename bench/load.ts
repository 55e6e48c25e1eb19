import autocannon, { type Client, type Request } from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Distributed over the connections, in a different order each time. */
  readonly bodies?: readonly string[];
  /** For some bodies: a callback for the response. */
  readonly listeners?: ReadonlyMap<string, (response: string) => void>;
  readonly connections: number;
  readonly seconds: number;
  readonly authorization?: string;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** All successful requests, including those in flight when the time was up. */
  readonly succeeded: number;
  readonly failed: number;
  /** A readable summary of the failures. */
  readonly failures: string;
}

/** How long a request may take before it counts as failed. */
const TIMEOUT_S = 30;
/** After this many broken connections the server is gone. */
const MAX_ERRORS = 1000;
/** How often to check whether every request has its response. */
const SAMPLE_MS = 20;

const shuffled = <T>(values: readonly T[]): T[] => {
  const result = [...values];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
};

/**
 * Sends requests on several connections, each as fast as responses arrive, for a given time, and at least one per
 * connection. Then it waits for requests in flight: they do not count for the rate, but every request gets a response
 * that can be checked.
 */
export const measure = async (load: Load): Promise<Measured> => {
  const { url, method, connections, seconds, authorization, listeners } = load;
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(load.bodies === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const bodies = load.bodies && shuffled(load.bodies);
  /** Each connection has its own bodies, so that no two requests for one user meet, and not all start with the same. */
  const requestsOf = (connection: number): Request[] =>
    (bodies?.filter((_, index) => index % connections === connection) ?? [undefined]).map((body) => {
      const listener = body === undefined ? undefined : listeners?.get(body);
      return {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(listener === undefined ? {} : { onResponse: (status, response) => status === 200 && listener(response) }),
      };
    });

  const clients: Client[] = [];
  let received = 0;
  let inTime = 0;
  let elapsedMs = 0;
  let timer: NodeJS.Timeout | undefined;
  /** All connections are opened at once, before any gets a response; then the clock starts. */
  const start = (): void => {
    const startMs = performance.now();
    const end = (): void => {
      const passedMs = performance.now() - startMs;
      if (received < connections && passedMs < TIMEOUT_S * 1000) {
        timer = setTimeout(end, SAMPLE_MS);
        return;
      }
      elapsedMs = passedMs;
      for (const client of clients) client.responseMax = client.reqsMade;
    };
    timer = setTimeout(end, seconds * 1000);
  };
  const result = await autocannon({
    url,
    connections,
    duration: seconds + 2 * TIMEOUT_S,
    timeout: TIMEOUT_S,
    bailout: MAX_ERRORS,
    sampleInt: SAMPLE_MS,
    requests: [{ method, headers }],
    setupClient: (client) => {
      client.setRequests(requestsOf(clients.length));
      clients.push(client);
      if (clients.length === connections) start();
      client.on('response', (status) => {
        received += 1;
        if (elapsedMs === 0 && status === 200) inTime += 1;
      });
    },
  });
  clearTimeout(timer);
  if (elapsedMs === 0) throw new Error(`${url} is gone`);
  const sent = clients.reduce((sum, { reqsMade }) => sum + reqsMade, 0);
  const succeeded = result.statusCodeStats['200']?.count ?? 0;
  const failures = [
    ...Object.entries(result.statusCodeStats).map(([status, { count }]) => ({ what: `status ${status}`, count })),
    { what: 'without a response', count: result.errors },
  ].filter(({ what, count }) => count > 0 && what !== 'status 200');
  return {
    perSecond: (inTime * 1000) / elapsedMs,
    p50: result.latency.p50,
    p99: result.latency.p99,
    succeeded,
    failed: sent - succeeded,
    failures: failures.map(({ what, count }) => `${count} ${what}`).join(', '),
  };
};
