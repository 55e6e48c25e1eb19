/** The part of autocannon that the measurements use; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    connections: number;
    duration: number;
    requests: { method: string; headers: Record<string, string>; body?: string }[];
  }
  interface Result {
    '2xx': number;
    non2xx: number;
    errors: number;
    duration: number;
    latency: { p50: number; p99: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
