import type { Reader, Transaction } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';

/** Whose state, and of what: a template, or a pity group, which belongs to no template. */
export interface StateKey {
  readonly teamId: string;
  readonly userId: string;
  readonly scope: string;
  readonly templateId: string | null;
}

interface StateRow {
  readonly state: string;
}

const hold = statement<StateKey, StateRow>((queries, key) =>
  queries
    .selectFrom('user_states')
    .select('state')
    .where('team_id', '=', key.teamId)
    .where('user_id', '=', key.userId)
    .where('scope', '=', key.scope)
    .forUpdate(),
);

/** The state, if there is any, held until the end of the transaction. */
export const holdState = async (tx: Transaction, key: StateKey): Promise<string | undefined> => {
  const [row] = await hold(tx, key);
  return row?.state;
};

const insert = statement<StateKey & StateRow, StateRow>((queries, row) =>
  queries
    .insertInto('user_states')
    .values({
      team_id: row.teamId,
      user_id: row.userId,
      scope: row.scope,
      template_id: row.templateId,
      state: row.state,
    })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'user_id', 'scope']).doUpdateSet((eb) => ({ state: eb.ref('user_states.state') })),
    )
    .returning('state'),
);

/** Makes the state where there is none; where another made one meanwhile, that one. Held until the end either way. */
export const insertState = async (tx: Transaction, key: StateKey, state: string): Promise<string> => {
  const [row] = await insert(tx, { ...key, state });
  return row?.state ?? state;
};

const update = statement<StateKey & StateRow, never>((queries, row) =>
  queries
    .updateTable('user_states')
    .set({ state: row.state })
    .where('team_id', '=', row.teamId)
    .where('user_id', '=', row.userId)
    .where('scope', '=', row.scope),
);

export const updateState = async (tx: Transaction, key: StateKey, state: string): Promise<void> => {
  await update(tx, { ...key, state });
};

const select = statement<StateKey, StateRow>((queries, key) =>
  queries
    .selectFrom('user_states')
    .select('state')
    .where('team_id', '=', key.teamId)
    .where('user_id', '=', key.userId)
    .where('scope', '=', key.scope),
);

export const selectState = async (reader: Reader, key: StateKey): Promise<string | undefined> => {
  const [row] = await select(reader, key);
  return row?.state;
};
