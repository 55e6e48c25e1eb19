import fc from 'fast-check';
import { type Footprint, pack } from '../src/engine/grid/grid.ts';
import { allAtOnce } from '../src/engine/steps.ts';
import type { ApiResponse, Client } from './harness.ts';

/** A placement in the model. */
interface At {
  readonly bagId: string;
  readonly x: number;
  readonly y: number;
  readonly rotated: boolean;
}

interface Thing {
  readonly itemId: string;
  readonly userId: string;
  readonly at: At | null;
  readonly locked?: boolean;
}

/** Operations as a test chooses them; what they refer to may or may not exist. */
export type Operation =
  | { type: 'create'; id: string; itemId: string; userId: string; bagId?: string; place?: GivenPlace }
  | { type: 'move'; id: string; userId: string; bagId?: string; place: GivenPlace; swap?: boolean }
  | { type: 'take-out'; id: string; userId: string }
  | { type: 'update'; id: string; locked: boolean }
  | { type: 'transfer'; id: string; userId?: string; toUserId: string; toBagId?: string; place?: GivenPlace }
  | { type: 'delete'; id: string }
  | { type: 'batch'; operations: readonly Operation[] }
  | { type: 'sort'; userId: string; bagId: string }
  | { type: 'resize'; spaceId: string; cols: number; rows: number }
  | { type: 'refit'; itemId: string; width: number; height: number }
  | { type: 'openBag'; userId: string; bagId: string; spaceId: string }
  | { type: 'closeBag'; userId: string; bagId: string }
  | { type: 'deleteUser'; userId: string };

interface GivenPlace {
  readonly x: number;
  readonly y: number;
  readonly rotated?: boolean;
}

/** The outcome of an operation: a status, and, if it results in an instance, its placement. */
export interface Outcome {
  readonly status: number;
  readonly at?: At | null;
  /** Why it failed, if a batch rejects it differently. */
  readonly because?: 'unknown' | 'not owner';
}

const done = (at?: At | null): Outcome => ({ status: 200, at });
const rejected = (status: number, because?: Outcome['because']): Outcome => ({ status, because });

/**
 * The simplest possible model of inventories: instances and where they are. It finds free space by looking at every
 * cell of every instance.
 */
export class Model {
  users = new Set<string>();
  items = new Map<string, Footprint>();
  spaces = new Map<string, { cols: number; rows: number }>();
  bags = new Map<string, { userId: string; spaceId: string }>();
  things = new Map<string, Thing>();
  /** The number of history events of each instance. */
  events = new Map<string, number>();
  /** How often an instance made room for another. */
  swaps = 0;

  clone(): Model {
    const copy = new Model();
    copy.users = new Set(this.users);
    copy.items = new Map(this.items);
    copy.spaces = new Map(this.spaces);
    copy.bags = new Map(this.bags);
    copy.things = new Map(this.things);
    copy.events = new Map(this.events);
    copy.swaps = this.swaps;
    return copy;
  }

  private become(other: Model): void {
    Object.assign(this, other.clone());
  }

  /** Everything visible, as one text. */
  describe(): string {
    const things = [...this.things].map(
      ([id, { itemId, userId, at }]) =>
        `${id} ${itemId} of ${userId} ${at === null ? 'nowhere' : `in ${at.bagId} at ${at.x},${at.y} ${at.rotated}`}`,
    );
    const events = [...this.events].map(([id, count]) => `${id}: ${count}`);
    return [...things.sort(), ...events.sort(), ...[...this.users].sort(), ...[...this.bags.keys()].sort()].join('\n');
  }

  private sizeOf(bagId: string): { cols: number; rows: number } {
    return this.spaces.get(this.bags.get(bagId)?.spaceId ?? '') as { cols: number; rows: number };
  }

  private cells(itemId: string, { x, y, rotated }: GivenPlace): string[] {
    const { width, height } = this.items.get(itemId) as Footprint;
    const [across, down] = rotated ? [height, width] : [width, height];
    const cells: string[] = [];
    for (let row = y; row < y + down; row++)
      for (let column = x; column < x + across; column++) cells.push(`${column},${row}`);
    return cells;
  }

