import type { App } from '../../src/http/server.ts';
import { ATTRIBUTES, CLASSIFIERS, ITEMS, idOf, PLAYERS, SPACES, TEMPLATES } from './catalog.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS = 30;

interface Seeding {
  readonly app: App;
  readonly authorization: string;
  readonly setClock: (nowMs: number) => void;
}

/** Fills an empty service through its own interface, a day after the other, so that all of it is as players would have left it. */
export const seed = async ({ app, authorization, setClock }: Seeding): Promise<void> => {
  const send = async (method: 'GET' | 'POST', url: string, payload?: object, allowed: readonly number[] = [200]) => {
    const answer = await app.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
    if (!allowed.includes(answer.statusCode))
      throw new Error(`${method} ${url} answered ${answer.statusCode}: ${answer.body}`);
    return answer.json();
  };

  const nowMs = Date.now();
  // Each thing is a second older than the next, so that lists keep the order of the catalog.
  let createdAtMs = nowMs - (DAYS + 2) * DAY_MS;
  const create = (url: string, payload: object) => {
    createdAtMs += 1_000;
    setClock(createdAtMs);
    return send('POST', url, payload);
  };
  for (const attribute of ATTRIBUTES) await create('/attributes', attribute);
  const options = new Map<string, string>();
  for (const classifier of CLASSIFIERS) {
    const { classifierOptions } = await create('/classifiers', classifier);
    for (const { id, name } of classifierOptions) options.set(`${classifier.id} ${name}`, id);
  }
  const optionIdsOf = (names: readonly string[]): string[] =>
    names.flatMap((name, place) => options.get(`${['rarity', 'kind', 'element'][place]} ${name}`) ?? []);

  for (const { name, options: names, thumbnail, width, height, rollNumerator, ranges } of ITEMS) {
    await create('/items', {
      id: idOf(name),
      name,
      thumbnail,
      width,
      height,
      rollNumerator,
      classifierOptionIds: optionIdsOf(names),
      itemAttributes: Object.entries(ranges).map(([attributeId, [min, max]]) => ({ attributeId, min, max })),
    });
  }
  for (const space of SPACES) await create('/spaces', space);
  for (const template of TEMPLATES) await create('/templates', template);

  const backpacks = new Map<string, string>();
  for (const name of PLAYERS) {
    const userId = `player-${name.toLowerCase()}`;
    await create('/users', { id: userId, externalId: `${name.toLowerCase()}@example.com` });
    const backpack = await create(`/users/${userId}/spaces`, { spaceId: 'backpack' });
    await create(`/users/${userId}/spaces`, { spaceId: 'belt' });
    await create(`/users/${userId}/spaces`, { spaceId: 'stash', externalId: 'house' });
    backpacks.set(userId, backpack.id);
  }

  /** A rhythm that repeats without being the same every day: weekends are busy, some players keener than others. */
  const activity = (day: number, player: number): number =>
    ((day * 7 + player * 13) % 5) + (day % 7 >= 5 ? 3 : 0) - (player % 4);

  const play = async (day: number, player: number, userId: string, userSpaceId: string): Promise<void> => {
    const keenness = activity(day, player);
    if (keenness <= 0) return;
    const claim = day % 4 === 0 ? { userId, userSpaceId, onFull: 'unplaced' } : { userId };
    await send('POST', '/templates/expedition/roll', claim);
    if (keenness > 1) {
      const grant = day % 10 === player % 10;
      await send('POST', '/templates/dawn-banner/roll', { userId, count: 10, grant });
    }
    if (keenness > 3) await send('POST', '/templates/adventurers-pack/roll', { userId, count: 2 });
    if (keenness > 4) await send('POST', '/templates/emberfall-depths/roll', { userId, depth: day % 8 });
    for (let roll = 0; roll < keenness * 2; roll += 1) await send('POST', '/items/roll', {});
  };

  for (let day = 0; day < DAYS; day += 1) {
    setClock(nowMs - (DAYS - 1 - day) * DAY_MS - 60_000);
    await Promise.all([...backpacks].map(([userId, userSpaceId], player) => play(day, player, userId, userSpaceId)));
  }
  setClock(nowMs);
  for (const [userId, userSpaceId] of backpacks) {
    for (let roll = 0; roll < 6; roll += 1) await send('POST', '/items/roll', { userId, userSpaceId }, [200, 409]);
  }
};
