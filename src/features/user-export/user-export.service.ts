import type { Page, Paged } from '../../database/paging.ts';
import type { Read, Reader } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import { listAllBalanceHistory, listBalances } from '../balances/balances.service.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { listGrantsOf } from '../grants/grants.service.ts';
import type { HistoryEvent } from '../history/history.contract.ts';
import { listEventsOf, listPartings } from '../history/history.service.ts';
import { findOwner, listInstancesOf } from '../item-instances/item-instances.service.ts';
import { listItemInstances } from '../item-instances/listing.service.ts';
import { listReceipts } from '../receipts/proofs.service.ts';
import { listUserRolls } from '../rolls/roll-log.service.ts';
import { listUserSpaces } from '../user-spaces/user-spaces.service.ts';
import { listCounterChanges, listStates } from '../user-states/user-states.service.ts';
import { getUser } from '../users/users.service.ts';

type ReadPage = (reader: Reader, page: Page) => Promise<Paged<string>>;

/** The same for rows that are not JSON yet. */
const asTexts =
  <T>(list: (reader: Reader, page: Page) => Promise<Paged<T>>): ReadPage =>
  async (reader, page) => {
    const { rows, next } = await list(reader, page);
    return { rows: rows.map((row) => JSON.stringify(row)), next };
  };

/**
 * The items of a JSON array, page by page, each read for itself, so that no snapshot is held while a client reads. Lists
 * follow one another.
 */
async function* itemsOf(read: Read, teamId: string, lists: readonly ReadPage[]): AsyncGenerator<string> {
  let separator = '';
  for (const list of lists) {
    let page: Page | undefined = { limit: LIMITS.exportedRows };
    while (page !== undefined) {
      const asked: Page = page;
      const { rows, next } = await read(teamId, (reader) => list(reader, asked));
      if (rows.length > 0) {
        yield `${separator}${rows.join(',')}`;
        separator = ',';
      }
      page = next && { limit: LIMITS.exportedRows, after: next };
    }
  }
}

/** The histories of some instances of a user, without other owners. */
const listHistories = async (reader: Reader, userId: string, page: Page): Promise<Paged<HistoryEvent>> => {
  const { rows, next } = await listInstancesOf(reader, userId, page);
  const events = await Promise.all(rows.map((row) => listEventsOf(reader, row, userId)));
  return { rows: events.flat(), next };
};

/** The events by which instances left a user for good: the histories of others have these. */
const listLosses = async (reader: Reader, userId: string, page: Page): Promise<Paged<HistoryEvent>> => {
  const { rows, next } = await listPartings(reader, userId, page);
  const owners = await Promise.all(rows.map(({ itemInstanceId }) => findOwner(reader, itemInstanceId)));
  return { rows: rows.filter((_, index) => owners[index] !== userId), next };
};

/** Everything that is kept about a user, as JSON in parts. */
export async function* exportUser(
  read: Read,
  { teamId, nowMs }: Context,
  userId: string,
  catalogs: Catalogs,
): AsyncGenerator<string> {
  const [user, states, balances] = await read(teamId, async (reader) =>
    Promise.all([getUser(reader, userId), listStates(reader, userId), listBalances(reader, userId, { lots: true })]),
  );
  const lists: Readonly<Record<string, readonly ReadPage[]>> = {
    userSpaces: [asTexts((reader, page) => listUserSpaces(reader, userId, page))],
    counterChanges: [asTexts((reader, page) => listCounterChanges(reader, userId, page))],
    grants: [asTexts((reader, page) => listGrantsOf(reader, userId, page))],
    balanceHistory: [asTexts((reader, page) => listAllBalanceHistory(reader, userId, page))],
    itemInstances: [(reader, page) => listItemInstances(reader, { userId }, page, catalogs)],
    history: [
      asTexts((reader, page) => listHistories(reader, userId, page)),
      asTexts((reader, page) => listLosses(reader, userId, page)),
    ],
    rolls: [(reader, page) => listUserRolls(reader, userId, {}, page, catalogs)],
    receipts: [(reader, page) => listReceipts(reader, userId, {}, page)],
  };
  yield JSON.stringify({ exportedAt: isoTime(nowMs), user, states, balances }).slice(0, -1);
  for (const [name, pages] of Object.entries(lists)) {
    yield `,"${name}":[`;
    yield* itemsOf(read, teamId, pages);
    yield ']';
  }
  yield '}';
}