  private isInside(bagId: string, cells: readonly string[]): boolean {
    const { cols, rows } = this.sizeOf(bagId);
    return cells.every((cell) => {
      const [x, y] = cell.split(',').map(Number) as [number, number];
      return x >= 0 && y >= 0 && x < cols && y < rows;
    });
  }

  /** The ids of the instances on any of these cells. */
  private on(bagId: string, cells: readonly string[]): string[] {
    const wanted = new Set(cells);
    return [...this.things].flatMap(([id, { itemId, at }]) =>
      at?.bagId === bagId && this.cells(itemId, at).some((cell) => wanted.has(cell)) ? [id] : [],
    );
  }

  private fits(bagId: string, itemId: string, place: GivenPlace): boolean {
    const cells = this.cells(itemId, place);
    return this.isInside(bagId, cells) && this.on(bagId, cells).length === 0;
  }

  /** The given position if it is free, otherwise none; without one, the first free position. */
  private findPlace(bagId: string, itemId: string, place: Partial<GivenPlace> = {}): At | undefined {
    const { x, y, rotated } = place;
    if (x !== undefined && y !== undefined) {
      const given = { x, y, rotated: rotated ?? false };
      return this.fits(bagId, itemId, given) ? { bagId, ...given } : undefined;
    }
    const { cols, rows } = this.sizeOf(bagId);
    for (const way of [false, true])
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < cols; column++)
          if (this.fits(bagId, itemId, { x: column, y: row, rotated: way }))
            return { bagId, x: column, y: row, rotated: way };
    return undefined;
  }

  private put(id: string, change: Partial<Thing>): void {
    this.things.set(id, { ...(this.things.get(id) as Thing), ...change });
  }

  private note(id: string): void {
    this.events.set(id, (this.events.get(id) ?? 0) + 1);
  }

  private isBagOf(bagId: string, userId: string): boolean {
    return this.bags.get(bagId)?.userId === userId;
  }

  /** Applies an operation if possible; a rejected one changes nothing. */
  apply(operation: Operation): Outcome {
    const tried = this.clone();
    const outcome = tried.attempt(operation);
    if (outcome.status === 200) this.become(tried);
    return outcome;
  }

  private attempt(operation: Operation): Outcome {
    switch (operation.type) {
      case 'create':
        return this.create(operation);
      case 'move':
        return this.move(operation);
      case 'take-out':
        return this.takeOut(operation);
      case 'transfer':
        return this.transfer(operation);
      case 'delete':
        if (!this.things.has(operation.id)) return rejected(404, 'unknown');
        if (this.things.get(operation.id)?.locked) return rejected(409);
        this.things.delete(operation.id);
        this.note(operation.id);
        return done();
      case 'update':
        return this.update(operation);
      case 'batch':
        for (const one of operation.operations) {
          const { status, because } = this.attempt(one);
          if (because !== undefined) return rejected(because === 'unknown' ? 400 : 409);
          if (status !== 200) return rejected(status);
        }
        return done();
      case 'sort':
        return this.sort(operation);
      case 'resize': {
        this.spaces.set(operation.spaceId, { cols: operation.cols, rows: operation.rows });
        const allFit = [...this.things.values()].every(
          ({ itemId, at }) => at === null || this.isInside(at.bagId, this.cells(itemId, at)),
        );
        return allFit ? done() : rejected(409);
      }
      case 'refit':
        return this.refit(operation);
      case 'openBag':
        if (this.bags.has(operation.bagId)) return rejected(400);
        this.users.add(operation.userId);
        this.bags.set(operation.bagId, { userId: operation.userId, spaceId: operation.spaceId });
        return done();
      case 'closeBag':
        if (!this.isBagOf(operation.bagId, operation.userId)) return rejected(404);
        this.bags.delete(operation.bagId);
        for (const [id, { at }] of this.things) if (at?.bagId === operation.bagId) this.put(id, { at: null });
        return done();
      case 'deleteUser':
        if (!this.users.delete(operation.userId)) return rejected(404);
        for (const [id, { userId }] of this.bags) if (userId === operation.userId) this.bags.delete(id);
        for (const [id, { userId }] of this.things) {
          if (userId !== operation.userId) continue;
          this.things.delete(id);
          this.note(id);
        }
        return done();
    }
  }

  private create({ id, itemId, userId, bagId, place }: Operation & { type: 'create' }): Outcome {
    if (this.things.has(id)) return rejected(400);
    if (bagId === undefined ? place !== undefined : !this.isBagOf(bagId, userId)) return rejected(400);
    const at = bagId === undefined ? null : this.findPlace(bagId, itemId, place);
    if (at === undefined) return rejected(409);
    this.users.add(userId);
    this.things.set(id, { itemId, userId, at });
    this.note(id);
    return done(at);
  }

  private move({ id, userId, bagId, place, swap = false }: Operation & { type: 'move' }): Outcome {
    const thing = this.things.get(id);
    if (thing === undefined) return rejected(404, 'unknown');
    if (thing.userId !== userId) return rejected(404, 'not owner');
    if (thing.locked) return rejected(409);
    const targetId = bagId ?? thing.at?.bagId;
    if (targetId === undefined || !this.isBagOf(targetId, userId)) return rejected(400);
    const rotated = place.rotated ?? thing.at?.rotated ?? false;
    const to = { bagId: targetId, ...place, rotated };
    const cells = this.cells(thing.itemId, to);
    if (!this.isInside(targetId, cells)) return rejected(409);
    const under = this.on(targetId, cells).filter((other) => other !== id);
    if (under.length > 0 && (!swap || thing.at === null)) return rejected(409);
    if (under.some((other) => this.things.get(other)?.locked)) return rejected(409);
    const from = thing.at;
    this.put(id, { at: to });
    if (from === null || under.length === 0) return done(to);
    const lying = under.map((other) => ({ other, at: this.things.get(other)?.at as At }));
    const left = Math.min(...lying.map(({ at }) => at.x));
    const top = Math.min(...lying.map(({ at }) => at.y));
    for (const { other } of lying) this.put(other, { at: null });
    for (const { other, at } of lying) {
      const makesRoom = { ...at, bagId: from.bagId, x: at.x - left + from.x, y: at.y - top + from.y };
      if (!this.fits(from.bagId, (this.things.get(other) as Thing).itemId, makesRoom)) return rejected(409);
      this.put(other, { at: makesRoom });
    }
    this.swaps += 1;
    return done(to);
  }

  private takeOut({ id, userId }: Operation & { type: 'take-out' }): Outcome {
    const thing = this.things.get(id);
    if (thing === undefined) return rejected(404, 'unknown');
    if (thing.userId !== userId) return rejected(404, 'not owner');
    if (thing.locked) return rejected(409);
    this.put(id, { at: null });
    return done(null);
  }

  private update({ id, locked }: Operation & { type: 'update' }): Outcome {
    const thing = this.things.get(id);
    if (thing === undefined) return rejected(404, 'unknown');
    if ((thing.locked ?? false) !== locked) this.note(id);
    this.put(id, { locked });
    return done(thing.at);
  }

  private transfer({ id, userId, toUserId, toBagId, place }: Operation & { type: 'transfer' }): Outcome {
    if (toBagId === undefined && place !== undefined) return rejected(400);
    const thing = this.things.get(id);
    if (thing === undefined) return rejected(404, 'unknown');
    if (userId !== undefined && thing.userId !== userId) return rejected(404, 'not owner');
    if (thing.locked) return rejected(409);
    if (!this.users.has(toUserId) || (toBagId !== undefined && !this.isBagOf(toBagId, toUserId))) return rejected(400);
    if (thing.userId === toUserId) return rejected(409);
    this.put(id, { at: null });
    const at = toBagId === undefined ? null : this.findPlace(toBagId, thing.itemId, place);
    if (at === undefined) return rejected(409);
    this.put(id, { userId: toUserId, at });
    this.note(id);
    return done(at);
  }

  /** Uses the order and positions of the engine, whose own tests compare it with a simpler version. */
  private sort({ userId, bagId }: Operation & { type: 'sort' }): Outcome {
    if (!this.isBagOf(bagId, userId)) return rejected(404);
    const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    const lying = [...this.things]
      .filter(([, { at, locked }]) => at?.bagId === bagId && !locked)
      .sort(([one, a], [other, b]) => compare(a.itemId, b.itemId) || compare(one, other));
    const footprints = lying.map(([, { itemId }]) => this.items.get(itemId) as Footprint);
    const taken = new Map<number, bigint>();
    for (const { itemId, at, locked } of this.things.values())
      if (locked && at?.bagId === bagId)
        for (const cell of this.cells(itemId, at)) {
          const [x, y] = cell.split(',').map(Number) as [number, number];
          taken.set(y, (taken.get(y) ?? 0n) | (1n << BigInt(x)));
        }
    const places = allAtOnce(pack({ ...this.sizeOf(bagId), taken }, footprints));
    if (places === undefined) return rejected(409);
    for (const [index, [id]] of lying.entries())
      this.put(id, { at: { bagId, ...(places[index] as Omit<At, 'bagId'>) } });
    return done();
  }

  private refit({ itemId, width, height }: Operation & { type: 'refit' }): Outcome {
    this.items.set(itemId, { width, height });
    const mine = [...this.things].filter(([, thing]) => thing.itemId === itemId && thing.at !== null);
    for (const [id] of mine) this.put(id, { at: null });
    for (const [id, { at }] of mine) {
      if (at === null || !this.fits(at.bagId, itemId, at)) return rejected(409);
      this.put(id, { at });
    }
    return done();
  }
}

