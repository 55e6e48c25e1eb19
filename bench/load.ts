import autocannon from 'autocannon';

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Sent in turn. */
  readonly bodies?: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly authorization?: string;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly answered: number;
  readonly refused: number;
}

/** Asks as fast as answers come, on so many connections, for so long. */
export const measure = async ({
  url,
  method,
  bodies,
  connections,
  seconds,
  authorization,
}: Load): Promise<Measured> => {
  const headers = {
    ...(authorization === undefined ? {} : { authorization }),
    ...(bodies === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: (bodies ?? [undefined]).map((body) => ({ method, headers, ...(body === undefined ? {} : { body }) })),
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    answered: result['2xx'],
    refused: result.non2xx + result.errors,
  };
};
