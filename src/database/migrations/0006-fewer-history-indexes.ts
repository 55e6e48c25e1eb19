import type { Kysely } from 'kysely';

/**
 * Events that name a user as the new owner can be found without their own index: the instance still belongs to the
 * user, or another event shows that it left them.
 */
export const up = async (schema: Kysely<unknown>): Promise<void> => {
  await schema.schema.dropIndex('item_instance_history_to_user_id').execute();
};
