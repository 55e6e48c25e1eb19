import { ask, type Hold, holding } from '../../database/declarations.ts';
import { mapPage, type Page, type Paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import type { ShownCounters } from '../../engine/systems/counters.ts';
import {
  initialOwnState,
  initialPityState,
  type OwnState,
  type PityState,
  type TemplateState,
} from '../../engine/systems/state.ts';
import type { Context } from '../../shared/context.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import * as store from './user-states.store.ts';

/** The template of a state, and the group with which it shares its pity, if any. */
export interface StateOwner {
  readonly id: string;
  readonly pityGroup: string | null;
}

/** Stored per template; the pity part is used only if the template is not in a group. */
interface OwnRecord {
  readonly own: OwnState;
  readonly pity: PityState;
}

const scopesOf = ({ id, pityGroup }: StateOwner) => ({
  own: `template:${id}`,
  group: pityGroup === null ? null : `group:${pityGroup}`,
});

type Found = readonly { readonly state: string }[];

const readState = ([own]: Found, [group]: Found, { pityGroup }: StateOwner): TemplateState => {
  const record: OwnRecord =
    own === undefined ? { own: initialOwnState(), pity: initialPityState() } : JSON.parse(own.state);
  if (pityGroup === null) return { own: record.own, pity: record.pity };
  if (group === undefined) return { own: record.own, pity: initialPityState() };
  // Rows of earlier versions have more members.
  const { counters, losses } = JSON.parse(group.state) as PityState;
  return { own: record.own, pity: { counters, losses } };
};

/** A user's state on a template, locked by the command that may change it. */
export interface HeldState {
  readonly state: TemplateState;
  /** The user must exist or be created by the same command. */
  save(next: TemplateState): void;
}

/** Calls for one user and one template, or pity group, are serialized. */
export const holdTemplateState = (work: Work, userId: string, owner: StateOwner): Hold<HeldState> => {
  const scopes = scopesOf(owner);
  const save = (found: Found, scope: string, templateId: string | null, value: object): void => {
    const state = JSON.stringify(value);
    if (found.length > 0) work.write(store.updateState, { user_id: userId, scope, state });
    else work.write(store.insertState, { user_id: userId, scope, template_id: templateId, state });
  };
  const locked = [scopes.own, ...(scopes.group === null ? [] : [scopes.group])];
  return holding(
    locked.map((scope) => ask(store.holdState, { user_id: userId, scope })),
    (own = [], group = []) => ({
      state: readState(own, group, owner),
      save: ({ own: nextOwn, pity }) => {
        if (scopes.group !== null) save(group, scopes.group, null, pity);
        const record: OwnRecord = { own: nextOwn, pity: scopes.group === null ? pity : initialPityState() };
        save(own, scopes.own, owner.id, record);
      },
    }),
  );
};

/** The end of a user's receipts, locked by the command that may add one. */
export interface HeldEnd {
  readonly end: string | null;
  /** The user must exist or be created by the same command. */
  save(next: string): void;
}

const RECEIPTS = 'receipts';

/** Verifiable rolls and rotations of a user are serialized. */
export const holdReceipts = <T>(work: Work, userId: string, read: (held: HeldEnd) => T | Promise<T>): Hold<T> =>
  holding([ask(store.holdState, { user_id: userId, scope: RECEIPTS })], ([found]) =>
    read({
      end: found?.state ?? null,
      save: (state) => {
        const row = { user_id: userId, scope: RECEIPTS, state };
        if (found !== undefined) work.write(store.updateState, row);
        else work.write(store.insertState, { ...row, template_id: null });
      },
    }),
  );

/** The same without a lock. */
export const findReceiptsEnd = async (finder: Finder, userId: string): Promise<string | null> =>
  (await finder.find(store.stateOf, { user_id: userId, scope: RECEIPTS }))[0]?.state ?? null;

/** The current state, without a lock; null if the user never rolled on the template. */
export const findTemplateState = async (
  finder: Finder,
  userId: string,
  owner: StateOwner,
): Promise<TemplateState | null> => {
  const scopes = scopesOf(owner);
  const [own, group] = await Promise.all([
    finder.find(store.stateOf, { user_id: userId, scope: scopes.own }),
    scopes.group === null ? [] : finder.find(store.stateOf, { user_id: userId, scope: scopes.group }),
  ]);
  return own.length + group.length === 0 ? null : readState(own, group, owner);
};

/** Keeps rolls from changing the template states of a user who is being deleted. */
export const holdStatesOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdStatesOf(tx, userId);
};

/** How many users have a state of a template; counts up to a number. */
export const countUsersWithState = async (reader: Reader, templateId: string, most: number): Promise<number> =>
  (await store.selectUsersOf(reader, templateId, most)).length;

/** Everything that is remembered about a user, apart from receipts, in its stored form. */
export const listStates = async (reader: Reader, userId: string) =>
  (await store.selectStatesOf(reader, userId))
    .filter(({ scope }) => scope !== RECEIPTS)
    .map(({ scope, template_id: templateId, state }) => ({ scope, templateId, state: JSON.parse(state) as unknown }));

/** Counters before and after somebody has set them. */
export interface CounterChange {
  readonly templateId: string;
  readonly before: ShownCounters;
  readonly after: ShownCounters;
}

const pityScope = (owner: StateOwner): string => {
  const { own, group } = scopesOf(owner);
  return group ?? own;
};

export const recordCounterChange = (
  work: Work,
  { author, nowMs, requestId }: Context,
  { userId, reason, owner }: { readonly userId: string; readonly reason: string; readonly owner: StateOwner },
  { before, after }: Pick<CounterChange, 'before' | 'after'>,
): void =>
  work.write(store.insertChange, {
    ...{ id: newId(), user_id: userId, template_id: owner.id, scope: pityScope(owner) },
    ...{ before: JSON.stringify(before), after: JSON.stringify(after) },
    ...{ author: author.name, reason, request_id: requestId, created_at: nowMs },
  });

/** What was set by hand, oldest first. */
export const listCounterChanges = async (reader: Reader, userId: string, page: Page) =>
  mapPage(
    await store.selectChanges(reader, userId, page),
    (row): CounterChangeRecord => ({
      ...{ id: row.id, templateId: row.template_id },
      ...{ before: JSON.parse(row.before), after: JSON.parse(row.after) },
      ...{ author: row.author, reason: row.reason, requestId: row.request_id, createdAt: isoTime(row.created_at) },
    }),
  ) satisfies Paged<CounterChangeRecord>;

export interface CounterChangeRecord extends CounterChange {
  readonly id: string;
  readonly author: string;
  readonly reason: string;
  readonly requestId: string;
  readonly createdAt: string;
}

/** Only the newest changes are looked at: most only concern other counters. */
const NEWEST = 100;

/** When the number of rolls without the top tier was last set by hand; null if never. */
export const findLastCounterChange = async (
  reader: Reader,
  userId: string,
  owner: StateOwner,
): Promise<number | null> => {
  const sinceIn = (text: string): number => (JSON.parse(text) as ShownCounters).sinceTop;
  const changes = await store.selectNewestChanges(reader, userId, pityScope(owner), NEWEST);
  return changes.find(({ before, after }) => sinceIn(before) !== sinceIn(after))?.created_at ?? null;
};

/** Forgets what was set for a user who is being deleted. */
export const deleteCounterChangesOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.deleteChangesOf(tx, userId);
};
