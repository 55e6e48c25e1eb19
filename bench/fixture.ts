import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openDatabase } from '../src/database/open.ts';
import type { Engine, Queries } from '../src/database/work.ts';
import { runToEnd } from '../test/processes.ts';

export const USERS = 3000;
/** Items of a team, unless their number is what is measured. */
export const ITEMS = 200;
/** Must fit whatever users keep during the measurement, so everyone gets the largest possible grid. */
const BAG = { cols: 200, rows: 200 };
/** Users whose instances are listed: several, since reads of the same list at the same time share a statement. */
export const COLLECTORS = 64;
export const collectorId = (collector: number): string => `collector-${collector}`;
const COLLECTED = 100;
/** One in this many of the instances that exist from the beginning is in a bag. */
export const PLACED_EVERY = 4;
/** Instances that exist from the beginning. */
export const INSTANCES = COLLECTORS * COLLECTED;
/** Concurrent requests during setup. */
const AT_ONCE = 64;

/** As long as a generated id, since responses contain it. */
const TEAM = { teamId: '019a8f3e-7c21-7d4a-9b11-3f0c5a6e8d02', secret: 'a-secret-for-a-bench' };
/** Makes the first start of a service create this team. */
export const FIRST_TEAM = { ITEMWRIGHT_TEAM_ID: TEAM.teamId, ITEMWRIGHT_SECRET: TEAM.secret };

/** A team of a service. */
export interface Team {
  readonly teamId: string;
  readonly address: string;
  readonly authorization: string;
}

const teamAt = (address: string, { teamId, secret }: { teamId: string; secret: string }): Team => ({
  teamId,
  address,
  authorization: `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}`,
});

export const firstTeamAt = (address: string): Team => teamAt(address, TEAM);

