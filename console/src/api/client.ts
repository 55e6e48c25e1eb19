import {
  type Client,
  ConnectionError,
  createClient,
  type Issue,
  ItemwrightError,
  type List as Listed,
  NotFoundError,
  type Schemas,
} from '@itemwright/client';
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

const UNREACHABLE = 'The service cannot be reached. Is it running, and are you connected?';

/** The parts of a JSON pointer, the first of which is empty. */
export const partsOf = (path: string): string[] =>
  path.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * The member of the request that an issue is about: `/body/itemAttributes/0/min` → `itemAttributes 0 min`. Path
 * parameters are left out: they are what the page is about.
 */
const placeOf = (path: string): string =>
  partsOf(path.replace(/^\/path\/.*/, ''))
    .slice(2)
    .join(' ');

export const wordsOf = ({ path, message }: Issue): string => {
  const place = placeOf(path);
  return place === '' ? message : `${place}: ${message}`;
};

export const asSentence = (message: string): string => message.charAt(0).toUpperCase() + message.slice(1);

/** Whether the service has answered with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: readonly number[]): error is ItemwrightError =>
  error instanceof ItemwrightError && statuses.includes(error.status);

/** An error in one line, for a notification. */
export const explain = (error: unknown): string => {
  if (error instanceof ConnectionError) return UNREACHABLE;
  if (!(error instanceof ItemwrightError)) return error instanceof Error ? error.message : String(error);
  if (error.issues.length > 0) return asSentence(error.issues.map(wordsOf).join('; '));
  if (error.status === 403) return 'Your secret does not allow this.';
  return error.message;
};
