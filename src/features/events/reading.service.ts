import type { Read } from '../../database/work.ts';
import { invalid } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import {
  type Cursor,
  checkTypes,
  cursorText,
  isWanted,
  lastCursor,
  parseCursor,
  readPage,
  readSlice,
  type Slice,
  wantedBy,
} from './events.service.ts';
import type { PresentedEvent } from './presenting.service.ts';
import type { FeedWatch, News } from './watching.service.ts';

interface Parts {
  readonly read: Read;
  readonly catalogs: Catalogs;
  readonly feedWatch: FeedWatch;
}

/** The query of a request. */
interface Query {
  readonly after?: string;
  readonly types?: readonly string[];
  readonly userId?: string;
  readonly limit?: number;
  readonly wait?: number;
}

const AFTER = '/query/after';

const afterOf = (text: string | undefined, path = AFTER): Cursor | 'now' | undefined =>
  text === undefined || text === 'now' ? text : parseCursor(text, path);

/** Runs what waits for events. */
type Waits = <T>(wait: (signal: AbortSignal) => Promise<T>) => Promise<T>;

const nextPage = async (
  { read, catalogs, feedWatch }: Parts,
  teamId: string,
  from: Slice,
  query: Query & { readonly limit: number },
  signal: AbortSignal,
): Promise<Slice> => {
  const untilMs = performance.now() + (query.wait ?? 0) * 1000;
  let page = from;
  while (page.events.length === 0 && !page.hasMore) {
    const { cursor } = page;
    const news = await feedWatch.news(teamId, cursor.position, untilMs - performance.now(), signal);
    if (news === undefined) return page;
    page = await read(teamId, (reader) => readPage(reader, catalogs, cursor, query));
  }
  return page;
};

/** A page of the feed, as JSON. */
export const listEvents = async (parts: Parts, teamId: string, given: Query, waits: Waits): Promise<string> => {
  const { read, catalogs, feedWatch } = parts;
  const after = afterOf(given.after);
  checkTypes(given.types, '/query/types');
  const query = { ...given, limit: given.limit ?? LIMITS.eventsPerPageByDefault };
  await feedWatch.settle(teamId);
  let page = await read(teamId, (reader) => readPage(reader, catalogs, after, query));
  if ((given.wait ?? 0) > 0 && page.events.length === 0 && !page.hasMore) {
    const first = page;
    page = await waits((signal) => nextPage(parts, teamId, first, query, signal));
  }
  const texts = page.events.map(({ text }) => text);
  return `{"data":[${texts.join()}],"cursor":${JSON.stringify(cursorText(page.cursor))},"hasMore":${page.hasMore}}`;
};

/** What a stream is asked for. */
interface StreamQuery {
  readonly after: Cursor | 'now' | undefined;
  readonly types: readonly string[] | undefined;
  readonly userId: string | undefined;
  readonly path: string;
}

/** The header is what a client sends that connects again. */
export const streamFrom = ({ after, types, userId, limit, wait }: Query, lastEventId?: string): StreamQuery => {
  checkTypes(types, '/query/types');
  for (const [name, value] of Object.entries({ limit, wait }))
    if (value !== undefined) throw invalid({ path: `/query/${name}`, message: 'is not for streams' });
  const path = lastEventId === undefined ? AFTER : '/headers/last-event-id';
  return { after: afterOf(lastEventId ?? after, path), types, userId, path };
};

const textOf = ({ cursor, stored, text }: PresentedEvent): string =>
  `id: ${cursor}\nevent: ${stored.type}\ndata: ${text}\n\n`;

/** The events from a cursor on, and whatever follows, as server-sent events. Ends when the signal aborts. */
export async function* streamEvents(
  { read, catalogs, feedWatch }: Parts,
  teamId: string,
  { after, path, ...filter }: StreamQuery,
  signal: AbortSignal,
): AsyncGenerator<string> {
  await feedWatch.settle(teamId);
  const readOwn = (from: Cursor | undefined): Promise<Slice> =>
    read(teamId, (reader) => readSlice(reader, catalogs, from, { limit: LIMITS.eventsPerPageByDefault, path }));
  let slice: Slice =
    after === 'now' ? { events: [], cursor: await read(teamId, lastCursor), hasMore: false } : await readOwn(after);
  let wanted = await read(teamId, (reader) => wantedBy(reader, filter));
  // Sent at once, so that the client knows that it is connected; a client without any event goes on from there, too.
  yield `retry: 1000\nid: ${cursorText(after === 'now' ? slice.cursor : (after ?? slice.cursor))}\n\n`;
  let news: News | undefined;
  while (!signal.aborted) {
    // The user may have been created since.
    if (wanted.roller === null && slice.events.length > 0)
      wanted = await read(teamId, (reader) => wantedBy(reader, filter));
    const texts = slice.events.filter(({ stored }) => isWanted(stored, wanted)).map(textOf);
    if (texts.length > 0) yield texts.join('');
    const { cursor } = slice;
    if (!slice.hasMore) {
      news = await feedWatch.news(teamId, cursor.position, Number.POSITIVE_INFINITY, signal);
      if (news === undefined) return;
      slice = await news.read(cursor);
    } else slice = await readOwn(cursor);
  }
}
