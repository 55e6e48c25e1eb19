/** What a release leaves behind: a little of everything that it stores, made through its API. */
import assert from 'node:assert/strict';
import { EDITION } from '../../src/engine/fairness/receipts.ts';
import { foldCounts } from '../../src/features/statistics/roll-counts.service.ts';
import { createFirstTeam } from '../../src/features/teams/teams.service.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import { freezeAll, logAll, lookAtAll, recordAll } from '../chores.ts';
import type { Client, Service } from '../harness.ts';
import { createGame, responsesOf } from '../played.ts';
import { walkThroughInterface } from '../walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of several operations, by their documentation.
type Body = any;

/** A team of a release, with what it was told. */
export interface RecordedTeam {
  readonly name: string;
  readonly teamId: string;
  readonly secret: string;
  /** Responses to GET requests, by path. */
  readonly responses: Readonly<Record<string, unknown>>;
}

/** What cannot be found out by reading. */
export interface Memory {
  /** A request whose response is stored under a key. */
  readonly keyed: { readonly path: string; readonly body: object; readonly key: string; readonly response: unknown };
  /** Hashes of receipts that a player kept, and the commitment to the present server seed; since 0.1.0. */
  readonly fair?: {
    /** Missing in the first edition, which was dropped. */
    readonly edition?: number;
    readonly userId: string;
    readonly receipts: readonly string[];
    readonly commitment: string;
  };
}

const mustOf =
  ({ request }: Client) =>
  async (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Body> => {
    const response = await request(method, path, body, { headers });
    assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };

/** A template of each type. Rates name tiers, which are options of the game. */
const baseRates = { five: 0.1, four: 0.3, three: 0.6 };
const TEMPLATES: Readonly<Record<string, object>> = {
  banner: {
    type: 'gacha',
    disclosure: 'public',
    config: { baseRates, pityThreshold: 20, sparkCurrency: 3, featuredItemIds: ['five-featured'] },
  },
  pack: { type: 'card_pack', config: { baseRates, slots: [{ count: 3 }], pityThreshold: 5 } },
  offers: { type: 'roguelike', config: { baseRates, choices: 3, pityThreshold: 6 } },
  hours: { type: 'idle', config: { baseRates, rollsPerHour: 60 } },
  open: { type: 'gacha', verifiable: true, config: { baseRates, pityThreshold: 10 } },
};

/** Adds every type of template, drafts, a scheduled one among them, a chain of receipts, and a stored response. */
const playMore = async (client: Client): Promise<Required<Memory>> => {
  const must = mustOf(client);
  const userId = 'ann';
  await must('POST', '/users', { id: userId, externalId: 'steam:1' });
  await must('POST', '/spaces', { id: 'chest', name: 'Chest', cols: 6, rows: 6 });
  const { id: userSpaceId } = await must('POST', `/users/${userId}/spaces`, { id: 'chest-of-ann', spaceId: 'chest' });
  for (const [id, template] of Object.entries(TEMPLATES))
    await must('POST', '/templates', { id, name: id, ...template });
  for (const id of ['banner', 'pack', 'offers']) {
    await must('POST', `/templates/${id}/roll`, { userId });
    await must('POST', `/templates/${id}/roll`, { userId });
  }
  await must('POST', '/templates/banner/roll', { userId, userSpaceId, grant: true });
  await must('POST', '/templates/hours/roll', { userId });
  for (const [x, id] of ['first', 'second'].entries())
    await must('POST', '/item-instances', {
      id,
      itemId: 'dot',
      userId,
      userSpaceId,
      spacePositionX: x,
      spacePositionY: 5,
    });
  const changes = [{ kind: 'item', id: 'later', after: { id: 'later', name: 'Later' } }];
  await must('POST', '/catalog/drafts', { id: 'idea', name: 'Idea', changes });
  await must('POST', '/catalog/drafts', { id: 'event', name: 'Event', changes });
  await must('POST', '/catalog/drafts/event/publish', { at: '2099-01-01T00:00:00Z' });

  const receipts: string[] = [];
  const rotate = async (clientSeed: string): Promise<Body> => {
    const { nextCommitment: commitment, nextManifest: manifest } = await must('POST', `/users/${userId}/fairness`);
    return must('POST', `/users/${userId}/fairness/rotate`, { clientSeed, commitment, manifest });
  };
  await rotate('one');
  const rollOpenly = async (): Promise<void> => {
    const { fairness } = await must('POST', '/templates/open/roll', { userId });
    receipts.push(fairness.receipt);
  };
  for (let count = 0; count < 3; count += 1) await rollOpenly();
  const { commitment } = await rotate('two');
  await rollOpenly();

  const request = { path: '/templates/banner/roll', body: { userId, count: 10 }, key: 'before the upgrade' };
  const response = await must('POST', request.path, request.body, { 'idempotency-key': request.key });
  return { keyed: { ...request, response }, fair: { edition: EDITION, userId, receipts, commitment } };
};

const pathsOf = (teamId: string): string[] => [
  '/catalog',
  '/catalog?version=2',
  '/catalog/versions',
  '/catalog/versions/1',
  '/catalog/drafts',
  '/spaces/chest/user-spaces',
  '/templates/banner/odds/history',
  '/templates/offers/odds?depth=3',
  '/users/ann',
  '/users/ann/fairness',
  '/users/ann/receipts',
  '/users/ann/proof',
  '/users/ann/proof?epoch=0',
  '/users/ann/spaces/chest-of-ann',
  '/users/ann/templates/banner',
  '/users/ann/templates/pack',
  '/users/ann/templates/offers',
  '/item-instances?userId=ann',
  '/item-instances/first/history',
  '/roll-events/evidence',
  `/public/${teamId}/templates/banner/odds`,
  `/public/${teamId}/templates/banner/history`,
];

/** What the walk through the API leaves behind. */
const WALKED = [
  '/catalog',
  '/catalog/versions',
  '/users',
  '/users/ann/receipts',
  '/users/ann/proof?epoch=0',
  '/item-instances',
  '/item-instances/one/history',
  '/item-instances/three/history',
  '/roll-events/stats',
  '/roll-events/drop-rates',
  '/roll-events/evidence',
  '/templates/banner/odds',
];

const record = async ({ get }: Client, paths: readonly string[]): Promise<Record<string, unknown>> => {
  const responses: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await get(path);
    assert.equal(status, 200, `GET ${path}: ${JSON.stringify(body)}`);
    responses[path] = body;
  }
  return responses;
};

