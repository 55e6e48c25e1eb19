import { type Client, createClient, type List as Listed, NotFoundError, type Schemas } from '@itemwright/client';
import { PATH_PREFIX } from './path-prefix.ts';

export type { Listed, Schemas };
export type Api = Client;

export interface Credentials {
  readonly teamId: string;
  readonly secret: string;
}

export const createApi = ({ teamId, secret }: Credentials): Api =>
  createClient({
    url: `${window.location.origin}${PATH_PREFIX}`,
    teamId,
    secret,
    headers: { 'x-itemwright-source': 'console' },
    // Somebody is waiting for it.
    retries: 2,
  });

/** The data of a response; null if there is no such thing. */
export const orNull = async <T>(call: Promise<T>): Promise<T | null> =>
  call.catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });

/** Maximum number of pages that are read of a list; longer lists are marked as cut. */
const MAX_PAGES = 20;

export interface List<T> {
  readonly rows: T[];
  /** Whether there are more rows than were read. */
  readonly isTruncated: boolean;
}

/** Reads a list page by page. */
export const readAll = async <T>(list: Listed<T>, maxPages = MAX_PAGES): Promise<List<T>> => {
  const all: T[] = [];
  let count = 0;
  for await (const { rows, next } of list.pages()) {
    all.push(...rows);
    count += 1;
    if (count === maxPages) return { rows: all, isTruncated: next !== undefined };
  }
  return { rows: all, isTruncated: false };
};
