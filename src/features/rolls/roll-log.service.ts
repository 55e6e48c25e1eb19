import { type Page, type Paged, textPage } from '../../database/paging.ts';
import type { Reader } from '../../database/work.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { earliestId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import { takeTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { findFairness } from '../receipts/stored-receipts.service.ts';
import { findItemNames } from '../statistics/statistics.service.ts';
import { findKnownUser, findRollers } from '../users/users.service.ts';
import {
  type Counters,
  type ReadDetails,
  readDetails,
  type StoredDetails,
  showDetails,
} from './roll-details.service.ts';
import type { RollEvent, RollFilter } from './roll-log.contract.ts';
import * as store from './roll-log.store.ts';

/** What is looked for, with the times as numbers. */
interface Wanted {
  readonly templateId: string | undefined;
  readonly itemId: string | undefined;
  readonly tier: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

const wantedBy = ({ templateId, itemId, tier, from, to }: RollFilter): Wanted => {
  const fromMs = from === undefined ? 0 : Date.parse(from);
  const toMs = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to);
  if (fromMs > toMs) throw invalid({ path: '/query/from', message: `must not be after to (${to})` });
  return { templateId, itemId, tier, fromMs, toMs };
};

type StoredRoll = readonly [itemId: string, ...values: number[]];

const rollsOf = ({ results }: store.EventRow): StoredRoll[] => JSON.parse(results);

const isWanted = (row: store.EventRow, { templateId, itemId, tier, fromMs, toMs }: Wanted): boolean => {
  if (row.created_at < fromMs || row.created_at >= toMs) return false;
  if (templateId !== undefined && row.template_id !== templateId) return false;
  // Looking for the text first spares reading most of the others.
  if (itemId !== undefined && !row.results.includes(JSON.stringify(itemId))) return false;
  if (tier !== undefined && row.details?.includes(JSON.stringify(tier)) !== true) return false;
  return (
    (itemId === undefined || rollsOf(row).some(([id]) => id === itemId)) &&
    (tier === undefined || readDetails(row.details).outcomes?.some((outcome) => outcome.tier === tier) === true)
  );
};

const lengthOf = ({ results, details }: store.EventRow): number => results.length + (details?.length ?? 0);

/** Whether every event that is read is wanted, apart from a few at the ends of a period. */
const isEvery = ({ templateId, itemId, tier }: Wanted): boolean =>
  templateId === undefined && itemId === undefined && tier === undefined;

/** How many rows to read next, so that they take about as much memory as a response may have. */
const rowsToRead = (read: { readonly rows: number; readonly length: number }): number =>
  read.rows === 0
    ? LIMITS.rollEventsReadFirst
    : Math.max(1, Math.min(LIMITS.pageRows, Math.floor((LIMITS.responseBytes * read.rows) / (read.length + 1))));

const positionOf = ({ created_at, id }: store.EventRow) => ({ createdAtMs: created_at, id });

/**
 * The events of a page. Ids tell when an event was written, which may be a little after the time of the request, or
 * before it if the clock was set back.
 */
const findEvents = async (
  reader: Reader,
  rollerId: string | undefined,
  wanted: Wanted,
  { limit, after }: Page,
): Promise<Paged<store.EventRow>> => {
  const { fromMs, toMs } = wanted;
  const from = fromMs === 0 ? undefined : earliestId(fromMs - LIMITS.rollEventsApartMs);
  const end = toMs === Number.POSITIVE_INFINITY ? undefined : earliestId(toMs + LIMITS.rollEventsApartMs);
  let before = after === undefined || (end !== undefined && end < after.id) ? end : after.id;
  const found: store.EventRow[] = [];
  const read = { rows: 0, length: 0 };
  for (;;) {
    const needed = isEvery(wanted) ? limit + 1 - found.length : LIMITS.pageRows;
    const most = Math.min(needed, rowsToRead(read), LIMITS.rollEventsScanned - read.rows);
    const rows = await store.selectEvents(reader, rollerId, { from, before }, most);
    for (const row of rows) {
      read.length += lengthOf(row);
      if (!isWanted(row, wanted)) continue;
      if (found.length === limit) return { rows: found, next: positionOf(found[limit - 1] as store.EventRow) };
      found.push(row);
    }
    read.rows += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < most) return { rows: found };
    if (read.rows >= LIMITS.rollEventsScanned) return { rows: found, next: positionOf(last) };
    before = last.id;
    await takeTurns();
  }
};

/** When a tier was last rolled, as far as that is found in the newest entries of the log; null if it is not. */
export const findLastOfTier = async (
  reader: Reader,
  rollerId: string,
  { templateId, tier }: { readonly templateId: string | undefined; readonly tier: string },
): Promise<number | null> => {
  const { rows } = await findEvents(reader, rollerId, wantedBy({ templateId, tier }), { limit: 1 });
  return rows[0]?.created_at ?? null;
};

