import { ask } from '../../database/declarations.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import {
  initialOwnState,
  initialPityState,
  type OwnState,
  type PityState,
  type TemplateState,
} from '../../engine/systems/state.ts';
import * as store from './user-states.store.ts';

/** The template of a state, and the group with which it shares its pity, if any. */
export interface StateOwner {
  readonly id: string;
  readonly pityGroup: string | null;
}

/** The last receipt of a chain. */
export interface LastReceipt {
  readonly epoch: number;
  /** The receipt of the rotation that began the epoch. Rows of earlier versions lack it. */
  readonly rotation?: string;
  readonly nonce: number;
  readonly hash: string;
}

/**
 * What the row of a chain's scope also has, as long as its rolls are verifiable and the epoch lasts: it spares looking
 * for the receipt, and for the seeds. A rotation removes it.
 */
interface Chained {
  readonly last?: LastReceipt;
}

/** Stored per template; the pity part is used only if the template is not in a group. */
interface OwnRecord extends Chained {
  readonly own: OwnState;
  readonly pity: PityState;
}

type GroupRecord = PityState & Chained;

const scopesOf = ({ id, pityGroup }: StateOwner) => ({
  own: `template:${id}`,
  group: pityGroup === null ? null : `group:${pityGroup}`,
});

type Found = readonly { readonly state: string }[];

const lastIn = (state: string): LastReceipt | undefined => (JSON.parse(state) as Chained).last;

interface ReadState {
  readonly state: TemplateState;
  readonly last: LastReceipt | null;
}

const readState = ([own]: Found, [group]: Found, { pityGroup }: StateOwner): ReadState => {
  const record: OwnRecord =
    own === undefined ? { own: initialOwnState(), pity: initialPityState() } : JSON.parse(own.state);
  if (pityGroup === null) return { state: { own: record.own, pity: record.pity }, last: record.last ?? null };
  const shared: GroupRecord = group === undefined ? initialPityState() : JSON.parse(group.state);
  const { last = null, ...pity } = shared;
  return { state: { own: record.own, pity }, last };
};

/** A user's state on a template, locked by the command that may change it. */
export interface HeldState extends ReadState {
  /** The user must exist or be created by the same command. */
  save(next: TemplateState, last?: LastReceipt): void;
}

/** Calls for one user and one template, or pity group, are serialized. */
export const holdTemplateState = async (work: Work, userId: string, owner: StateOwner): Promise<HeldState> => {
  const scopes = scopesOf(owner);
  const [own, group] = await Promise.all([
    work.hold(ask(store.holdState, { userId, scope: scopes.own })).then(([rows]) => rows),
    scopes.group === null
      ? []
      : work.hold(ask(store.holdState, { userId, scope: scopes.group })).then(([rows]) => rows),
  ]);
  const save = (found: Found, scope: string, templateId: string | null, value: object): void => {
    const state = JSON.stringify(value);
    if (found.length > 0) work.write(store.updateState, { user_id: userId, scope, state });
    else work.write(store.insertState, { user_id: userId, scope, template_id: templateId, state });
  };
  return {
    ...readState(own, group, owner),
    save: ({ own: nextOwn, pity }, last) => {
      const chained: Chained = last === undefined ? {} : { last };
      if (scopes.group !== null) save(group, scopes.group, null, { ...pity, ...chained } satisfies GroupRecord);
      const record: OwnRecord =
        scopes.group === null ? { own: nextOwn, pity, ...chained } : { own: nextOwn, pity: initialPityState() };
      save(own, scopes.own, owner.id, record);
    },
  };
};

/**
 * Locks all states of a user that know the last receipt of a chain, and removes it. The user's seeds must be locked: then
 * no further state can come to know one.
 */
export const endChains = async (work: Work, userId: string): Promise<void> => {
  const known = (await work.find(store.statesOf, { userId })).filter(({ state }) => lastIn(state) !== undefined);
  const held = await work.hold(...known.map(({ scope }) => ask(store.holdState, { userId, scope })));
  for (const [index, { scope }] of known.entries()) {
    const [row] = held[index] as Found;
    if (row === undefined) continue;
    const { last, ...rest } = JSON.parse(row.state) as Chained;
    work.write(store.updateState, { user_id: userId, scope, state: JSON.stringify(rest) });
  }
};

/** The current state, without a lock; null if the user never rolled on the template. */
export const findTemplateState = async (
  finder: Finder,
  userId: string,
  owner: StateOwner,
): Promise<TemplateState | null> => {
  const scopes = scopesOf(owner);
  const [own, group] = await Promise.all([
    finder.find(store.stateOf, { userId, scope: scopes.own }),
    scopes.group === null ? [] : finder.find(store.stateOf, { userId, scope: scopes.group }),
  ]);
  return own.length + group.length === 0 ? null : readState(own, group, owner).state;
};

/** Keeps rolls from changing the template states of a user who is being deleted. */
export const holdStatesOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdStatesOf(tx, userId);
};

/** How many users have a state of a template; counts up to a number. */
export const countUsersWithState = async (reader: Reader, templateId: string, most: number): Promise<number> =>
  (await store.selectUsersOf(reader, templateId, most)).length;
