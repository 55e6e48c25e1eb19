/** The rules of the game: what a player may do, and what the service is asked for. */
import type {
  AttributeValue,
  Belonging,
  ItemView,
  Me,
  Offer,
  Offered,
  Place,
  Rolled,
  RollRequest,
  SeedRequest,
  World,
} from './api.ts';
import { BANNER_ID, CHEST_ID, SPACE_ID } from './catalog.ts';
import { type Client, ConflictError, ItemwrightError, NotFoundError, ValidationError } from './itemwright.ts';
import { ALLOWANCE, type Ledger, type Player } from './ledger.ts';
import { Refusal } from './refusal.ts';

interface GameParts {
  /** With the secret, which is never sent to the page. */
  readonly client: Client;
  readonly ledger: Ledger;
  readonly teamId: string;
  /** The address of the service for browsers: for its public pages. */
  readonly serviceUrl: string;
}

export interface Game {
  readonly world: () => Promise<World>;
  readonly signIn: (name: string) => Promise<{ token: string; maxAgeS: number }>;
  readonly me: (player: Player) => Promise<Me>;
  readonly roll: (player: Player, request: RollRequest) => Promise<Rolled>;
  readonly move: (player: Player, instanceId: string, place: Place) => Promise<void>;
  readonly sortBag: (player: Player) => Promise<void>;
  readonly discard: (player: Player, instanceId: string) => Promise<void>;
  readonly discardPile: (player: Player) => Promise<void>;
  readonly chooseSeed: (player: Player, request: SeedRequest) => Promise<void>;
  /** The proof of an epoch as the service sent it: hashes are those of the text. */
  readonly proof: (player: Player, epoch: number) => Promise<string>;
}

const TEMPLATES: Readonly<Record<Offered, string>> = { banner: BANNER_ID, chest: CHEST_ID };
/** In embers, for one. */
const COSTS: Readonly<Record<Offered, number>> = { banner: 1, chest: 2 };
const WORLD_MS = 5_000;
const MAX_BATCH = 100;
const NOT_YOURS = 'You do not have this item.';

/** Each player has one bag, so its id can be told from theirs. */
const bagOf = ({ id }: Player): string => `${id}.bag`;

const isRefused = (error: unknown): boolean =>
  error instanceof ConflictError || error instanceof ValidationError || error instanceof NotFoundError;

/** Explains in words of the game why the service refused something. */
const explain = async <T>(work: Promise<T>, status: number, message: string): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotFoundError) throw new Refusal(404, NOT_YOURS);
    if (isRefused(error)) throw new Refusal(status, message);
    throw error;
  }
};

const attributesOf = (values: readonly { value: number; attribute: { name: string } }[]): AttributeValue[] =>
  values.map(({ value, attribute }) => ({ name: attribute.name, value }));

