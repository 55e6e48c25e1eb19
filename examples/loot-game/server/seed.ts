import { CATALOG } from './catalog.ts';
import type { Client } from './itemwright.ts';

/** Publishes the catalog of the game, unless there is one: from then on, it belongs to the designers in the console. */
export const seedCatalog = async (admin: Client): Promise<number> => {
  const { baseVersion, changes, faults } = await admin.catalog.plan(CATALOG);
  if (baseVersion > 0) return 0;
  if (faults.length > 0) throw new Error(`The catalog has faults: ${JSON.stringify(faults)}`);
  await admin.catalog.publish({ ...CATALOG, baseVersion, message: 'The loot game' });
  return changes.length;
};

const SECRET_NAME = 'Loot game server';

/** A new secret for the game server, which can roll and give items, but not change the catalog. Old ones are revoked. */
export const createGameSecret = async (admin: Client): Promise<string> => {
  const old = (await admin.secrets.list()).filter(({ name }) => name === SECRET_NAME);
  const { secret } = await admin.secrets.create({ name: SECRET_NAME, role: 'support' });
  for (const { id } of old) await admin.secrets.revoke(id);
  return secret;
};