const placeBody = (place: GivenPlace | undefined) =>
  place === undefined ? {} : { spacePositionX: place.x, spacePositionY: place.y, rotated: place.rotated };

/** The members of an operation in the API, on its own or in a batch. */
const bodyOf = (operation: Operation): Record<string, unknown> => {
  switch (operation.type) {
    case 'create': {
      const { id, itemId, userId, bagId, place } = operation;
      return { id, itemId, userId, userSpaceId: bagId, ...placeBody(place) };
    }
    case 'move': {
      const { userId, bagId, place, swap } = operation;
      return { userId, userSpaceId: bagId, swap, ...placeBody(place) };
    }
    case 'take-out':
      return { userId: operation.userId };
    case 'update':
      return { locked: operation.locked };
    case 'transfer': {
      const { userId, toUserId, toBagId, place } = operation;
      return { userId, toUserId, toUserSpaceId: toBagId, ...placeBody(place) };
    }
    default:
      return {};
  }
};

const inBatch = (operation: Operation): object => ({
  type: operation.type,
  ...('id' in operation ? { id: operation.id } : {}),
  ...bodyOf(operation),
});

/** The request for an operation. */
export const requestOf = (operation: Operation): { method: string; path: string; body?: object } => {
  switch (operation.type) {
    case 'create':
      return { method: 'POST', path: '/item-instances', body: bodyOf(operation) };
    case 'update':
      return { method: 'PATCH', path: `/item-instances/${operation.id}`, body: bodyOf(operation) };
    case 'move':
    case 'take-out':
    case 'transfer':
      return { method: 'POST', path: `/item-instances/${operation.id}/${operation.type}`, body: bodyOf(operation) };
    case 'delete':
      return { method: 'DELETE', path: `/item-instances/${operation.id}` };
    case 'batch':
      return { method: 'POST', path: '/item-instances/batch', body: { operations: operation.operations.map(inBatch) } };
    case 'sort':
      return { method: 'POST', path: `/users/${operation.userId}/spaces/${operation.bagId}/sort` };
    case 'resize': {
      const { spaceId, cols, rows } = operation;
      return { method: 'PUT', path: `/spaces/${spaceId}`, body: { cols, rows } };
    }
    case 'refit': {
      const { itemId, width, height } = operation;
      return { method: 'PUT', path: `/items/${itemId}`, body: { width, height } };
    }
    case 'openBag': {
      const { userId, bagId, spaceId } = operation;
      return { method: 'POST', path: `/users/${userId}/spaces`, body: { id: bagId, spaceId } };
    }
    case 'closeBag':
      return { method: 'DELETE', path: `/users/${operation.userId}/spaces/${operation.bagId}` };
    case 'deleteUser':
      return { method: 'DELETE', path: `/users/${operation.userId}` };
  }
};

