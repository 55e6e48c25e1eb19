import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../limits.ts';
import { CommandError } from '../shared.ts';
import type {
  CatalogDocument,
  Plan,
  PlanRequest,
  Simulation,
  SimulationRequest,
  Version,
  VersionWithChanges,
} from './api.ts';
import { ApiError, type Call, type Connection, callAndWatch, connect, NoResponse } from './client.ts';

/** The operations of a running service that the commands use. */
export interface Service {
  readonly url: string;
  /** The whole catalog, and its version. */
  catalog(): Promise<{ readonly document: CatalogDocument; readonly version: number }>;
  plan(request: PlanRequest): Promise<Plan>;
  publish(request: PlanRequest, baseVersion: number, message: string | undefined): Promise<Version>;
  /** The newest versions, and whether there are more. */
  versions(most: number): Promise<{ readonly versions: readonly Version[]; readonly hasMore: boolean }>;
  version(number: number): Promise<VersionWithChanges>;
  /** Simulates players of a template, and reports how far that is, from 0 to 1. */
  simulate(request: SimulationRequest, onProgress: (progress: number) => void): Promise<Simulation>;
  /** All rows of a list. */
  list<T>(path: string): Promise<readonly T[]>;
  /** One entity, or undefined if there is none. */
  find<T>(path: string): Promise<T | undefined>;
}

/** The path of the next page, without the prefix that the service may have. */
const nextOf = (headers: Headers): string | undefined => {
  const [, query] = /<[^>?]*\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return query;
};

/** Follows the pages of a list until it has enough rows. */
const readPages = async <T>(call: Call, path: string, query: string, most: number) => {
  const rows: T[] = [];
  let next: string | undefined = query;
  while (next !== undefined && rows.length < most) {
    const { body, headers } = await call<T[]>({ method: 'GET', path: `${path}?${next}` });
    rows.push(...body);
    next = nextOf(headers);
  }
  return { rows: rows.slice(0, most), hasMore: next !== undefined || rows.length > most };
};

/** Explains errors that are part of publishing: somebody else was faster, or the response was lost. */
const publishingError = (error: unknown): unknown => {
  if (error instanceof NoResponse)
    return new CommandError(
      `${error.message}; it is not known whether this was published: see itemwright catalog versions`,
    );
  const stale =
    error instanceof ApiError && error.status === 409
      ? error.issues.find(({ path }) => path === '/body/baseVersion')
      : undefined;
  return stale === undefined ? error : new CommandError(`nothing was published: ${stale.message}; plan again`);
};

/** What a promise gives; another error if what it asks for does not exist. */
const orMissing = async <T>(promise: Promise<T>, message: string): Promise<T> => {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? new CommandError(message) : error;
  }
};

export const openService = (connection: Connection): Service => {
  const call = connect(connection);
  const get = async <T>(path: string): Promise<T> => (await call<T>({ method: 'GET', path })).body;
  return {
    url: connection.url,
    catalog: async () => {
      const { body, headers } = await call<CatalogDocument>({ method: 'GET', path: '/catalog' });
      return { document: body, version: Number(/\d+/.exec(headers.get('etag') ?? '')?.[0]) };
    },
    // Without a key: a plan changes nothing, and its response may be longer than what is stored for a key.
    plan: async (body) => {
      const planned = call<Plan>({ method: 'POST', path: '/catalog/plan', body });
      return ('rollbackTo' in body ? await orMissing(planned, `there is no version ${body.rollbackTo}`) : await planned)
        .body;
    },
    publish: async (request, baseVersion, message) => {
      const body = { ...request, baseVersion, ...(message === undefined ? {} : { message }) };
      try {
        const idempotencyKey = randomUUID();
        return (await call<Version>({ method: 'POST', path: '/catalog/publish', body, idempotencyKey })).body;
      } catch (error) {
        throw publishingError(error);
      }
    },
    versions: async (most) => {
      const query = `limit=${Math.min(most, LIMITS.pageRows)}`;
      const { rows, hasMore } = await readPages<Version>(call, '/catalog/versions', query, most);
      return { versions: rows, hasMore };
    },
    version: (number) => orMissing(get(`/catalog/versions/${number}`), `there is no version ${number}`),
    simulate: (body, onProgress) => {
      const request = { method: 'POST', path: '/templates/simulate', body } as const;
      return callAndWatch(connection)<Simulation>(request, LIMITS.simulationRequestMs, onProgress);
    },
    list: async <T>(path: string) => (await readPages<T>(call, path, '', Number.POSITIVE_INFINITY)).rows,
    find: async <T>(path: string) => {
      try {
        return await get<T>(path);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    },
  };
};
