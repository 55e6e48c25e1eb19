/**
 * Cross-checks tables that describe the same things. Everything is streamed from one snapshot and nothing is changed,
 * so a database of any size can be checked while it is in use.
 */
import type { CompiledQuery } from 'kysely';
import { removedUntil } from '../../database/claims.ts';
import type { Snapshot } from '../../database/work.ts';
import { digestOf } from '../../shared/digest.ts';
import { timeOfId } from '../../shared/ids.ts';
import { checkBalances } from './balances.ts';
import { checkCatalog } from './catalog.ts';
import { checkEvents } from './events.ts';
import { checkLog } from './log.ts';
import * as store from './queries.ts';
import { checkReceipts } from './receipts.ts';
import { checkRollCounts } from './roll-counters.ts';
import { type Check, forEachRow, type Report } from './rows.ts';

type RowOf<Q extends (...args: never[]) => CompiledQuery<unknown>> =
  ReturnType<Q> extends CompiledQuery<infer Row> ? Row : never;

const checkItemCounts: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectWrongItemCounts(snapshot.queries), ({ team_id, item_count, items }) =>
    report(team_id, `has ${items} items, but its item count says ${item_count}`),
  );

const placementFaults = (row: RowOf<typeof store.selectPlacements>): string[] => {
  if (row.user_spaces !== 1) return [`is placed in ${row.user_spaces} user spaces at once`];
  const faults: string[] = [];
  if (row.firsts !== 1) faults.push('has no first cell with its placement');
  const [width, height] = row.rotated === 1 ? [row.height, row.width] : [row.width, row.height];
  const [covered, across] = [row.right - row.left + 1, row.bottom - row.top + 1];
  if (covered !== width || across !== height || row.cells !== width * height)
    faults.push(`covers ${row.cells} cells of ${covered} × ${across}, but its item is ${width} × ${height} as placed`);
  if (row.left < 0 || row.top < 0 || row.right >= row.cols || row.bottom >= row.rows)
    faults.push(`reaches outside the grid of ${row.cols} × ${row.rows} cells`);
  if (row.owner !== row.user_space_owner)
    faults.push(`belongs to user ${row.owner}, but the user space to ${row.user_space_owner}`);
  return faults;
};

/** Greater than the longest side of an item: the stride by which the cells of an instance are numbered. */
const PARTS_PER_ROW = 100;

const checkPlacements: Check = async (snapshot, report) => {
  const placements = await forEachRow(snapshot, store.selectPlacements(snapshot.queries), (row) => {
    for (const fault of placementFaults(row))
      report(row.team_id, `item instance ${row.item_instance_id} in user space ${row.user_space_id} ${fault}`);
  });
  const cells = store.selectMisnumberedCells(snapshot.queries, PARTS_PER_ROW);
  await forEachRow(snapshot, cells, ({ team_id, item_instance_id, user_space_id, x, y, part }) =>
    report(
      team_id,
      `the cell at ${x}, ${y} of item instance ${item_instance_id} in user space ${user_space_id} has the wrong number ${part}`,
    ),
  );
  return placements;
};

/** The grid rows, which are used to find free positions, against the occupied cells. */
const checkGridRows: Check = async (snapshot, report) => {
  type Cell = RowOf<typeof store.selectCellsWithRows>;
  let open: (Pick<Cell, 'team_id' | 'user_space_id' | 'y' | 'taken'> & { bits: bigint }) | undefined;
  const close = (): void => {
    if (open === undefined || open.bits.toString(16) === open.taken) return;
    report(
      open.team_id,
      `row ${open.y} of user space ${open.user_space_id} says ${open.taken ?? 'nothing'} is taken, but its cells are ${open.bits.toString(16)}`,
    );
  };
  const cells = await forEachRow(snapshot, store.selectCellsWithRows(snapshot.queries), (cell) => {
    const { team_id, user_space_id, y, taken } = cell;
    if (open?.team_id !== team_id || open.user_space_id !== user_space_id || open.y !== y) {
      close();
      open = { team_id, user_space_id, y, taken, bits: 0n };
    }
    if (cell.x >= 0) open.bits |= 1n << BigInt(cell.x);
  });
  close();
  await forEachRow(snapshot, store.selectRowsWithoutCells(snapshot.queries), ({ team_id, user_space_id, y }) =>
    report(team_id, `row ${y} of user space ${user_space_id} says that cells are taken, but nothing is placed there`),
  );
  return cells;
};