/** Sends an operation to the service. */
export const perform = (team: Client, operation: Operation): Promise<ApiResponse> => {
  const { method, path, body } = requestOf(operation);
  return team.request(method, path, body);
};

interface ShownPlace {
  teamUserSpaceId: string;
  spacePositionX: number;
  spacePositionY: number;
  rotated: boolean;
}

export const toAt = (shown: ShownPlace | null): At | null =>
  shown && { bagId: shown.teamUserSpaceId, x: shown.spacePositionX, y: shown.spacePositionY, rotated: shown.rotated };

/** A response in terms of the model. */
export const outcomeOf = (operation: Operation, { status, body }: ApiResponse): Outcome => {
  const answersInstance = ['create', 'update', 'move', 'take-out', 'transfer'].includes(operation.type);
  return status === 200 && answersInstance ? { status, at: toAt(body.itemInstanceSpace) } : { status };
};

export const sameOutcome = (one: Outcome, other: Outcome): boolean => {
  if (one.status !== other.status) return false;
  const [a, b] = [one.at ?? null, other.at ?? null];
  if (a === null || b === null) return a === b;
  return a.bagId === b.bagId && a.x === b.x && a.y === b.y && a.rotated === b.rotated;
};

/** Placeholders for the owner of the instance at the time of the call, and for one of their bags. */
const OWNER = '@owner';
const BAGS_OF_OWNER = ['@bag-0', '@bag-1'];

