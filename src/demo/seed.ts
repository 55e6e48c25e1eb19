import type { App } from '../http/server.ts';
import { ITEMS, idOf, USERS } from './catalog.ts';
import { AUTHORS, createDraft, publishBetween } from './history.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS = 30;

/** Pseudo-random numbers from 0 to 1, the same in every demo: mulberry32. */
const chances = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** How busy each day of the week is, from Sunday on. */
const WEEK = [1.25, 0.72, 0.68, 0.74, 0.8, 1.02, 1.42];

/** The day on which the banner opened, and how much it attracted users. */
const BANNER_DAY = 17;

/** How many users play on a day: depends on the weekday, the growth of the game, the banner, and chance. */
const moodOf = (day: number, atMs: number): number => {
  const chance = chances(day + 7);
  const week = WEEK[new Date(atMs).getUTCDay()] ?? 1;
  const growth = 0.65 + 0.35 * (day / DAYS);
  const banner = day < BANNER_DAY ? 1 : 1 + 0.55 * 0.7 ** (day - BANNER_DAY);
  const noise = 0.86 + 0.28 * ((chance() + chance()) / 2);
  return week * growth * banner * noise;
};

interface Habits {
  /** The day of their first game. */
  readonly joinsOn: number;
  /** About 1; some play every day, some hardly ever. */
  readonly keenness: number;
}

const habitsOf = (place: number): Habits => {
  const chance = chances(place + 101);
  return { joinsOn: place < 11 ? 0 : Math.floor(chance() * 20), keenness: 0.45 + 1.1 * chance() ** 1.5 };
};

interface User extends Habits {
  readonly userId: string;
  readonly backpack: string;
  readonly belt: string;
  readonly stash: string;
}

interface Seeding {
  readonly app: App;
  readonly pathPrefix?: string;
  readonly authorization: string;
  readonly setClock: (nowMs: number) => void;
  /** Told what comes next. */
  readonly report?: (text: string) => void;
}

const DAYS_PER_REPORT = 5;

