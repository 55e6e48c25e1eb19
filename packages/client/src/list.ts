import { notOurs } from './errors.ts';
import type { Answer } from './options.ts';

/** One page of a list. */
export interface Page<T> {
  readonly rows: T[];
  /** The cursor of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** A list, which is read when it is walked: `for await (const item of client.items.list())`. */
export class List<T> implements AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Answer<T[]>>;

  constructor(read: (cursor: string | undefined) => Promise<Answer<T[]>>) {
    this.#read = read;
  }

  /** One page: the first, or the one at a cursor. */
  async page(cursor?: string): Promise<Page<T>> {
    const { data, next, response } = await this.#read(cursor);
    // A page that leads to itself would be read for ever.
    if (!Array.isArray(data) || (cursor !== undefined && next?.cursor === cursor)) throw notOurs(response.status);
    return { rows: data, next: next?.cursor };
  }

  /** All pages, one after another. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.page(cursor);
      yield page;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** All rows, one after another; the next page is read when it is needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { rows } of this.pages()) yield* rows;
  }

  /** All rows at once. Throws a `RangeError` if there are more than `max`, so that none is left out unnoticed. */
  async all(max = 10_000): Promise<T[]> {
    const all: T[] = [];
    for await (const { rows } of this.pages()) {
      for (const row of rows) all.push(row);
      if (all.length > max) throw new RangeError(`The list has more than ${max} rows.`);
    }
    return all;
  }
}
