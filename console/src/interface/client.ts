import createClient, { type Client } from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import { PATH_PREFIX } from './path-prefix.ts';
import type { components, paths } from './schema.ts';

export type Schemas = components['schemas'];
export type Api = Client<paths>;

export interface Credentials {
  readonly teamId: string;
  readonly secret: string;
}

const base64 = (text: string): string => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

/**
 * Requests carry their own authorization header and no browser credentials, so that the browser's password dialog never
 * opens.
 */
export const createApi = ({ teamId, secret }: Credentials): Api =>
  createClient<paths>({
    baseUrl: `${window.location.origin}${PATH_PREFIX}`,
    credentials: 'omit',
    headers: { authorization: `Basic ${base64(`${teamId}:${secret}`)}`, 'x-itemwright-source': 'console' },
  });

interface ApiResult<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const UNREACHABLE = 'The service cannot be reached. Is it running, and are you connected?';

/** The data of a response and the response itself; errors are thrown. */
export const settle = async <T>(call: Promise<ApiResult<T>>): Promise<{ data: T; response: Response }> => {
  const answered = await call.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, UNREACHABLE);
  });
  const { data, error, response } = answered;
  if (response.ok && data !== undefined) return { data, response };
  const body = (typeof error === 'object' ? error : null) as Partial<Schemas['Error']> | null;
  throw new ApiError(response.status, body?.message ?? `The service returned status ${response.status}.`, body?.issues);
};

/** The data of a response; errors are thrown. */
export const unwrap = async <T>(call: Promise<ApiResult<T>>): Promise<T> => (await settle(call)).data;

/** The data of a response; null if there is no such thing. */
export const orNull = async <T>(call: Promise<T>): Promise<T | null> =>
  call.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });

/** Maximum number of pages that are read of a list; longer lists are marked as cut. */
const MAX_PAGES = 20;

export interface List<T> {
  readonly rows: T[];
  /** Whether there are more rows than were read. */
  readonly isTruncated: boolean;
}

/** Where a response goes on; undefined after the last part. */
export const nextLink = (response: Response): URL | undefined => {
  const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  return next === undefined ? undefined : new URL(next, response.url);
};

/** Where the next page of a list begins; undefined after the last one. */
export const nextCursor = (response: Response): string | undefined =>
  nextLink(response)?.searchParams.get('cursor') ?? undefined;

/** Reads a list page by page. */
export const readAll = async <T>(
  page: (cursor: string | undefined) => Promise<ApiResult<T[]>>,
  maxPages = MAX_PAGES,
): Promise<List<T>> => {
  const rows: T[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    const { data, response } = await settle(page(cursor));
    rows.push(...data);
    cursor = nextCursor(response);
    if (cursor === undefined) return { rows, isTruncated: false };
  }
  return { rows, isTruncated: true };
};