type HistoryRow = RowOf<typeof store.selectHistory>;

/** The events that each event may follow, without creations that only the instance itself records. */
const MAY_FOLLOW: Record<string, readonly (string | undefined)[]> = {
  created: [undefined, 'deleted'],
  transferred: ['created', 'transferred', 'changed'],
  changed: ['created', 'transferred', 'changed'],
  deleted: ['created', 'transferred', 'changed'],
};

/**
 * Whether old events before the first one that is left may have been removed: an instance that records its creation has
 * none that are older.
 */
const mayLackOlder = (row: HistoryRow, removedUntilMs: number): boolean =>
  (row.instance_cause === null ? 0 : (row.instance_created_at ?? 0)) < removedUntilMs;

/** What is wrong with an event, given the one before it. */
const eventFault = (row: HistoryRow, previous: HistoryRow | undefined, removedUntilMs: number): string | undefined => {
  // If the instance records its own creation, the first event in the history has the number 2.
  const recordsCreation = row.owner !== null && row.instance_cause !== null;
  const before = previous?.event ?? (recordsCreation ? 'created' : undefined);
  const expected = (previous?.sequence ?? (recordsCreation ? 1 : 0)) + 1;
  if (previous === undefined && row.sequence > expected && mayLackOlder(row, removedUntilMs)) return undefined;
  if (row.sequence !== expected) return `has event ${row.sequence} where event ${expected} should be`;
  if (!MAY_FOLLOW[row.event]?.includes(before))
    return `has event ${row.sequence} (${row.event}) after ${before ?? 'nothing'}`;
  // Deleted users are removed from the history.
  const giver = previous?.to_user_id ?? null;
  if (row.event !== 'created' && giver !== null && row.from_user_id !== null && row.from_user_id !== giver)
    return `was transferred from ${row.from_user_id} in event ${row.sequence}, but belonged to ${giver}`;
  if (row.event === 'changed' && row.from_user_id !== row.to_user_id)
    return `changed its owner in event ${row.sequence}, which is no transfer`;
  return undefined;
};

/** What is wrong with an instance, given the last event of its history. */
const endFault = ({ owner, event, to_user_id, item_id, instance_item_id }: HistoryRow): string | undefined => {
  if (owner === null) return event === 'deleted' ? undefined : 'was deleted, but its history does not say so';
  if (event === 'deleted') return 'exists, but its history says that it was deleted';
  if (to_user_id !== owner) return `belongs to user ${owner}, but its history says ${to_user_id ?? 'nobody'}`;
  if (item_id !== instance_item_id) return `is of item ${instance_item_id}, but its history says ${item_id}`;
  return undefined;
};

const checkHistory: Check = async (snapshot, report) => {
  // Earlier versions did not note up to when they removed events.
  const removed = await removedUntil(snapshot.queries, 'history');
  const removedUntilMs = removed === undefined ? Number.POSITIVE_INFINITY : (removed ?? 0);
  let previous: HistoryRow | undefined;
  const reportFault = (row: HistoryRow, fault: string | undefined): void => {
    if (fault !== undefined) report(row.team_id, `item instance ${row.item_instance_id} ${fault}`);
  };
  const events = await forEachRow(snapshot, store.selectHistory(snapshot.queries), (row) => {
    const isSame = previous?.team_id === row.team_id && previous.item_instance_id === row.item_instance_id;
    if (!isSame && previous !== undefined) reportFault(previous, endFault(previous));
    reportFault(row, eventFault(row, isSame ? previous : undefined, removedUntilMs));
    previous = row;
  });
  if (previous !== undefined) reportFault(previous, endFault(previous));
  await forEachRow(snapshot, store.selectInstancesWithoutCreation(snapshot.queries), ({ team_id, id }) =>
    report(team_id, `item instance ${id} has no recorded creation, neither itself nor in its history`),
  );
  return events;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const checkInstances: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectInstances(snapshot.queries), ({ team_id, id, attribute_values, data, locked }) => {
    const values = parsed(attribute_values);
    if (!isObject(values) || !Object.values(values).every(Number.isFinite))
      report(team_id, `the attribute values of item instance ${id} cannot be read`);
    if (data !== null && !isObject(parsed(data))) report(team_id, `the data of item instance ${id} cannot be read`);
    if (locked !== null && locked !== 1) report(team_id, `item instance ${id} is neither locked nor unlocked`);
  });

