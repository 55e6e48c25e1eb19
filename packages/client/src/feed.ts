import { ItemwrightError } from './errors.ts';
import type { Client, FeedEvent, FeedPage } from './schema.ts';

/** Longest pause before a request that failed is sent again. */
const MAX_PAUSE_MS = 10_000;
const WAIT_S = 25;

/** Which events to read, and from where. */
export interface FeedOptions {
  /** A cursor; `now` for only what happens from now on. Without it, from the oldest event that is kept. */
  readonly after?: string | undefined;
  readonly types?: string[] | undefined;
  readonly userId?: string | undefined;
  /** Ends the reading; the loop then ends without an error. */
  readonly signal?: AbortSignal | undefined;
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/**
 * The events of a team, as they happen: `for await (const event of client.events())`. Waits for the next one, and goes on
 * where it was after any failure that may pass; rejects if there is no point in trying again.
 */
export class EventFeed implements AsyncIterable<FeedEvent> {
  /**
   * Where to go on after a restart. It moves on once all events of a page were handled, so the last ones may come again:
   * they have the same ids.
   */
  cursor: string | undefined;
  readonly #client: Client;
  readonly #options: FeedOptions;

  constructor(client: Client, options: FeedOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.cursor = options.after;
  }

  /** The next page; undefined if the reading was ended. */
  async #page(): Promise<FeedPage | undefined> {
    const { types, userId, signal } = this.#options;
    for (let attempts = 1; !signal?.aborted; attempts += 1) {
      try {
        const query = { after: this.cursor, types, userId, wait: WAIT_S };
        return await this.#client.feed.page(query, { signal });
      } catch (error) {
        if (signal?.aborted) break;
        if (!(error instanceof ItemwrightError) || !error.isTemporary) throw error;
        await pause(Math.min(MAX_PAUSE_MS, 100 * 2 ** attempts) * Math.random(), signal);
      }
    }
    return undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, undefined> {
    for (;;) {
      const page = await this.#page();
      if (page === undefined) return;
      yield* page.data;
      this.cursor = page.cursor;
    }
  }
}
