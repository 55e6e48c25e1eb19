import type { Kysely } from 'kysely';

/**
 * An event that names a user as the new owner is found without an index of its own: the instance is still theirs, or
 * another event tells that it left them.
 */
export const up = async (schema: Kysely<unknown>): Promise<void> => {
  await schema.schema.dropIndex('item_instance_history_to_user_id').execute();
};
