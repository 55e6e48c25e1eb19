import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openDatabase } from '../src/database/open.ts';
import type { Database } from '../src/database/work.ts';
import { createTeam } from '../src/features/teams/teams.service.ts';

export const PLAYERS = 200;
/** What players keep while measuring must fit: the largest grid there is, for each. */
const BAG = { cols: 200, rows: 200 };

export interface Team {
  readonly teamId: string;
  readonly authorization: string;
}

type Post = (path: string, body?: object) => Promise<Record<string, never>>;

export const poster =
  (address: string, { authorization }: Team): Post =>
  async (path, body) => {
    const response = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, never>;
  };

export const get = async <T>(address: string, { authorization }: Team, path: string): Promise<T> => {
  const response = await fetch(`${address}${path}`, { headers: { authorization } });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
};

/** Writes items straight into the tables: a hundred thousand through HTTP would take longer than all measurements. */
const writeItems = async (
  database: Database,
  teamId: string,
  optionIds: readonly string[],
  count: number,
): Promise<void> => {
  const now = Date.now();
  const number = (index: number) => String(index).padStart(6, '0');
  for (let start = 0; start < count; start += 1000) {
    const indices = Array.from({ length: Math.min(1000, count - start) }, (_, offset) => start + offset);
    await database.transaction('', async ({ queries: tx }) => {
      await tx
        .insertInto('items')
        .values(
          indices.map((index) => ({
            team_id: teamId,
            id: `item-${number(index)}`,
            name: `Item ${index}`,
            thumbnail: null,
            roll_numerator: 1 + (index % 7),
            width: 1,
            height: 1,
            created_at: now,
            updated_at: now,
          })),
        )
        .execute();
      await tx
        .insertInto('item_classifiers')
        .values(
          indices.map((index) => ({
            team_id: teamId,
            id: `option-${number(index)}`,
            item_id: `item-${number(index)}`,
            classifier_option_id: optionIds[index % optionIds.length] as string,
            position: 0,
          })),
        )
        .execute();
      await tx
        .insertInto('item_attributes')
        .values(
          indices.flatMap((index) =>
            ['damage', 'armour', 'luck'].map((attribute, position) => ({
              team_id: teamId,
              id: `${attribute}-${number(index)}`,
              item_id: `item-${number(index)}`,
              attribute_id: attribute,
              position,
              min: 1,
              max: 99,
            })),
          ),
        )
        .execute();
      await tx
        .updateTable('teams')
        .set((eb) => ({ catalog_version: randomUUID(), item_count: eb('item_count', '+', indices.length) }))
        .where('id', '=', teamId)
        .execute();
    });
  }
};

/** A team with so many items of three attributes, a banner with pity, and players with bags. */
export const furnish = async (databaseUrl: string, address: string, items: number): Promise<Team> => {
  const database = openDatabase(databaseUrl);
  try {
    const { teamId, secret } = await database.transaction('', (tx) => createTeam(tx, Date.now(), { name: 'Bench' }));
    const team: Team = { teamId, authorization: `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}` };
    const post = poster(address, team);
    for (const id of ['damage', 'armour', 'luck']) await post('/attributes', { id, name: id });
    const rarity = (await post('/classifiers', {
      name: 'Rarity',
      classifierOptions: ['five', 'four', 'three'].map((name) => ({ name })),
    })) as unknown as { classifierOptions: { id: string }[] };
    await writeItems(
      database,
      teamId,
      rarity.classifierOptions.map(({ id }) => id),
      items,
    );
    await post('/templates', {
      id: 'banner',
      name: 'Banner',
      config: {
        baseRates: { five: 0.006, four: 0.051, three: 0.943 },
        pityThreshold: 90,
        softPity: [{ from: 74, add: 0.06 }],
        pities: [{ tier: 'four', threshold: 10 }],
      },
    });
    await post('/spaces', { id: 'bag', name: 'Bag', ...BAG });
    for (let player = 0; player < PLAYERS; player += 1)
      await post(`/users/player-${player}/spaces`, { id: `bag-${player}`, spaceId: 'bag' });
    for (let count = 0; count < 100; count += 1)
      await post('/item-instances', { itemId: 'item-000000', userId: 'collector' });
    return team;
  } finally {
    await database.close();
  }
};

const ROLLS_A_RECORD = 10;

/** Puts millions of recorded rolls behind a team, with the counters that they would have raised, over thirty days. */
export const writeHistory = async (
  databaseUrl: string,
  { teamId }: Team,
  items: number,
  rolls: number,
): Promise<void> => {
  const database = openDatabase(databaseUrl);
  const days = 30;
  const firstDay = Date.now() - days * 86_400_000;
  const day = (index: number) => new Date(firstDay + index * 86_400_000).toISOString().slice(0, 10);
  const eachItemDay = Math.ceil(rolls / days / items);
  try {
    await database.transaction('', async ({ queries: tx }) => {
      const records = rolls / ROLLS_A_RECORD;
      const numbers =
        database.engine === 'postgres'
          ? sql`generate_series(1, ${sql.lit(records)}) as number`
          : sql`(with recursive count(number) as (select 1 union all select number + 1 from count where number < ${sql.lit(records)}) select number from count)`;
      const result = JSON.stringify(
        Array.from({ length: ROLLS_A_RECORD }, (_, index) => [`item-${String(index).padStart(6, '0')}`, 1, 2, 3]),
      );
      await sql`insert into roll_events (team_id, id, template_id, user_id, rolled_at, results)
        select ${sql.lit(teamId)}, 'past-' || number, null, null, ${sql.lit(firstDay)}, ${sql.lit(result)} from ${numbers}`.execute(
        tx,
      );
      const counts = (each: number) =>
        JSON.stringify(
          Array.from({ length: items }, (_, item) => [`item-${String(item).padStart(6, '0')}`, each]).flat(),
        );
      const key = { team_id: teamId, template_id: '' };
      await tx
        .insertInto('roll_counts')
        .values([
          { ...key, day: '', rolls: eachItemDay * items * days, counts: counts(eachItemDay * days) },
          ...Array.from({ length: days }, (_, index) => ({
            ...key,
            day: day(index),
            rolls: eachItemDay * items,
            counts: counts(eachItemDay),
          })),
        ])
        .execute();
    });
  } finally {
    await database.close();
  }
};