const send = async (
  { address, authorization }: Team,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: string,
  more: Record<string, string> = {},
): Promise<{ readonly text: string; readonly headers: Headers }> => {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { authorization, ...type, ...more };
  const response = await fetch(`${address}${path}`, { method, headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return { text, headers: response.headers };
};

/** Sends a request, and returns the response text. */
export const ask = async (...request: Parameters<typeof send>): Promise<string> => (await send(...request)).text;

export const get = async <T>(team: Team, path: string): Promise<T> => JSON.parse(await ask(team, 'GET', path)) as T;

export const post = async <T>(team: Team, path: string, body: object): Promise<T> =>
  JSON.parse(await ask(team, 'POST', path, JSON.stringify(body))) as T;

export const put = (team: Team, path: string, body: object): Promise<string> =>
  ask(team, 'PUT', path, JSON.stringify(body));

const LONGEST_PAGE = 1000;

/** The path of a list from a row in its middle on; without a limit, like the path that is given. */
export const skip = async (team: Team, path: string, rows: number): Promise<string> => {
  if (rows <= 0) return path;
  const { headers } = await send(team, 'GET', `${path}&limit=${Math.min(rows, LONGEST_PAGE)}`);
  const next = /<(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (next === undefined) throw new Error(`${path} has no more rows`);
  return skip(team, next.replace(/&limit=\d+/, ''), rows - LONGEST_PAGE);
};

/** Calls `work` for each number below `count`, many at a time. */
export const forEach = async (
  count: number,
  work: (index: number) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

export const userIdOf = (user: number): string => `player-${user}`;
export const bagId = (user: number): string => `bag-${user}`;
/** As long as a generated id, since responses contain it. */
export const instanceId = (index: number): string => `019a8f3e-7c21-7d4a-9b11-${String(index).padStart(12, '0')}`;
const digits = (index: number): string => String(index).padStart(6, '0');
export const itemId = (index: number): string => `item-${digits(index)}`;
const rollNumerator = (index: number): number => 1 + (index % 7);
const ATTRIBUTES = ['damage', 'armour', 'luck'];
const RANGE = { min: 1, max: 99 };

/** Creates attributes and tiers; returns the options of the tiers. */
const makeVocabulary = async (team: Team): Promise<string[]> => {
  for (const id of ATTRIBUTES) await post(team, '/attributes', { id, name: id });
  const { classifierOptions } = await post<{ classifierOptions: { id: string }[] }>(team, '/classifiers', {
    name: 'Rarity',
    classifierOptions: ['five', 'four', 'three'].map((name) => ({ name })),
  });
  return classifierOptions.map(({ id }) => id);
};

/** Creates items of three attributes and one tier each. */
export const makeItems = async (team: Team, count = ITEMS): Promise<void> => {
  const options = await makeVocabulary(team);
  await forEach(count, (index) =>
    post(team, '/items', {
      id: itemId(index),
      name: `Item ${index}`,
      rollNumerator: rollNumerator(index),
      classifierOptionIds: [options[index % options.length]],
      itemAttributes: ATTRIBUTES.map((attributeId) => ({ attributeId, ...RANGE })),
    }),
  );
};

/** A banner with two pities. */
export const makeBanner = (team: Team): Promise<unknown> =>
  post(team, '/templates', {
    id: 'banner',
    name: 'Banner',
    config: {
      baseRates: { five: 0.006, four: 0.051, three: 0.943 },
      pityThreshold: 90,
      softPity: [{ from: 74, add: 0.06 }],
      pities: [{ tier: 'four', threshold: 10 }],
    },
  });

/**
 * Sets up the first team of a service: items with three attributes, a banner with two pities, users with bags, and
 * others with a hundred instances each, a quarter of them in a bag: a list of 90 kB. Everything goes through HTTP, so that a
 * service of any version can be set up.
 */
export const furnish = async (address: string): Promise<Team> => {
  const team = firstTeamAt(address);
  await makeItems(team);
  await makeBanner(team);
  await post(team, '/spaces', { id: 'bag', name: 'Bag', ...BAG });
  await forEach(USERS, (user) => post(team, `/users/${userIdOf(user)}/spaces`, { id: bagId(user), spaceId: 'bag' }));
  const bagOf = (collector: number): string => `bag-of-collector-${collector}`;
  await forEach(COLLECTORS, (collector) =>
    post(team, `/users/${collectorId(collector)}/spaces`, { id: bagOf(collector), spaceId: 'bag' }),
  );
  await forEach(INSTANCES, (index) => {
    const collector = Math.floor(index / COLLECTED);
    return post(team, '/item-instances', {
      id: instanceId(index),
      itemId: itemId(index % ITEMS),
      userId: collectorId(collector),
      ...(index % PLACED_EVERY === 0 ? { userSpaceId: bagOf(collector) } : {}),
    });
  });
  return team;
};

/** Creates another team in a running service of this checkout. */
export const createTeam = async (databaseUrl: string, address: string): Promise<Team> => {
  const { code, stdout, stderr } = await runToEnd('src/cli.ts', ['team', 'create', 'Bench'], {
    DATABASE_URL: databaseUrl,
  });
  if (code !== 0) throw new Error(`team create: ${stderr}`);
  return teamAt(address, JSON.parse(stdout) as { teamId: string; secret: string });
};

/** A team with nothing but items and, if wanted, a banner with all of them. */
export const createTeamOfItems = async (
  databaseUrl: string,
  address: string,
  items: number,
  { withBanner = false } = {},
): Promise<Team> => {
  const team = await createTeam(databaseUrl, address);
  const options = await makeVocabulary(team);
  // One item per tier is enough to create a banner; checking it against all items takes long.
  const first = withBanner ? options.length : 0;
  if (withBanner) {
    await writeItems(databaseUrl, team, options, 0, first);
    await makeBanner(team);
  }
  await writeItems(databaseUrl, team, options, first, items);
  return team;
};

/** Players who each have the same number of instances, some of them in a bag. */
export interface Players {
  readonly name: string;
  readonly count: number;
  readonly instances: number;
}

export const playerId = ({ name }: Players, player: number): string => `${name}-${player}`;
export const bagOf = (userId: string): string => `bag-of-${userId}`;
export const ownedId = (userId: string, index: number): string => `${userId}-${index}`;

/** A team with a banner, and players with instances of different items. */
export const createTeamOfPlayers = async (
  databaseUrl: string,
  address: string,
  kinds: readonly Players[],
): Promise<Team> => {
  const team = await createTeamOfItems(databaseUrl, address, ITEMS, { withBanner: true });
  await post(team, '/spaces', { id: 'bag', name: 'Bag', ...BAG });
  for (const players of kinds) {
    await forEach(players.count, (player) => {
      const userId = playerId(players, player);
      return post(team, `/users/${userId}/spaces`, { id: bagOf(userId), spaceId: 'bag' });
    });
    await writeInstances(databaseUrl, team, players);
  }
  return team;
};

/** A team with a history of rolls. */
export const createTeamOfHistory = async (databaseUrl: string, address: string, rolls: number): Promise<Team> => {
  const team = await createTeam(databaseUrl, address);
  await makeItems(team);
  await writeHistory(databaseUrl, team, rolls);
  return team;
};

// From here on rows are inserted directly: HTTP would take longer than all measurements.

const writeTables = async (
  databaseUrl: string,
  write: (queries: Queries, engine: Engine) => Promise<void>,
): Promise<void> => {
  const database = openDatabase(databaseUrl);
  try {
    await database.transaction('', ({ queries }) => write(queries, database.engine));
  } finally {
    await database.close();
  }
};

const ITEMS_PER_STATEMENT = 1000;

const writeItems = (
  databaseUrl: string,
  { teamId }: Team,
  optionIds: readonly string[],
  first: number,
  count: number,
): Promise<void> =>
  writeTables(databaseUrl, async (queries) => {
    const now = Date.now();
    for (let start = first; start < count; start += ITEMS_PER_STATEMENT) {
      const length = Math.min(ITEMS_PER_STATEMENT, count - start);
      const indices = Array.from({ length }, (_, offset) => start + offset);
      const items = indices.map((index) => ({
        team_id: teamId,
        id: itemId(index),
        name: `Item ${index}`,
        thumbnail: null,
        roll_numerator: rollNumerator(index),
        width: 1,
        height: 1,
        created_at: now,
        updated_at: now,
      }));
      const options = indices.map((index) => ({
        team_id: teamId,
        id: `option-${digits(index)}`,
        item_id: itemId(index),
        classifier_option_id: optionIds[index % optionIds.length] as string,
        position: 0,
      }));
      const attributes = indices.flatMap((index) =>
        ATTRIBUTES.map((attribute, position) => ({
          team_id: teamId,
          id: `${attribute}-${digits(index)}`,
          item_id: itemId(index),
          attribute_id: attribute,
          position,
          ...RANGE,
        })),
      );
      await queries.insertInto('items').values(items).execute();
      await queries.insertInto('item_classifiers').values(options).execute();
      await queries.insertInto('item_attributes').values(attributes).execute();
    }
    const { version } = await queries
      .updateTable('teams')
      .set({ catalog_version: randomUUID(), item_count: count })
      .where('id', '=', teamId)
      .returning('version')
      .executeTakeFirstOrThrow();
    // The service would otherwise try to record earlier versions over and over, and read all items each time.
    await queries
      .insertInto('noted_versions')
      .values({ team_id: teamId, version })
      .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ version }))
      .execute();
  });

/** A table of numbers, in a column `number`. */
const numbersFrom = (engine: Engine, first: number, last: number) =>
  engine === 'postgres'
    ? sql`generate_series(${sql.lit(first)}, ${sql.lit(last)}) as number`
    : sql`(with recursive count(number) as (select ${sql.lit(first)} union all select number + 1 from count where number < ${sql.lit(last)}) select number from count)`;

const writeInstances = async (databaseUrl: string, { teamId }: Team, players: Players): Promise<void> => {
  const userIds = Array.from({ length: players.count }, (_, player) => playerId(players, player));
  const [team, now, cols] = [sql.lit(teamId), sql.lit(Date.now()), sql.lit(BAG.cols)];
  const code = sql`substr(cast(1000000 + number % ${sql.lit(ITEMS)} as text), 2)`;
  const values = sql.join(
    ATTRIBUTES.map((attribute) => sql`${sql.lit(`"${attribute}-`)} || ${code} || ${sql.lit(`":${RANGE.max}`)}`),
    sql` || ',' || `,
  );
  await writeTables(databaseUrl, async (queries, engine) => {
    for (const userId of userIds) {
      const user = sql.lit(userId);
      await sql`insert into item_instances
          (team_id, id, created_at, updated_at, item_id, user_id, attribute_values, cause, request_id)
        select ${team}, ${user} || '-' || number, ${now} + number, ${now} + number, 'item-' || ${code}, ${user},
          '{' || ${values} || '}', 'request', null
        from ${numbersFrom(engine, 0, players.instances - 1)}`.execute(queries);
    }
  });
  const placed = players.instances / PLACED_EVERY;
  const rows = Array.from({ length: Math.ceil(placed / BAG.cols) }, (_, y) => ({
    team_id: teamId,
    y,
    taken: (2n ** BigInt(Math.min(BAG.cols, placed - y * BAG.cols)) - 1n).toString(16),
  }));
  await writeTables(databaseUrl, async (queries, engine) => {
    // Without statistics, PostgreSQL would look for each instance in all of the table.
    if (engine === 'postgres') await sql`analyze item_instances`.execute(queries);
    for (const userId of userIds) {
      const user_space_id = bagOf(userId);
      const id = sql`${sql.lit(userId)} || '-' || (number * ${sql.lit(PLACED_EVERY)})`;
      await sql`insert into item_instance_spaces
          (team_id, user_space_id, y, x, item_instance_id, part, id, rotated, created_at, updated_at)
        select ${team}, ${sql.lit(user_space_id)}, number / ${cols}, number % ${cols}, ${id}, 0, 'place-' || ${id}, 0,
          ${now}, ${now}
        from ${numbersFrom(engine, 0, placed - 1)}`.execute(queries);
      await queries
        .insertInto('user_space_rows')
        .values(rows.map((row) => ({ ...row, user_space_id })))
        .execute();
    }
  });
};

const ROLLS_PER_EVENT = 10;
/** Few enough that no statement exceeds the service's time limit. */
const EVENTS_PER_STATEMENT = 50_000;
const DAYS = 30;
const DAY_MS = 86_400_000;

/** Inserts roll events over thirty days, with the matching counters. */
const writeHistory = (databaseUrl: string, { teamId }: Team, rolls: number): Promise<void> =>
  writeTables(databaseUrl, async (queries, engine) => {
    const firstDay = Date.now() - DAYS * DAY_MS;
    const results = JSON.stringify(Array.from({ length: ROLLS_PER_EVENT }, (_, index) => [itemId(index), 1, 2, 3]));
    const records = rolls / ROLLS_PER_EVENT;
    for (let first = 1; first <= records; first += EVENTS_PER_STATEMENT) {
      const last = Math.min(records, first + EVENTS_PER_STATEMENT - 1);
      const row = sql`${sql.lit(teamId)}, 'past-' || number, null, null, ${sql.lit(firstDay)}, ${sql.lit(results)}`;
      await sql`insert into roll_events (team_id, id, template_id, roller_id, rolled_at, results)
        select ${row} from ${numbersFrom(engine, first, last)}`.execute(queries);
    }
    const eachItemDay = Math.ceil(rolls / DAYS / ITEMS);
    const row = (day: string, each: number) => ({
      team_id: teamId,
      template_id: '',
      day,
      part: 0,
      rolls: each * ITEMS,
      counts: JSON.stringify(Array.from({ length: ITEMS }, (_, item) => [itemId(item), each]).flat()),
    });
    const days = Array.from({ length: DAYS }, (_, index) =>
      row(new Date(firstDay + index * DAY_MS).toISOString().slice(0, 10), eachItemDay),
    );
    await queries
      .insertInto('roll_counts')
      .values([row('', eachItemDay * DAYS), ...days])
      .execute();
  });
