import { CATALOG } from './catalog.ts';
import type { Client } from './itemwright.ts';

/** Brings the catalog of the service to that of the game. Whoever runs it again changes nothing. */
export const seedCatalog = async (admin: Client): Promise<number> => {
  const { baseVersion, changes, faults } = await admin.catalog.plan(CATALOG);
  if (faults.length > 0) throw new Error(`The catalog has faults: ${JSON.stringify(faults)}`);
  if (changes.length > 0) await admin.catalog.publish({ ...CATALOG, baseVersion, message: 'The loot game' });
  return changes.length;
};

const SECRET_NAME = 'Loot game server';

/** A new secret for the game server, which can roll and give items, but not manage the team. Old ones are revoked. */
export const createGameSecret = async (admin: Client): Promise<string> => {
  const old = (await admin.secrets.list()).filter(({ name }) => name === SECRET_NAME);
  const { secret } = await admin.secrets.create({ name: SECRET_NAME, role: 'write' });
  for (const { id } of old) await admin.secrets.revoke(id);
  return secret;
};