const DAY_MS = 86_400_000;

/** Without what depends on the time at which it is asked. */
const isLasting = (path: string): boolean => !path.endsWith('/templates/hours');

const told = ({ teamId, secret }: Client, name: string, responses: object): RecordedTeam => ({
  ...{ name, teamId, secret },
  responses: JSON.parse(JSON.stringify(responses)),
});

/** Plays on a new service, and returns what was seen. */
export const playRelease = async (service: Service): Promise<{ teams: RecordedTeam[]; memory: Memory }> => {
  // As a service does that runs on its own.
  await service.database.transaction('', (tx) => createFirstTeam(tx, Date.now(), {}));
  const walked = await service.anotherTeam();
  await walkThroughInterface(walked);
  const game = await createGame(service);
  await game.play(3);
  const memory = await playMore(service);
  await lookAtAll(service);
  // As if it had been observed long ago.
  await freezeAll(service, Date.now() + (LIMITS.evidenceDays + 2) * DAY_MS);
  await logAll(service);
  const played = await responsesOf(service);
  const lasting = Object.entries(played).filter(([path]) => isLasting(path));
  const found = Object.fromEntries(
    lasting.map(([path, response]) => {
      if (Array.isArray(response)) return [path, response];
      const { status, body } = response as { status: number; body: unknown };
      // Of users without seeds.
      return [path, status === 200 ? body : undefined];
    }),
  );
  return {
    teams: [
      told(service, 'game', { ...found, ...(await record(service, pathsOf(service.teamId))) }),
      told(walked, 'walked', await record(walked, WALKED)),
    ],
    memory,
  };
};

/** Rolls that are left for the chores of whoever opens the database next; this service must not do them. */
export const playLate = async (service: Service): Promise<RecordedTeam> => {
  const late = await service.anotherTeam();
  const must = mustOf(late);
  await must('POST', '/items', { id: 'coin', name: 'Coin' });
  await must('POST', '/templates', { id: 'coins', name: 'Coins', config: { pool: { itemIds: ['coin'] } } });
  await recordAll(service);
  for (let count = 0; count < 3; count += 1)
    await must('POST', '/templates/coins/roll', { userId: 'ann', grant: true });
  await service.database.transaction(late.teamId, (tx) => foldCounts(tx, 2));
  const paths = ['/team', '/items', '/users', '/item-instances', '/roll-events/stats'];
  return told(late, 'late', await record(late, paths));
};