const checkTemplates: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectTemplates(snapshot.queries), ({ team_id, id, config, bindings }) => {
    if (!isObject(parsed(config)) || !isObject(parsed(bindings)))
      report(team_id, `the configuration of template ${id} cannot be read`);
  });

const isPity = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.losses) &&
  Array.isArray(value.counters) &&
  value.counters.every((counter) => isObject(counter) && typeof counter.tier === 'string' && isCount(counter.since));

const isOwnState = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.rolls) &&
  isCount(value.sparkPoints) &&
  (value.idle === null || (isObject(value.idle) && isCount(value.idle.rolls) && Number.isFinite(value.idle.atMs)));

const checkStates: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectStates(snapshot.queries), ({ team_id, user_id, scope, template_id, state }) => {
    const value = parsed(state);
    // Where receipts end is compared with them.
    if (scope === 'receipts') return;
    const isGroup = template_id === null;
    const isValid = isGroup ? isPity(value) : isObject(value) && isOwnState(value.own) && isPity(value.pity);
    if (!isValid) report(team_id, `the state of user ${user_id} under ${scope} cannot be read`);
    if (isGroup ? !scope.startsWith('group:') : scope !== `template:${template_id}`)
      report(team_id, `the state of user ${user_id} under ${scope} belongs to template ${template_id ?? 'none'}`);
  });

const checkStoredResponses: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectEmptyResponses(snapshot.queries), ({ team_id, key }) =>
    report(team_id, `the stored response of the idempotency key ${key} is empty`),
  );

const checkSnapshots: Check = (snapshot, report) =>
  forEachRow(snapshot, store.selectSnapshots(snapshot.queries), ({ team_id, hash, text }) => {
    if (digestOf(text) !== hash) report(team_id, `the snapshot ${hash} has another text than the one it stands for`);
  });

/** From before which moment rolls may be missing from the record. */
const rollsRemovedUntil = async ({ queries }: Snapshot): Promise<number> => {
  const removed = await removedUntil(queries, 'roll events');
  if (removed !== undefined) return removed ?? 0;
  // Earlier versions did not note it.
  const oldest = (await store.selectOldestRoll(queries))?.id;
  return oldest == null ? Number.POSITIVE_INFINITY : timeOfId(oldest);
};

/** Checks each team's catalog and counters. */
const checkTeams = async (snapshot: Snapshot, report: Report) => {
  const teams: store.CatalogTeam[] = [];
  await forEachRow(snapshot, store.selectTeams(snapshot.queries), (team) => teams.push(team));
  const removedUntilMs = await rollsRemovedUntil(snapshot);
  const seen = { entities: 0, rolls: 0 };
  for (const team of teams) {
    const reportOfTeam = (finding: string): void => report(team.id, finding);
    seen.entities += await checkCatalog(snapshot, team, reportOfTeam);
    seen.rolls += await checkRollCounts(snapshot, team.id, removedUntilMs, reportOfTeam);
  }
  return seen;
};

/** Checks everything and returns how much was checked. */
export const checkAll = async (snapshot: Snapshot, report: Report) => {
  await checkItemCounts(snapshot, report);
  await checkTemplates(snapshot, report);
  const states = await checkStates(snapshot, report);
  const instances = await checkInstances(snapshot, report);
  const events = await checkHistory(snapshot, report);
  const placements = await checkPlacements(snapshot, report);
  await checkGridRows(snapshot, report);
  await checkStoredResponses(snapshot, report);
  await checkSnapshots(snapshot, report);
  const entries = await checkBalances(snapshot, report);
  const receipts = await checkReceipts(snapshot, report);
  const leaves = await checkLog(snapshot, report);
  await checkEvents(snapshot, report);
  return { instances, placements, events, states, entries, receipts, leaves, ...(await checkTeams(snapshot, report)) };
};
