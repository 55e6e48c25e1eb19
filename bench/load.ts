import autocannon, { type Client } from 'autocannon';

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

export interface Load {
  readonly address: string;
  /**
   * Distributed over the connections, in a different order each time; if there are more connections, all of them send
   * the same.
   */
  readonly requests: readonly Request[];
  /** For some requests: a callback for the response. */
  readonly listeners?: ReadonlyMap<Request, (response: string) => void>;
  readonly connections: number;
  readonly seconds: number;
  /** It takes longer if there are fewer responses than this; by default one per connection. */
  readonly atLeast?: number;
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
 * Sends requests on several connections, each as fast as responses arrive, for a given time. Then it waits for requests
 * in flight: they do not count for the rate, but every request gets a response that can be checked.
 */
export const measure = async (load: Load): Promise<Measured> => {
  const { address, connections, seconds, atLeast = connections, authorization, listeners } = load;
  const requests = shuffled(load.requests).map((request) => {
    const listener = listeners?.get(request);
    return {
      ...request,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(listener && { onResponse: (status: number, response: string) => status === 200 && listener(response) }),
    };
  });
  /** Each connection has its own requests, if there are enough, so that no two for one user meet; none starts like the next. */
  const requestsOf = (connection: number) => {
    if (requests.length >= connections) return requests.filter((_, index) => index % connections === connection);
    const first = connection % requests.length;
    return [...requests.slice(first), ...requests.slice(0, first)];
  };

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
      if (received < atLeast && passedMs < TIMEOUT_S * 1000) {
        timer = setTimeout(end, SAMPLE_MS);
        return;
      }
      elapsedMs = passedMs;
      for (const client of clients) client.responseMax = client.reqsMade;
    };
    timer = setTimeout(end, seconds * 1000);
  };
  const result = await autocannon({
    url: address,
    connections,
    duration: seconds + 2 * TIMEOUT_S,
    timeout: TIMEOUT_S,
    bailout: MAX_ERRORS,
    sampleInt: SAMPLE_MS,
    requests: requests.slice(0, 1),
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
  if (elapsedMs === 0) throw new Error(`${address} is gone`);
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