/** `@there-3` stands for an instance that exists at the time of the call, `@new-3` for one that does not. */
const resolveId = (model: Model, id: string, things: readonly string[]): string => {
  const [, which, number] = /^@(there|new)-(\d+)$/.exec(id) ?? [];
  if (which === undefined) return id;
  const fitting = things.filter((thing) => model.things.has(thing) === (which === 'there'));
  return fitting[Number(number) % fitting.length] ?? (things[0] as string);
};

/** Resolves an operation: fills in the instances, owner and bags that the model knows at this point. */
export const resolve = (model: Model, chosen: Operation, { things }: Pick<Names, 'things'>): Operation => {
  if (chosen.type === 'batch')
    return { ...chosen, operations: chosen.operations.map((one) => resolve(model, one, { things })) };
  const operation = 'id' in chosen ? { ...chosen, id: resolveId(model, chosen.id, things) } : chosen;
  if (operation.type !== 'move' && operation.type !== 'take-out' && operation.type !== 'transfer') return operation;
  const owner = model.things.get(operation.id)?.userId ?? 'nobody';
  const userId = operation.userId === OWNER ? owner : operation.userId;
  if (operation.type === 'transfer') return { ...operation, userId };
  if (operation.type === 'take-out') return { ...operation, userId: userId as string };
  const bags = [...model.bags].flatMap(([id, bag]) => (bag.userId === owner ? [id] : [])).sort();
  const index = BAGS_OF_OWNER.indexOf(operation.bagId ?? '');
  const bagId = index < 0 ? operation.bagId : bags[index];
  return { ...operation, userId: userId as string, bagId };
};

export interface Names {
  readonly users: readonly string[];
  readonly items: readonly string[];
  readonly spaces: readonly string[];
  /** Each bag, and its owner while it exists. */
  readonly bags: readonly { readonly bagId: string; readonly userId: string }[];
  readonly things: readonly string[];
}

