import type { Reader, Transaction } from '../../database/database.ts';

/** Whose state, and of what: a template, or a pity group, which belongs to no template. */
export interface StateKey {
  readonly teamId: string;
  readonly userId: string;
  readonly scope: string;
  readonly templateId: string | null;
}

/** The state, if there is any, held until the end of the transaction. */
export const holdState = async (tx: Transaction, { teamId, userId, scope }: StateKey): Promise<string | undefined> => {
  const row = await tx
    .updateTable('user_states')
    .set((eb) => ({ state: eb.ref('state') }))
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('scope', '=', scope)
    .returning('state')
    .executeTakeFirst();
  return row?.state;
};

/** Makes the state where there is none; where another made one meanwhile, that one. Held until the end either way. */
export const insertState = async (
  tx: Transaction,
  { teamId, userId, scope, templateId }: StateKey,
  state: string,
): Promise<string> => {
  const row = await tx
    .insertInto('user_states')
    .values({ team_id: teamId, user_id: userId, scope, template_id: templateId, state })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'user_id', 'scope']).doUpdateSet((eb) => ({ state: eb.ref('user_states.state') })),
    )
    .returning('state')
    .executeTakeFirstOrThrow();
  return row.state;
};

export const updateState = (tx: Transaction, { teamId, userId, scope }: StateKey, state: string) =>
  tx
    .updateTable('user_states')
    .set({ state })
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('scope', '=', scope)
    .execute();

export const selectState = async (reader: Reader, { teamId, userId, scope }: StateKey): Promise<string | undefined> => {
  const row = await reader
    .selectFrom('user_states')
    .select('state')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('scope', '=', scope)
    .executeTakeFirst();
  return row?.state;
};