const nameOf = ({ catalog }: TeamCatalog, tier: string | null): string | null =>
  (tier === null ? undefined : catalog.options.get(tier)?.name) ?? null;

const toCounters = (team: TeamCatalog, counters: Counters | null): RollEvent['before'] =>
  counters && {
    ...counters,
    pities: counters.pities.map(({ tier, since }) => ({ tier, tierName: nameOf(team, tier), since })),
  };

const toResults = (
  team: TeamCatalog,
  rolls: readonly StoredRoll[],
  { outcomes, requestIds }: ReadDetails,
  names: ReadonlyMap<string, string>,
): RollEvent['results'] =>
  rolls.map(([itemId, ...values], index) => {
    const { tier = null, pity = null, featured = null } = outcomes?.[index] ?? {};
    const requestId = requestIds?.[index];
    return {
      ...{ itemId, itemName: team.catalog.itemsById.get(itemId)?.name ?? names.get(itemId) ?? itemId, values },
      ...{ tier, tierName: nameOf(team, tier), pity, featured },
      ...(requestId !== undefined && { requestId }),
    };
  });

/** A roll as an event of the feed has it. */
export interface StoredRollData {
  readonly templateId: string | null;
  readonly results: readonly StoredRoll[];
  readonly details: StoredDetails | null;
}

interface RecordedRoll extends StoredRollData {
  readonly userId: string | null;
  readonly version: number | null;
  readonly atMs: number;
  readonly requestId: string | null;
}

/** Rolls as the API returns them. */
export const presentRolls = async (
  reader: Reader,
  team: TeamCatalog,
  rolls: readonly RecordedRoll[],
): Promise<Omit<RollEvent, 'id'>[]> => {
  const gone = new Set(
    rolls.flatMap(({ results }) => results.map(([id]) => id)).filter((id) => !team.catalog.itemsById.has(id)),
  );
  const names = gone.size === 0 ? new Map<string, string>() : await findItemNames(reader, [...gone]);
  return Promise.all(
    rolls.map(async ({ templateId, userId, version, atMs, requestId, results, ...roll }) => {
      const details = showDetails(roll.details);
      const { receipt } = details;
      const fairness = userId === null || receipt === null ? undefined : await findFairness(reader, userId, receipt);
      return {
        rolledAt: isoTime(atMs),
        ...{ userId, templateId, version, requestId },
        results: toResults(team, results, details, names),
        before: toCounters(team, details.before),
        after: toCounters(team, details.after),
        ...(fairness !== undefined && { fairness }),
      };
    }),
  );
};

/** Some events as JSON. */
const textsOf = async (reader: Reader, team: TeamCatalog, rows: readonly store.EventRow[]): Promise<string[]> => {
  const users = await findRollers(
    reader,
    rows.flatMap(({ roller_id }) => roller_id ?? []),
  );
  const rolls = rows.map((row): RecordedRoll => {
    const details = row.details === null ? null : (JSON.parse(row.details) as StoredDetails);
    return {
      userId: (row.roller_id === null ? undefined : users.get(row.roller_id)) ?? null,
      templateId: row.template_id,
      version: row.catalog_version,
      atMs: row.created_at,
      requestId: details?.requestId ?? null,
      results: rollsOf(row),
      details,
    };
  });
  const presented = await presentRolls(reader, team, rolls);
  return presented.map((roll, index) => JSON.stringify({ id: rows[index]?.id, ...roll }));
};

const listRolls = async (
  reader: Reader,
  rollerId: string | undefined,
  wanted: Wanted,
  page: Page,
  catalogs: Catalogs,
): Promise<Paged<string>> => {
  const [team, found] = await Promise.all([catalogs.current(reader), findEvents(reader, rollerId, wanted, page)]);
  return textPage(found, (some) => textsOf(reader, team, some), LIMITS.rollEventsShown);
};

/** A page of the log, newest first, each event as JSON. A user who does not exist has no rolls. */
export const listRollEvents = async (
  reader: Reader,
  { userId, ...filter }: RollFilter,
  page: Page,
  catalogs: Catalogs,
): Promise<Paged<string>> => {
  const wanted = wantedBy(filter);
  if (userId === undefined) return listRolls(reader, undefined, wanted, page, catalogs);
  const user = await findKnownUser(reader, userId);
  return user === undefined ? { rows: [] } : listRolls(reader, user.roller_id, wanted, page, catalogs);
};

/** The same of a user, who must exist. */
export const listUserRolls = async (
  reader: Reader,
  userId: string,
  filter: Omit<RollFilter, 'userId'>,
  page: Page,
  catalogs: Catalogs,
): Promise<Paged<string>> => {
  const wanted = wantedBy(filter);
  const user = await findKnownUser(reader, userId);
  if (user === undefined) throw notFound();
  return listRolls(reader, user.roller_id, wanted, page, catalogs);
};
