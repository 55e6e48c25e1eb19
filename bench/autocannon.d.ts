/** The part of autocannon that the benchmarks use; the package has no types. */
declare module 'autocannon' {
  export interface Request {
    method: string;
    path: string;
    headers: Record<string, string>;
    body?: string;
    onResponse?: (status: number, body: string) => unknown;
  }
  /** One connection. */
  export interface Client {
    readonly reqsMade: number;
    /** Closes the connection after this many responses. */
    responseMax: number;
    setRequests(requests: Request[]): void;
    on(event: 'response', listener: (status: number) => void): void;
  }
  interface Options {
    url: string;
    connections: number;
    duration: number;
    timeout: number;
    /** Stops after this many errors. */
    bailout: number;
    sampleInt: number;
    requests: Request[];
    setupClient: (client: Client) => void;
  }
  interface Result {
    statusCodeStats: Record<string, { count: number }>;
    errors: number;
    latency: { p50: number; p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