/** Fills an empty service through its own API, day by day, so that all data is as real users would have left it. */
export const seed = async ({
  app,
  pathPrefix = '',
  authorization,
  setClock,
  report = () => {},
}: Seeding): Promise<void> => {
  const inject = (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: object) =>
    app.inject({ method, url: `${pathPrefix}${url}`, headers, ...(payload && { payload }) });
  const send = async (method: 'GET' | 'POST', url: string, payload?: object, allowed: readonly number[] = [200]) => {
    const response = await inject(method, url, { authorization }, payload);
    if (!allowed.includes(response.statusCode))
      throw new Error(`${method} ${url} responded ${response.statusCode}: ${response.body}`);
    return response.json();
  };

  report('  the catalog and its history');
  const nowMs = Date.now();
  const { id: teamId } = await send('GET', '/team');
  // Each is a second older than the next, so that lists keep the order of the catalog.
  let createdAtMs = nowMs - (DAYS + 2) * DAY_MS;
  const create = (url: string, payload: object) => {
    createdAtMs += 1_000;
    setClock(createdAtMs);
    return send('POST', url, payload);
  };
  const secrets = new Map<string, string>();
  for (const name of AUTHORS) {
    const { secret } = await create('/secrets', { name, role: 'design' });
    secrets.set(name, `Basic ${Buffer.from(`${teamId}:${secret}`).toString('base64')}`);
  }
  const sendAs = async (author: string, method: 'GET' | 'POST', url: string, payload?: object) => {
    const headers = {
      authorization: secrets.get(author) ?? '',
      'x-itemwright-source': author === 'Build server' ? 'cli' : 'console',
    };
    const response = await inject(method, url, headers, payload);
    if (response.statusCode !== 200)
      throw new Error(`${method} ${url} responded ${response.statusCode}: ${response.body}`);
    return response.json();
  };
  const history = { sendAs, setClock, nowMs };
  await publishBetween(history, Number.POSITIVE_INFINITY, DAYS + 2);

  const users: User[] = [];
  for (const [place, name] of USERS.entries()) {
    const userId = `player-${name.toLowerCase()}`;
    await create('/users', { id: userId, externalId: `${name.toLowerCase()}@example.com` });
    const bag = async (spaceId: string, externalId?: string): Promise<string> =>
      (await create(`/users/${userId}/spaces`, { spaceId, ...(externalId && { externalId }) })).id;
    const [backpack, belt, stash] = [await bag('backpack'), await bag('belt'), await bag('stash', 'house')];
    users.push({ userId, backpack, belt, stash, ...habitsOf(place) });
  }

  const play = async ({ userId, stash }: User, keenness: number, chance: () => number): Promise<void> => {
    const keep = { userSpaceId: stash, onFull: 'unplaced' };
    await send('POST', '/templates/expedition/roll', { userId, ...(chance() < 0.14 && keep) });
    const pulls = chance();
    if (pulls < keenness * 0.5) {
      const count = pulls < keenness * 0.3 ? 10 : 1 + Math.floor(chance() * 4);
      await send('POST', '/templates/dawn-banner/roll', { userId, count, ...(chance() < 0.1 && keep) });
    }
    if (chance() < keenness * 0.35)
      await send('POST', '/templates/adventurers-pack/roll', { userId, count: 1 + Math.floor(chance() * 3) });
    const depths = chance() < keenness * 0.3 ? 1 + Math.floor(chance() * 5) : 0;
    for (let depth = 0; depth < depths; depth += 1)
      await send('POST', '/templates/emberfall-depths/roll', { userId, depth });
    const drops = Math.round(keenness * (3 + 9 * chance()));
    for (let roll = 0; roll < drops; roll += 1) await send('POST', '/items/roll', {});
  };

  for (let day = 0; day < DAYS; day += 1) {
    if (day % DAYS_PER_REPORT === 0)
      report(`  rolls of ${users.length} players, days ${day + 1} to ${day + DAYS_PER_REPORT} of ${DAYS}`);
    const daysAgo = DAYS - 1 - day;
    await publishBetween(history, daysAgo + (day === 0 ? 3 : 1), daysAgo);
    const atMs = nowMs - daysAgo * DAY_MS - 60_000;
    setClock(atMs);
    // Today is not over yet.
    const part = day === DAYS - 1 ? Math.max(0.15, (nowMs % DAY_MS) / DAY_MS) : 1;
    const mood = moodOf(day, atMs) * part;
    await Promise.all(
      users.map(async (user, place) => {
        const chance = chances(1_000 * day + place);
        if (day < user.joinsOn || chance() > user.keenness * mood) return;
        await play(user, user.keenness * (0.6 + 0.8 * chance()) * mood, chance);
      }),
    );
  }

  report('  a draft, and full bags');
  await createDraft(history);
  setClock(nowMs);
  const draughts = ITEMS.filter(({ options: names, height }) => names.includes('Consumable') && height === 1);
  for (const [place, { userId, backpack, belt, stash }] of users.entries()) {
    const chance = chances(90_000 + place);
    const upTo = (most: number): number => Math.floor(chance() * most);
    const give = async (from: readonly { name: string }[], userSpaceId: string, count: number): Promise<void> => {
      for (let given = 0; given < count; given += 1) {
        const itemId = idOf(from[upTo(from.length)]?.name ?? '');
        await send('POST', '/item-instances', { itemId, userId, userSpaceId }, [200, 409]);
      }
    };
    await give(ITEMS, backpack, 8 + upTo(7));
    await give(draughts, belt, 3 + upTo(5));
    await give(ITEMS, stash, 20 + upTo(14));
    const found = 1 + upTo(4);
    for (let roll = 0; roll < found; roll += 1) await send('POST', '/items/roll', { userId });
  }
};