export const createGame = ({ client, ledger, teamId, serviceUrl }: GameParts): Game => {
  const readOffer = async (what: Offered): Promise<Offer> => ({
    ...(await client.public.odds(teamId, TEMPLATES[what])),
    cost: COSTS[what],
    oddsUrl: `${serviceUrl}/public/${encodeURIComponent(teamId)}/templates/${TEMPLATES[what]}`,
  });

  const readItems = async (): Promise<ItemView[]> =>
    (await client.items.list().all()).map(({ id, name, classifiers, thumbnail, width, height }) => ({
      ...{ id, name, width, height },
      rarity: classifiers[0]?.classifierOption.id ?? 'common',
      picture: thumbnail ?? '',
    }));

  const readWorld = async (): Promise<World> => {
    const [items, bag, banner, chest] = await Promise.all([
      readItems(),
      client.spaces.get(SPACE_ID),
      readOffer('banner'),
      readOffer('chest'),
    ]);
    return { items, bag: { cols: bag.cols, rows: bag.rows }, banner, chest, verifyUrl: `${serviceUrl}/verify` };
  };

  let kept: { world: Promise<World>; untilMs: number } | undefined;
  const world = (): Promise<World> => {
    if (kept === undefined || kept.untilMs < performance.now()) {
      const fresh = readWorld();
      kept = { world: fresh, untilMs: performance.now() + WORLD_MS };
      // What failed is not kept.
      fresh.catch(() => {
        kept = undefined;
      });
    }
    return kept.world;
  };

  const signIn: Game['signIn'] = async (name) => {
    const player = ledger.newPlayer(name);
    await client.userSpaces.create(player.id, { id: bagOf(player), spaceId: SPACE_ID });
    await client.fairness.start(player.id);
    return ledger.startSession(player);
  };

  /**
   * The service decides, and remembers under the key what it decided: asked again, it says the same. If it refuses, the
   * embers go back. If nobody knows what happened, they stay spent, and the roll is finished later under the same key.
   */
  const finishRoll = async (player: Player, { key, what, count }: RollRequest): Promise<Rolled> => {
    const asked = client.templates.roll(
      TEMPLATES[what],
      { userId: player.id, count, userSpaceId: bagOf(player), onFull: 'unplaced' },
      { idempotencyKey: `${player.id}:${key}` },
    );
    const roll = await asked.catch((error: unknown) => {
      if (isRefused(error)) ledger.refund(player.id, key);
      if (error instanceof ConflictError)
        throw new Refusal(
          409,
          'Choose a new seed first: you have none, or the odds have changed. You have your embers back.',
        );
      throw error;
    });
    const rolled: Rolled = {
      key,
      what,
      items: roll.rolls.map(({ item, itemInstance, pity, featured, placed, itemAttributeInstances }) => ({
        instanceId: itemInstance?.id ?? '',
        itemId: item.id,
        isPity: pity,
        isFeatured: featured,
        isPlaced: placed !== false,
        attributes: attributesOf(itemAttributeInstances),
      })),
      receipt: roll.fairness?.receipt ?? '',
    };
    ledger.finish(player.id, rolled);
    return rolled;
  };

  /** The same roll twice at once is one roll, so that a refund cannot overtake it. */
  const underWay = new Map<string, Promise<Rolled>>();
  const roll = async (player: Player, request: RollRequest): Promise<Rolled> => {
    const { rolled } = ledger.spend(player.id, request, COSTS[request.what] * request.count);
    if (rolled !== undefined) return rolled;
    const name = `${player.id} ${request.key}`;
    const rolling = underWay.get(name) ?? finishRoll(player, request).finally(() => underWay.delete(name));
    underWay.set(name, rolling);
    return rolling;
  };

  const readBelongings = async ({ id: userId }: Player): Promise<Belonging[]> =>
    (await client.itemInstances.list({ userId }).all()).map(({ id, item, itemInstanceSpace: placed, attributes }) => ({
      id,
      itemId: item.id,
      place: placed && { x: placed.spacePositionX, y: placed.spacePositionY, rotated: placed.rotated },
      attributes: attributes.map(({ name, value }) => ({ name, value })),
    }));

  const me = async (player: Player): Promise<Me> => {
    for (const request of ledger.unfinished(player.id)) await roll(player, request).catch(() => {});
    const [banner, chest, fairness, belongings] = await Promise.all([
      client.users.templateState(player.id, BANNER_ID),
      client.users.templateState(player.id, CHEST_ID),
      client.fairness.get(player.id),
      readBelongings(player),
    ]);
    const embers = ledger.embersOf(player.id);
    return { name: player.name, embers, allowance: ALLOWANCE, banner, chest, fairness, belongings };
  };

  /** What the player owns; to others it does not exist. */
  const readOwn = async (player: Player, instanceId: string) => {
    const instance = await explain(client.itemInstances.get(instanceId), 404, NOT_YOURS);
    if (instance.userId !== player.id) throw new Refusal(404, NOT_YOURS);
    return instance;
  };

  /** The service decides whether it fits; what is in the way changes places with it. `userId` makes it check the owner. */
  const move: Game['move'] = async (player, instanceId, { x, y, rotated }) => {
    const { itemInstanceSpace } = await readOwn(player, instanceId);
    const body = { userId: player.id, userSpaceId: bagOf(player), spacePositionX: x, spacePositionY: y, rotated };
    const moved = client.itemInstances.move(instanceId, { ...body, swap: itemInstanceSpace !== null });
    await explain(moved, 409, 'It does not fit there.');
  };

  const sortBag: Game['sortBag'] = async (player) => {
    await explain(client.userSpaces.sort(player.id, bagOf(player)), 409, 'The bag cannot be packed any better.');
  };

  /** A deletion names no owner, so here it is the game that must check. */
  const discard: Game['discard'] = async (player, instanceId) => {
    await readOwn(player, instanceId);
    await client.itemInstances.delete(instanceId).catch((error: unknown) => {
      // Gone already: by an attempt whose response was lost, or by another click.
      if (!(error instanceof NotFoundError)) throw error;
    });
  };

  const discardPile: Game['discardPile'] = async (player) => {
    const pile = (await readBelongings(player)).filter(({ place }) => place === null);
    for (let at = 0; at < pile.length; at += MAX_BATCH) {
      const operations = pile.slice(at, at + MAX_BATCH).map(({ id }) => ({ type: 'delete' as const, id }));
      // All or nothing: another click may have discarded some of it already.
      await explain(client.itemInstances.batch({ operations }), 409, 'The ground has just changed: look again.');
    }
  };

  const chooseSeed: Game['chooseSeed'] = async (player, request) => {
    const message = 'The seed must differ from the last one and follow what is shown now.';
    await explain(client.fairness.rotate(player.id, request), 409, message);
  };

  const proof: Game['proof'] = async (player, epoch) => {
    const asked = client.users.proof(player.id, { epoch }).withResponse();
    const { text } = await explain(asked, 404, 'There is no proof of these rolls.');
    return text;
  };

  return { world, signIn, me, roll, move, sortBag, discard, discardPile, chooseSeed, proof };
};

/** Whether the service could not be reached or is overloaded, rather than that it refused something. */
export const isAway = (error: unknown): boolean =>
  error instanceof ItemwrightError && (error.status === 0 || error.status === 429 || error.status >= 500);
