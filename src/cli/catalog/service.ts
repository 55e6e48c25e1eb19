import type { Client, List } from '../../../packages/client/src/index.ts';
import { LIMITS } from '../../shared/limits.ts';
import { CommandError } from '../shared.ts';
import type {
  Attribute,
  CatalogDocument,
  Classifier,
  Item,
  Plan,
  PlanRequest,
  Simulation,
  SimulationRequest,
  Version,
  VersionWithChanges,
} from './api.ts';
import { CallError, type Connection, connect, explain, notItemwright } from './connection.ts';

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
  classifiers(): Promise<readonly Classifier[]>;
  attributes(): Promise<readonly Attribute[]>;
  /** An item, or undefined if there is none. */
  item(id: string): Promise<Pick<Item, 'id' | 'name'> | undefined>;
}

type PlanBody = Parameters<Client['catalog']['plan']>[0];
type PublishBody = Parameters<Client['catalog']['publish']>[0];

/** Explains errors that are part of publishing: somebody else was faster, or the response was lost. */
const publishingError = (error: unknown): unknown => {
  if (!(error instanceof CallError)) return error;
  const stale = error.status === 409 && error.issues.find(({ path }) => path === '/body/baseVersion');
  if (stale) return new CommandError(`nothing was published: ${stale.message}; plan again`);
  return error.maybeDone && !(error.status >= 400 && error.status < 500)
    ? new CommandError(`${error.message}; it is not known whether this was published: see itemwright catalog versions`)
    : error;
};

/** What a promise gives; something else if what it asks for does not exist. */
const orMissing = async <T, U>(promise: Promise<T>, missing: () => U): Promise<T | U> => {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return missing();
    throw error;
  }
};

const noVersion = (number: number) => (): never => {
  throw new CommandError(`there is no version ${number}`);
};

/** Reads a list until it has enough rows. */
const readRows = async <T>(list: List<T>, most: number): Promise<{ rows: T[]; hasMore: boolean }> => {
  const all: T[] = [];
  for await (const { rows, next } of list.pages()) {
    all.push(...rows);
    if (all.length >= most) return { rows: all.slice(0, most), hasMore: next !== undefined || all.length > most };
  }
  return { rows: all, hasMore: false };
};

const allRows = async <T>(list: List<T>): Promise<T[]> => (await readRows(list, Number.POSITIVE_INFINITY)).rows;

export const openService = (connection: Connection): Service => {
  const client = connect(connection);
  const told = async <T>(promise: Promise<T>): Promise<T> => {
    try {
      return await promise;
    } catch (error) {
      throw explain(error, connection);
    }
  };
  /** What a call gives. Another service may be at the address, and have something of the same name. */
  const ask = async <T extends object>(promise: Promise<T>, member: keyof T): Promise<T> => {
    const given = await told(promise);
    if (!(member in Object(given))) throw notItemwright(connection);
    return given;
  };
  return {
    url: connection.url,
    catalog: async () => {
      const { data, etag } = await told(client.catalog.get().withResponse());
      if (!('formatVersion' in Object(data))) throw notItemwright(connection);
      return { document: data, version: Number(/\d+/.exec(etag ?? '')?.[0]) };
    },
    plan: (request) => {
      // The service completes what a request leaves out, such as ids of attributes of items, and checks the rest.
      const planned = ask(client.catalog.plan(request as PlanBody), 'changes');
      return 'rollbackTo' in request ? orMissing(planned, noVersion(request.rollbackTo)) : planned;
    },
    publish: async (request, baseVersion, message) => {
      const body = { ...request, baseVersion, ...(message === undefined ? {} : { message }) } as PublishBody;
      try {
        return await ask(client.catalog.publish(body), 'version');
      } catch (error) {
        throw publishingError(error);
      }
    },
    versions: async (most) => {
      const list = client.catalog.versions({ limit: Math.min(most, LIMITS.pageRows) });
      const { rows, hasMore } = await told(readRows(list, most));
      return { versions: rows, hasMore };
    },
    version: (number) => orMissing(ask(client.catalog.version(number), 'changes'), noVersion(number)),
    simulate: (request, onProgress) =>
      ask(client.templates.simulate(request, { timeoutMs: LIMITS.simulationRequestMs, onProgress }), 'targets'),
    classifiers: () => told(allRows(client.classifiers.list())),
    attributes: () => told(allRows(client.attributes.list())),
    item: (id) => orMissing(told(client.items.get(id)), () => undefined),
  };
};
