import { type Ask, ask, type Hold, holding } from '../../database/declarations.ts';
import type { EventUser } from '../../database/events.ts';
import { Collision, holdAll, type Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import type { Catalogs, PlacingCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { askPast, type Cause, Chronicle } from '../history/history.service.ts';
import { askGridRows, askPlacement, Inventory, type Placement } from '../placements/inventory.service.ts';
import { askUserSpace, findUserSpaceIds, type UserSpaceRow } from '../user-spaces/user-spaces.service.ts';
import { askUser, ensureUser, type KnownUser } from '../users/users.service.ts';
import { recordMove } from './instance-events.service.ts';
import * as store from './item-instances.store.ts';

/** What the operations of a command refer to. Whatever exists of it is locked. */
export interface Named {
  /** Existing instances, and caller-supplied ids of new ones. */
  readonly instanceIds: ReadonlySet<string>;
  /** Those of them for which history events will be recorded. */
  readonly recordedIds: ReadonlySet<string>;
  readonly userSpaceIds: ReadonlySet<string>;
  /** Pairs of user and space; they stand for the user spaces that the user has of that space. */
  readonly spacesOfUsers: readonly { readonly userId: string; readonly spaceId: string }[];
  readonly userIds: ReadonlySet<string>;
}

interface Found {
  readonly team: PlacingCatalog;
  readonly users: ReadonlyMap<string, readonly KnownUser[]>;
  /** By user and space. */
  readonly userSpaceIds: ReadonlyMap<string, readonly string[]>;
  readonly inventory: Inventory;
  readonly chronicle: Chronicle;
}

const ofUserAndSpace = (userId: string, spaceId: string): string => `${userId}\0${spaceId}`;

/**
 * Everything a command has locked, and its changes to it. Nothing is written before the end; later operations of the
 * command see the changes of earlier ones.
 */
export class Holdings {
  readonly team: PlacingCatalog;
  readonly inventory: Inventory;
  readonly chronicle: Chronicle;
  readonly #work: Work;
  readonly #context: Context;
  readonly #found: Found;
  /** Instances as they are in the database. */
  readonly #before = new Map<string, store.InstanceRow>();
  readonly #now = new Map<string, store.InstanceRow>();
  /** Instances that the command itself created. */
  readonly #created = new Set<string>();
  readonly #userSpaces = new Map<string, UserSpaceRow>();
  readonly #newUsers = new Map<string, KnownUser>();
  /** Where the last event of an instance says that it is. */
  readonly #told = new Map<string, Placement | null>();

  constructor(work: Work, context: Context, found: Found) {
    this.#work = work;
    this.#context = context;
    this.#found = found;
    this.team = found.team;
    this.inventory = found.inventory;
    this.chronicle = found.chronicle;
  }

  addStored(instance: store.InstanceRow): void {
    this.#before.set(instance.id, instance);
    this.#now.set(instance.id, instance);
  }

  addUserSpace(userSpace: UserSpaceRow): void {
    this.#userSpaces.set(userSpace.id, userSpace);
  }

  instance(id: string): store.InstanceRow | undefined {
    return this.#now.get(id);
  }

  create(instance: store.InstanceRow): void {
    this.#told.set(instance.id, this.inventory.placementOf(instance.id));
    this.#created.add(instance.id);
    this.#now.set(instance.id, instance);
  }

  change(instance: store.InstanceRow): void {
    this.#told.set(instance.id, this.inventory.placementOf(instance.id));
    this.#now.set(instance.id, instance);
  }

  remove(id: string): void {
    this.#told.set(id, null);
    this.#now.delete(id);
  }

  userSpace(id: string): UserSpaceRow | undefined {
    return this.#userSpaces.get(id);
  }

  /** The first two user spaces that a user has of a space. */
  userSpaceIdsOf(userId: string, spaceId: string): readonly string[] {
    const ids = this.#found.userSpaceIds.get(ofUserAndSpace(userId, spaceId)) ?? [];
    // One of them was deleted before it could be locked.
    if (ids.some((id) => !this.#userSpaces.has(id))) throw new Collision();
    return ids;
  }

  hasUser(id: string): boolean {
    return (this.#found.users.get(id)?.length ?? 0) > 0 || this.#newUsers.has(id);
  }

  /** What is known of a user; of one whom nothing was asked about, the id. */
  user(id: string): EventUser {
    return this.#found.users.get(id)?.[0] ?? this.#newUsers.get(id) ?? { id };
  }

  /** Creates a user who does not exist yet, once. */
  ensureUser(id: string): void {
    if (!this.hasUser(id)) this.#newUsers.set(id, ensureUser(this.#work, this.#context, id, []));
  }

  /** Records that an instance was moved, if it was since its last event. To be called before something else is recorded. */
  tellMove(id: string): void {
    const told = this.#told.get(id);
    const before = told === undefined ? this.inventory.storedPlacementOf(id) : told;
    const now = this.inventory.placementOf(id);
    if (before === now) return;
    // Of what had to make room, nothing is known but the user space, which is its owner's.
    const userId = this.#now.get(id)?.user_id ?? this.userSpace((now ?? before)?.userSpaceId ?? '')?.user_id;
    if (userId === undefined) throw new Error(`Nobody owns ${id}, which was moved.`);
    recordMove(this.#work, this.#context, { itemInstanceId: id, before, now }, this.user(userId));
    this.#told.set(id, now);
  }

  /** Writes everything that changed. */
  save(): void {
    for (const [id, before] of this.#before) {
      const now = this.#now.get(id);
      if (now === undefined || this.#created.has(id)) this.#work.write(store.deleteInstance, { id });
      else if (now !== before) this.#work.write(store.updateInstance, now);
    }
    for (const id of this.#created) {
      const created = this.#now.get(id);
      if (created === undefined) continue;
      const isPlain = created.data === null && created.locked === null;
      this.#work.write(isPlain ? store.insertInstance : store.insertInstanceWithData, created);
    }
    for (const { itemInstanceId } of this.inventory.moves()) this.tellMove(itemInstanceId);
    // Some of them may be back where they were.
    for (const id of this.#told.keys()) this.tellMove(id);
    this.inventory.save(this.#work);
  }
}

/** Finds, without locks, where the instances are placed and which user spaces are meant. */
const look = async (work: Work, catalogs: Catalogs, { instanceIds, spacesOfUsers, userIds }: Named) => {
  const placements = [...instanceIds].map(askPlacement);
  const users = [...userIds].map(askUser);
  const [team, placed, known, ofSpaces] = await Promise.all([
    catalogs.currentForPlacing(work),
    Promise.all(placements.map(({ lookup, key }) => work.find(lookup, key))),
    Promise.all(users.map(({ lookup, key }) => work.find(lookup, key))),
    Promise.all(spacesOfUsers.map(({ userId, spaceId }) => findUserSpaceIds(work, userId, spaceId))),
  ]);
  return {
    team,
    placedIn: placed.flat().map(({ user_space_id }) => user_space_id),
    users: new Map([...userIds].map((id, index) => [id, known[index] ?? []])),
    userSpaceIds: new Map(
      spacesOfUsers.map(({ userId, spaceId }, index) => [ofUserAndSpace(userId, spaceId), ofSpaces[index] ?? []]),
    ),
  };
};

/** The rows of each lookup. */
const holdEach = <Row>(asks: readonly Ask<Row>[]): Hold<readonly (readonly Row[])[]> =>
  holding<readonly Row[], readonly (readonly Row[])[]>(asks, (...rows) => rows);

/**
 * Locks everything that the operations of a command refer to before the first one runs, at once and in the global lock
 * order. What was found before may have changed by then, so placements are read again under the locks.
 */
export const openHoldings = async (
  work: Work,
  context: Context,
  named: Named,
  { catalogs, cause }: { catalogs: Catalogs; cause: Cause },
): Promise<Holdings> => {
  const { team, placedIn, users, userSpaceIds } = await look(work, catalogs, named);
  const instanceIds = [...named.instanceIds];
  const recordedIds = [...named.recordedIds];
  const spaceIds = [...new Set([...named.userSpaceIds, ...placedIn, ...[...userSpaceIds.values()].flat()])];
  const [instances, placed, pasts, userSpaces, gridRows] = await holdAll(
    work,
    holdEach(instanceIds.map((id) => ask(store.holdInstance, { id }))),
    holdEach(instanceIds.map(askPlacement)),
    holdEach(recordedIds.map(askPast)),
    holdEach(spaceIds.map(askUserSpace)),
    holdEach(spaceIds.map(askGridRows)),
  );
  const inventory = new Inventory(context);
  const chronicle = new Chronicle(work, context, cause);
  const holdings = new Holdings(work, context, { team, users, userSpaceIds, inventory, chronicle });
  for (const [index, [userSpace]] of userSpaces.entries()) {
    if (userSpace === undefined) continue;
    holdings.addUserSpace(userSpace);
    inventory.open(userSpace.id, sizeOf(team, userSpace), gridRows[index] ?? []);
  }
  for (const [index, [instance]] of instances.entries()) {
    if (instance === undefined) continue;
    holdings.addStored(instance);
    inventory.learn(instance.id, placed[index] ?? []);
  }
  for (const [index, id] of recordedIds.entries()) chronicle.learn(id, pasts[index] ?? []);
  return holdings;
};

/** The grid size of a user space. A current catalog contains every space that has user spaces. */
export const sizeOf = ({ spaces }: PlacingCatalog, { space_id }: UserSpaceRow) => {
  const size = spaces.get(space_id);
  if (size === undefined) throw new Collision();
  return size;
};