/** Operations on instances with these names, most of which make sense in the current state of the model. */
export const operations = (names: Names, { catalog = true, deletions = true } = {}): fc.Arbitrary<Operation> => {
  const anyId = fc.constantFrom(...names.things);
  const chosenId = (which: string) =>
    fc.oneof({ weight: 9, arbitrary: fc.nat(99).map((n) => `@${which}-${n}`) }, { weight: 1, arbitrary: anyId });
  const [id, newId] = [chosenId('there'), chosenId('new')];
  const userId = fc.constantFrom(...names.users);
  const itemId = fc.constantFrom(...names.items);
  const bag = fc.constantFrom(...names.bags);
  const spaceId = fc.constantFrom(...names.spaces);
  const coordinate = fc.oneof({ weight: 20, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constantFrom(-1, 7) });
  const rotated = fc.constantFrom(undefined, undefined, false, true);
  const place: fc.Arbitrary<GivenPlace> = fc.record({ x: coordinate, y: coordinate, rotated });
  const maybePlace = fc.oneof(fc.constant(undefined), place);
  // Occasionally the owner of the bag is wrong.
  const owned = fc.tuple(bag, fc.nat(9), userId).map(([{ bagId, userId: owner }, luck, other]) => ({
    bagId,
    userId: luck === 0 ? other : owner,
  }));
  const create: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({ type: fc.constant('create' as const), id: newId, itemId, userId }),
    fc
      .tuple(newId, itemId, owned, maybePlace)
      .map(([thing, item, own, where]) => ({ type: 'create' as const, id: thing, itemId: item, ...own, place: where })),
    fc
      .tuple(newId, itemId, owned)
      .map(([thing, item, own]) => ({ type: 'create' as const, id: thing, itemId: item, ...own })),
  );
  const owner = fc.oneof({ weight: 12, arbitrary: fc.constant(OWNER) }, { weight: 1, arbitrary: userId });
  const move: fc.Arbitrary<Operation> = fc
    .tuple(id, owner, fc.constantFrom(undefined, ...BAGS_OF_OWNER), bag, fc.nat(9), place, fc.nat(2))
    .map(([thing, user, own, { bagId }, luck, where, swap]) => ({
      ...{
        type: 'move' as const,
        id: thing,
        userId: user,
        bagId: luck === 0 ? bagId : own,
        place: where,
        swap: swap > 0,
      },
    }));
  const takeOut: fc.Arbitrary<Operation> = fc.record({ type: fc.constant('take-out' as const), id, userId: owner });
  // Unlocked more often than locked, so that most operations find something that is free.
  const update: fc.Arbitrary<Operation> = fc
    .tuple(id, fc.nat(4))
    .map(([thing, luck]) => ({ type: 'update' as const, id: thing, locked: luck === 0 }));
  const transfer: fc.Arbitrary<Operation> = fc
    .tuple(id, fc.option(owner, { nil: undefined }), owned, fc.boolean(), maybePlace)
    .map(([thing, from, to, placed, where]) => ({
      type: 'transfer' as const,
      id: thing,
      userId: from,
      toUserId: to.userId,
      ...(placed ? { toBagId: to.bagId, place: where } : {}),
    }));
  const remove: fc.Arbitrary<Operation> = fc.record({ type: fc.constant('delete' as const), id });
  const single = fc.oneof(
    { weight: 8, arbitrary: create },
    { weight: 12, arbitrary: move },
    { weight: 2, arbitrary: takeOut },
    { weight: 2, arbitrary: update },
    { weight: 5, arbitrary: transfer },
    { weight: 1, arbitrary: remove },
  );
  const batch: fc.Arbitrary<Operation> = fc
    .array(single, { minLength: 1, maxLength: 4 })
    .map((some) => ({ type: 'batch' as const, operations: some }));
  const sort: fc.Arbitrary<Operation> = owned.map((own) => ({ type: 'sort' as const, ...own }));
  const resize: fc.Arbitrary<Operation> = fc.record({
    type: fc.constant('resize' as const),
    spaceId,
    cols: fc.integer({ min: 2, max: 6 }),
    rows: fc.integer({ min: 2, max: 6 }),
  });
  const refit: fc.Arbitrary<Operation> = fc.record({
    type: fc.constant('refit' as const),
    itemId,
    width: fc.integer({ min: 1, max: 3 }),
    height: fc.integer({ min: 1, max: 3 }),
  });
  const openBag: fc.Arbitrary<Operation> = fc
    .tuple(bag, spaceId)
    .map(([{ bagId, userId: owner }, space]) => ({ type: 'openBag' as const, bagId, userId: owner, spaceId: space }));
  const closeBag: fc.Arbitrary<Operation> = owned.map((own) => ({ type: 'closeBag' as const, ...own }));
  const deleteUser: fc.Arbitrary<Operation> = fc.record({ type: fc.constant('deleteUser' as const), userId });
  // Small values are not better here: everything would be in one corner.
  const all = fc.oneof(
    { weight: 100, arbitrary: single },
    { weight: 12, arbitrary: batch },
    { weight: 4, arbitrary: sort },
    ...(catalog
      ? [
          { weight: 3, arbitrary: resize },
          { weight: 4, arbitrary: refit },
        ]
      : []),
    ...(deletions
      ? [
          { weight: 3, arbitrary: openBag },
          { weight: 1, arbitrary: closeBag },
          { weight: 1, arbitrary: deleteUser },
        ]
      : []),
  );
  return fc.noBias(all);
};
