import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { inPassing } from '../../database/passing.ts';
import {
  initialOwnState,
  initialPityState,
  type OwnState,
  type PityState,
  type TemplateState,
} from '../../engine/systems/state.ts';
import type { CompiledTemplate } from '../../engine/systems/templates.ts';
import { ensureUser } from '../users/users.service.ts';
import * as store from './template-rolls.store.ts';

/** What is kept under a template; its pity part counts only where the template is in no group. */
type OwnRecord = { own: OwnState; pity: PityState };

const keysOf = ({ teamId }: Context, userId: string, { id, pityGroup }: CompiledTemplate) => ({
  own: { teamId, userId, scope: `template:${id}`, templateId: id },
  group: pityGroup === null ? null : { teamId, userId, scope: `group:${pityGroup}`, templateId: null },
});

const holdOrMake = async (tx: Transaction, context: Context, key: store.StateKey, initial: object): Promise<string> => {
  const held = await store.holdState(tx, key);
  if (held !== undefined) return held;
  await ensureUser(tx, context, key.userId);
  return store.insertState(tx, key, JSON.stringify(initial));
};

/**
 * The state of a player on a template, held until the end of the transaction: calls for one player and one template, or
 * pity group, come one after another. The group is always held first, so that no two calls wait in a circle.
 */
export const holdTemplateState = async (
  tx: Transaction,
  context: Context,
  userId: string,
  template: CompiledTemplate,
): Promise<TemplateState> => {
  const { own: ownKey, group } = keysOf(context, userId, template);
  const shared = group && (JSON.parse(await holdOrMake(tx, context, group, initialPityState())) as PityState);
  const initial: OwnRecord = { own: initialOwnState(), pity: initialPityState() };
  const { own, pity } = JSON.parse(await holdOrMake(tx, context, ownKey, initial)) as OwnRecord;
  return { own, pity: shared ?? pity };
};

export const saveTemplateState = (
  tx: Transaction,
  context: Context,
  userId: string,
  template: CompiledTemplate,
  { own, pity }: TemplateState,
): void => {
  const { own: ownKey, group } = keysOf(context, userId, template);
  if (group !== null) inPassing(tx, store.updateState(tx, group, JSON.stringify(pity)));
  const record: OwnRecord = { own, pity: group === null ? pity : initialPityState() };
  inPassing(tx, store.updateState(tx, ownKey, JSON.stringify(record)));
};

/** The state as it is, without holding it; null where the player never rolled here. */
export const findTemplateState = async (
  reader: Reader,
  context: Context,
  userId: string,
  template: CompiledTemplate,
): Promise<TemplateState | null> => {
  const { own: ownKey, group } = keysOf(context, userId, template);
  const record = await store.selectState(reader, ownKey);
  const shared = group && (await store.selectState(reader, group));
  if (record === undefined && (shared === null || shared === undefined)) return null;
  const { own, pity } =
    record === undefined ? { own: initialOwnState(), pity: initialPityState() } : (JSON.parse(record) as OwnRecord);
  if (group === null) return { own, pity };
  return { own, pity: shared ? (JSON.parse(shared) as PityState) : initialPityState() };
};
