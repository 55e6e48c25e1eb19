import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ApiResponse } from './harness.ts';
import {
  Model,
  type Operation,
  operations,
  outcomeOf,
  requestOf,
  resolve,
  sameOutcome,
  toAt,
} from './inventory-model.ts';
import { cheapDraws } from './statistics.ts';
import { verified } from './verified.ts';

/** A request of a caller. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** What it adds to the statistics on success; without a template for a plain roll. */
  readonly rolls?: { readonly templateId: string; readonly count: number };
}

/**
 * Calls the service, one request at a time, with data that nobody else touches: its responses determine what must
 * exist.
 */
export interface Caller {
  readonly name: string;
  /** Creates what it needs. */
  readonly prepare: () => Promise<void>;
  readonly next: () => Request;
  /** Receives the response to its last request, and fails if it is wrong. */
  readonly handleResponse: (response: ApiResponse) => void;
  /**
   * Compares all responses so far with the data. The last request may also have taken effect, as a whole, if it was cut
   * off; returns whether it did, or undefined if that cannot be determined.
   */
  readonly look: (cutOff?: { readonly requestId: string }) => Promise<boolean | undefined>;
  /** Counts its last request as done, since `look` found it. */
  readonly accept: () => void;
}

/** The service as callers see it, at a different address after each start. */
export interface Sight {
  /** Sends a request, and returns the response. */
  readonly must: (method: string, path: string, body?: object) => Promise<Row>;
  readonly get: (path: string) => Promise<ApiResponse>;
  readonly list: (path: string) => Promise<Row[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of several kinds; what is expected of them is asserted.
type Row = any;

/** What was rolled according to responses, and by requests that were found without their response. */
export interface Ledger {
  readonly rolled: (templateId: string, itemId: string) => void;
  readonly rolledUnseen: (templateId: string, count: number) => void;
}

export const PLAIN = '';
export const BANNERS = ['banner-a', 'banner-b'] as const;
/** Its rolls are verifiable. */
export const FAIR = 'fair';
const ITEMS = { dot: [1, 1], bar: [1, 3], slab: [2, 1], block: [2, 2] } as const;
const TIERS = { five: ['five-featured', 'five-other'], four: ['four-one', 'four-two'], three: ['three-one'] };
const SPARK_COST = 25;
const BANNER = {
  ...{
    baseRates: { five: 0.05, four: 0.15, three: 0.8 },
    pityThreshold: 15,
    featuredShare: 0.5,
    guaranteeAfterLosses: 1,
  },
  ...{ pities: [{ tier: 'four', threshold: 6 }], featuredItemIds: ['five-featured'], sparkCurrency: SPARK_COST },
  pityGroup: 'banners',
};

/** The catalog that all callers share. */
export const prepareCatalog = async ({ must }: Sight): Promise<void> => {
  await must('POST', '/attributes', { id: 'power', name: 'Power', min: 0, max: 1000 });
  const options = Object.keys(TIERS).map((name) => ({ name }));
  const { classifierOptions } = await must('POST', '/classifiers', { name: 'Rarity', classifierOptions: options });
  for (const [id, [width, height]] of Object.entries(ITEMS))
    await must('POST', '/items', { id, name: id, width, height });
  for (const { id: optionId, name } of classifierOptions)
    for (const id of TIERS[name as keyof typeof TIERS])
      await must('POST', '/items', { id, name: id, classifierOptionIds: [optionId] });
  for (const id of BANNERS) await must('POST', '/templates', { id, name: id, config: BANNER });
  const fair = { pool: { itemIds: ['dot', 'bar', 'slab'] }, pityThreshold: 5 };
  await must('POST', '/templates', { id: FAIR, name: FAIR, config: fair, verifiable: true });
  await must('POST', '/spaces', { id: 'bag', name: 'Bag', cols: 4, rows: 4 });
  await must('POST', '/users/shared/spaces', { id: 'shared-bag', spaceId: 'bag' });
};

/** Whole numbers below a bound, the same for the same caller. */
const chooser = (seed: number): ((below: number) => number) => {
  const draws = cheapDraws(seed);
  return (below) => Math.floor(draws() * below);
};

const isPlaced = ({ itemInstanceSpace }: Row): boolean => itemInstanceSpace !== null;

/** Instances that exist without a response about them: all of the request that was cut off. */
const assertMadeBy = async ({ get }: Sight, requestId: string | undefined, ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    const { body } = await get(`/item-instances/${id}/history`);
    assert.equal(body[0].requestId, requestId, `${id} was not created by an expected request`);
  }
};

/** Moves items around in bags: random creations, moves, swaps, transfers, batches, sorting and deletions. */
const bagCaller = (sight: Sight, number: number, _ledger: Ledger, firstSeed: number): Caller => {
  const name = `packer-${number}`;
  const users = ['one', 'two'].map((user) => `${name}-${user}`);
  const names = {
    users,
    items: Object.keys(ITEMS),
    spaces: ['bag'],
    bags: users.map((userId) => ({ userId, bagId: `${userId}-bag` })),
    things: Array.from({ length: 8 }, (_, thing) => `${name}-thing-${thing}`),
  };
  const model = new Model();
  for (const [id, [width, height]] of Object.entries(ITEMS)) model.items.set(id, { width, height });
  model.spaces.set('bag', { cols: 4, rows: 4 });
  const chosen = function* (): Generator<Operation, never> {
    for (let seed = firstSeed; ; seed += 1_000_000)
      yield* fc.sample(operations(names, { catalog: false }), { seed, numRuns: 100 });
  };
  const sequence = chosen();
  let asked: Operation;

  const see = async (): Promise<Model> => {
    const seen = new Model();
    for (const userId of users) {
      const { status, body } = await sight.get(`/users/${userId}/spaces`);
      if (status === 404) continue;
      seen.users.add(userId);
      for (const { id, spaceId } of body) seen.bags.set(id, { userId, spaceId });
      for (const { id, item, itemInstanceSpace } of await sight.list(`/item-instances?userId=${userId}`))
        seen.things.set(id, { itemId: item.id, userId, at: toAt(itemInstanceSpace) });
    }
    for (const id of names.things) {
      const path = `/item-instances/${id}/history`;
      // Thousands of events after many kills, so read all pages.
      if ((await sight.get(`${path}?limit=1`)).status === 200) seen.events.set(id, (await sight.list(path)).length);
    }
    return seen;
  };

  return {
    name,
    prepare: async () => {
      for (const { userId, bagId } of names.bags) {
        const open: Operation = { type: 'openBag', userId, bagId, spaceId: 'bag' };
        const { method, path, body } = requestOf(open);
        await sight.must(method, path, body);
        model.apply(open);
      }
    },
    next: () => {
      asked = resolve(model, sequence.next().value, names);
      return requestOf(asked);
    },
    handleResponse: (response) => {
      const expected = model.apply(asked);
      const said = `${JSON.stringify(asked)}: ${response.status} ${JSON.stringify(response.body)}`;
      assert.ok(sameOutcome(expected, outcomeOf(asked, response)), `${said}, expected ${JSON.stringify(expected)}`);
    },
    look: async (cutOff) => {
      const seen = (await see()).describe();
      const withoutIt = model.describe();
      if (cutOff === undefined) {
        assert.equal(seen, withoutIt);
        return undefined;
      }
      const done = model.clone();
      done.apply(asked);
      const withIt = done.describe();
      if (seen !== withIt) assert.equal(seen, withoutIt);
      return withIt === withoutIt ? undefined : seen === withIt;
    },
    accept: () => void model.apply(asked),
  };
};

/** Puts items into one bag shared by all guests, wherever there is space, and takes them out again. */
const guest = (sight: Sight, number: number, _ledger: Ledger, seed: number): Caller => {
  const name = `guest-${number}`;
  const choose = chooser(seed);
  const things = new Set<string>();
  let made = 0;
  let asked: { id: string; isGift: boolean };
  const accept = (): void => void (asked.isGift ? things.add(asked.id) : things.delete(asked.id));
  return {
    name,
    prepare: async () => {},
    next: () => {
      const [oldest] = things;
      if (oldest !== undefined && choose(4) < things.size) {
        asked = { id: oldest, isGift: false };
        return { method: 'DELETE', path: `/item-instances/${oldest}` };
      }
      made += 1;
      asked = { id: `${name}-${made}`, isGift: true };
      const body = { id: asked.id, itemId: 'dot', userId: 'shared', userSpaceId: 'shared-bag' };
      return { method: 'POST', path: '/item-instances', body };
    },
    handleResponse: ({ status, body }) => {
      // Others may have filled the bag.
      if (status === 409 && asked.isGift) return;
      assert.equal(status, 200, JSON.stringify(body));
      accept();
    },
    look: async (cutOff) => {
      const rows = await sight.list('/item-instances?userId=shared');
      const mine = rows.filter(({ id }) => id.startsWith(`${name}-`));
      for (const row of mine) assert.ok(isPlaced(row));
      const seen = new Set<string>(mine.map(({ id }) => id));
      const isThere = cutOff !== undefined && seen.has(asked.id) === asked.isGift;
      const expected = new Set(things);
      if (isThere && asked.isGift) expected.add(asked.id);
      if (isThere && !asked.isGift) expected.delete(asked.id);
      assert.deepEqual(seen, expected);
      return cutOff && isThere;
    },
    accept,
  };
};

/** Rolls without a body, which leave nothing but a count. */
const roller = (_sight: Sight, number: number, ledger: Ledger): Caller => ({
  name: `roller-${number}`,
  prepare: async () => {},
  next: () => ({ method: 'POST', path: '/items/roll', rolls: { templateId: PLAIN, count: 1 } }),
  handleResponse: ({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body));
    ledger.rolled(PLAIN, body.item.id);
  },
  look: async () => undefined,
  accept: () => assert.fail('the outcome cannot be determined'),
});

/** Rolls and keeps the items, inside a bag or outside, and deletes some of them. */
const keeper = (sight: Sight, number: number, ledger: Ledger, seed: number): Caller => {
  const name = `keeper-${number}`;
  const bagId = `${name}-bag`;
  const choose = chooser(seed);
  const things = new Map<string, { itemId: string; placed: boolean }>();
  let isFull = false;
  let asked: { toss: string } | { placed: boolean };
  /** What the last look found of a request that was cut off. */
  let found: { id: string; itemId: string; placed: boolean };

  const keep = ({ id, itemId, placed }: typeof found): void => {
    things.set(id, { itemId, placed });
    ledger.rolled(PLAIN, itemId);
  };
  const placedOnes = () => [...things].flatMap(([id, { placed }]) => (placed ? [id] : []));

  return {
    name,
    prepare: async () => {
      await sight.must('POST', `/users/${name}/spaces`, { id: bagId, spaceId: 'bag' });
    },
    next: () => {
      const [toss] = isFull ? placedOnes() : things.size > choose(30) ? things.keys() : [];
      isFull = false;
      if (toss !== undefined) {
        asked = { toss };
        return { method: 'DELETE', path: `/item-instances/${toss}` };
      }
      asked = { placed: choose(2) === 0 };
      const body = { userId: name, ...(asked.placed ? { userSpaceId: bagId } : {}) };
      return { method: 'POST', path: '/items/roll', body, rolls: { templateId: PLAIN, count: 1 } };
    },
    handleResponse: ({ status, body }) => {
      if (status === 409) {
        assert.ok('placed' in asked && asked.placed && placedOnes().length > 0, JSON.stringify(body));
        isFull = true;
        return;
      }
      assert.equal(status, 200, JSON.stringify(body));
      if ('toss' in asked) things.delete(asked.toss);
      else {
        // There is room for the largest item, a block; a bar may still find no place, and is kept outside.
        const placed = isPlaced(body.itemInstance);
        assert.ok(placed === asked.placed || body.item.id === 'bar', JSON.stringify(body));
        keep({ id: body.itemInstance.id, itemId: body.item.id, placed });
      }
    },
    look: async (cutOff) => {
      const rows = await sight.list(`/item-instances?userId=${name}`);
      const seen = new Map(rows.map((row) => [row.id, { itemId: row.item.id, placed: isPlaced(row) }]));
      const expected = new Map(things);
      let isThere = false;
      if (cutOff !== undefined && 'toss' in asked) {
        isThere = !seen.has(asked.toss);
        if (isThere) expected.delete(asked.toss);
      } else if (cutOff !== undefined) {
        const [unknown] = [...seen].filter(([id]) => !things.has(id));
        isThere = unknown !== undefined;
        if (unknown !== undefined && 'placed' in asked) {
          const [id, { itemId, placed }] = unknown;
          assert.ok(placed === asked.placed || itemId === 'bar');
          await assertMadeBy(sight, cutOff.requestId, [id]);
          found = { id, itemId, placed };
          expected.set(id, { itemId, placed });
        }
      }
      assert.deepEqual(seen, expected);
      return cutOff && isThere;
    },
    accept: () => {
      if ('toss' in asked) things.delete(asked.toss);
      else keep(found);
    },
  };
};

/** What two banners with a shared pity remember about a user, as far as it follows from the rolls. */
interface Standing {
  readonly counters: { readonly sinceTop: number; readonly losses: number; readonly sinceFour: number };
  readonly banners: Readonly<Record<string, { readonly rolls: number; readonly sparkPoints: number }>>;
}

const standingAfter = (standing: Standing, templateId: string, rolls: readonly Row[]): Standing => {
  let { sinceTop, losses, sinceFour } = standing.counters;
  for (const { item, featured } of rolls) {
    const tier = item.id.split('-', 1)[0];
    sinceTop = tier === 'five' ? 0 : sinceTop + 1;
    if (tier === 'five') losses = featured ? 0 : losses + 1;
    sinceFour = tier === 'four' ? 0 : sinceFour + 1;
  }
  const before = standing.banners[templateId] ?? { rolls: 0, sparkPoints: 0 };
  const after = { rolls: before.rolls + rolls.length, sparkPoints: before.sparkPoints + rolls.length };
  return {
    counters: { sinceTop, losses, sinceFour },
    banners: { ...standing.banners, [templateId]: after },
  };
};

const sparkSpent = (standing: Standing, templateId: string): Standing => {
  const { rolls, sparkPoints } = standing.banners[templateId] as { rolls: number; sparkPoints: number };
  return {
    ...standing,
    banners: { ...standing.banners, [templateId]: { rolls, sparkPoints: sparkPoints - SPARK_COST } },
  };
};

const countersOf = ({ sinceTop, losses, pities }: Row) => ({ sinceTop, losses, sinceFour: pities[0].since });

/** Rolls on two banners with one pity, exchanges points, keeps some of the items, and deletes some of those. */
const player = (sight: Sight, number: number, ledger: Ledger, seed: number): Caller => {
  const name = `player-${number}`;
  const bagId = `${name}-bag`;
  const choose = chooser(seed);
  const things = new Set<string>();
  let standing: Standing = {
    counters: { sinceTop: 0, losses: 0, sinceFour: 0 },
    banners: Object.fromEntries(BANNERS.map((id) => [id, { rolls: 0, sparkPoints: 0 }])),
  };
  type Asked =
    | { type: 'roll'; templateId: string; count: number; granted: boolean }
    | { type: 'spark'; templateId: string }
    | { type: 'toss'; id: string };
  let asked: Asked;
  let found: { standing: Standing; things: string[] };

  const see = async (): Promise<{ standing: Standing; things: Set<string> }> => {
    const states = await Promise.all(BANNERS.map((id) => sight.get(`/users/${name}/templates/${id}`)));
    const [first, second] = states.map(({ body }) => body);
    assert.deepEqual(countersOf(first), countersOf(second), 'the banners share their pity');
    const banners = Object.fromEntries(
      [first, second].map(({ templateId, rolls, sparkPoints }) => [templateId, { rolls, sparkPoints }]),
    );
    const rows = await sight.list(`/item-instances?userId=${name}`);
    return {
      standing: { counters: countersOf(first), banners },
      things: new Set(rows.map(({ id }) => id)),
    };
  };

  /** Whether this many rolls can lead from one state to the other. */
  const assertReached = (
    from: Standing,
    to: Standing,
    { templateId, count }: { templateId: string; count: number },
  ) => {
    const passed = standingAfter(from, templateId, Array<Row>(count).fill({ item: { id: 'three-one' } }));
    assert.deepEqual(to.banners, passed.banners);
    for (const counter of ['sinceTop', 'sinceFour'] as const)
      assert.ok(to.counters[counter] === passed.counters[counter] || to.counters[counter] < count, counter);
    if (to.counters.sinceTop === passed.counters.sinceTop) assert.equal(to.counters.losses, from.counters.losses);
  };

  /** How the last request changes the data, if it took effect. */
  const assertDone = async (seen: Awaited<ReturnType<typeof see>>, requestId: string): Promise<void> => {
    const gone = [...things].filter((id) => !seen.things.has(id));
    const fresh = [...seen.things].filter((id) => !things.has(id));
    await assertMadeBy(sight, requestId, fresh);
    assert.deepEqual(gone, asked.type === 'toss' ? [asked.id] : []);
    const granted = asked.type === 'spark' ? 1 : asked.type === 'roll' && asked.granted ? asked.count : 0;
    assert.equal(fresh.length, granted, 'all instances are created, or none');
    if (asked.type === 'roll') assertReached(standing, seen.standing, asked);
    else assert.deepEqual(seen.standing, asked.type === 'spark' ? sparkSpent(standing, asked.templateId) : standing);
    found = { standing: seen.standing, things: fresh };
  };

  return {
    name,
    prepare: async () => {
      await sight.must('POST', `/users/${name}/spaces`, { id: bagId, spaceId: 'bag' });
    },
    next: () => {
      const [oldest] = things;
      if (oldest !== undefined && things.size > choose(60)) {
        asked = { type: 'toss', id: oldest };
        return { method: 'DELETE', path: `/item-instances/${oldest}` };
      }
      const templateId = BANNERS[choose(2)] as string;
      const points = standing.banners[templateId]?.sparkPoints ?? 0;
      const place = { userSpaceId: bagId, onFull: 'unplaced' };
      if (points >= SPARK_COST && choose(2) === 0) {
        asked = { type: 'spark', templateId };
        const body = { userId: name, itemId: 'five-featured', ...place };
        return { method: 'POST', path: `/templates/${templateId}/spark`, body };
      }
      const count = 1 + choose(choose(3) === 0 ? 10 : 1);
      const way = [{}, {}, { grant: true }, place][choose(4)] as object;
      asked = { type: 'roll', templateId, count, granted: Object.keys(way).length > 0 };
      const body = { userId: name, count, ...way };
      return { method: 'POST', path: `/templates/${templateId}/roll`, body, rolls: { templateId, count } };
    },
    handleResponse: ({ status, body }) => {
      assert.equal(status, 200, JSON.stringify(body));
      if (asked.type === 'toss') {
        things.delete(asked.id);
        return;
      }
      const { templateId } = asked;
      if (asked.type === 'roll') {
        assert.equal(body.rolls.length, asked.count);
        for (const { item } of body.rolls) ledger.rolled(templateId, item.id);
        standing = standingAfter(standing, templateId, body.rolls);
      } else {
        standing = sparkSpent(standing, templateId);
      }
      const { rolls, sparkPoints } = body.state;
      assert.deepEqual({ rolls, sparkPoints }, standing.banners[templateId]);
      assert.deepEqual(countersOf(body.state), standing.counters);
      for (const { itemInstance } of asked.type === 'roll' ? body.rolls : [body])
        if (itemInstance !== undefined) things.add(itemInstance.id);
    },
    look: async (cutOff) => {
      const seen = await see();
      const wasTold = { standing, things };
      if (cutOff === undefined || JSON.stringify(seen.standing) === JSON.stringify(standing)) {
        const isTossed = cutOff !== undefined && asked.type === 'toss' && !seen.things.has(asked.id);
        if (isTossed) await assertDone(seen, cutOff.requestId);
        else assert.deepEqual(seen, wasTold);
        return cutOff && isTossed;
      }
      await assertDone(seen, cutOff.requestId);
      return true;
    },
    accept: () => {
      if (asked.type === 'toss') things.delete(asked.id);
      if (asked.type === 'roll') ledger.rolledUnseen(asked.templateId, asked.count);
      standing = found.standing;
      for (const id of found.things) things.add(id);
    },
  };
};

/** Creates items and changes them; name, weight and attribute always contain the same number. */
const editor = (sight: Sight, number: number, _ledger: Ledger, seed: number): Caller => {
  const name = `editor-${number}`;
  const choose = chooser(seed);
  const items = new Map<string, number>();
  let asked: { id: string; weight: number };
  const accept = (): void => void items.set(asked.id, asked.weight);
  return {
    name,
    prepare: async () => {},
    next: () => {
      const weight = 1 + choose(1000);
      const isNew = items.size === 0 || (items.size < 50 && choose(4) === 0);
      asked = { id: `${name}-${isNew ? items.size : choose(items.size)}`, weight };
      const itemAttributes = [{ attributeId: 'power', min: 0, max: weight }];
      const body = { name: `weight ${weight}`, rollNumerator: weight, itemAttributes };
      return isNew
        ? { method: 'POST', path: '/items', body: { id: asked.id, ...body } }
        : { method: 'PUT', path: `/items/${asked.id}`, body };
    },
    handleResponse: ({ status, body }) => {
      assert.equal(status, 200, JSON.stringify(body));
      accept();
    },
    look: async (cutOff) => {
      const seen = new Map<string, number>();
      for (const row of await sight.list('/items')) {
        if (!row.id.startsWith(`${name}-`)) continue;
        assert.equal(row.name, `weight ${row.rollNumerator}`);
        assert.deepEqual(
          row.attributes.map(({ max }: Row) => max),
          [row.rollNumerator],
        );
        seen.set(row.id, row.rollNumerator);
      }
      const isThere = cutOff !== undefined && seen.get(asked.id) === asked.weight;
      const isTold = items.get(asked.id) !== asked.weight;
      assert.deepEqual(seen, isThere ? new Map(items).set(asked.id, asked.weight) : items);
      return cutOff && isTold ? isThere : undefined;
    },
    accept,
  };
};

/** Rolls on a template whose rolls are verifiable, and rotates now and then. */
const auditor = (sight: Sight, number: number, ledger: Ledger, seed: number): Caller => {
  const name = `auditor-${number}`;
  const choose = chooser(seed);
  /** The hashes of the receipts of each epoch, the rotation first. */
  const epochs: string[][] = [];
  let next: Row;
  let asked: 'roll' | 'rotate';
  let found: Row;

  const begin = (rotated: Row): void => {
    epochs.push([rotated.rotation]);
    next = { ...next, ...rotated };
  };
  const rotation = () => ({
    clientSeed: `${name} ${epochs.length}`,
    commitment: next.nextCommitment,
    manifest: next.nextManifest,
  });
  return {
    name,
    prepare: async () => {
      next = await sight.must('POST', `/users/${name}/fairness`);
      begin(await sight.must('POST', `/users/${name}/fairness/rotate`, rotation()));
    },
    next: () => {
      asked = choose(8) === 0 ? 'rotate' : 'roll';
      if (asked === 'rotate') return { method: 'POST', path: `/users/${name}/fairness/rotate`, body: rotation() };
      const rolls = { templateId: FAIR, count: 1 };
      return { method: 'POST', path: `/templates/${FAIR}/roll`, body: { userId: name }, rolls };
    },
    handleResponse: ({ status, body }) => {
      assert.equal(status, 200, JSON.stringify(body));
      if (asked === 'rotate') {
        begin(body);
        return;
      }
      const { epoch, nonce, receipt } = body.fairness;
      assert.deepEqual([epoch, nonce], [epochs.length - 1, (epochs.at(-1) as string[]).length - 1]);
      epochs.at(-1)?.push(receipt);
      ledger.rolled(FAIR, body.rolls[0].item.id);
    },
    look: async (cutOff) => {
      const rows = await sight.list(`/users/${name}/receipts`);
      const seen = Map.groupBy(rows, ({ receipt }) => receipt.epoch);
      const hashes = [...seen.values()].map((receipts) => receipts.map(({ hash }) => hash));
      const count = epochs.flat().length;
      const isThere = cutOff !== undefined && rows.length > count;
      const expected = epochs.map((receipts) => [...receipts]);
      if (isThere) {
        found = rows.at(-1);
        if (asked === 'rotate') expected.push([found.hash]);
        else expected.at(-1)?.push(found.hash);
      }
      assert.deepEqual(hashes, expected, `the receipts of ${name}`);
      const { isSound, receipts } = verified((await sight.get(`/users/${name}/proof?epoch=0`)).body, {
        receipts: hashes[0] ?? [],
      });
      assert.ok(isSound, JSON.stringify(receipts.filter(({ status }) => status === 'failed')));
      return cutOff && isThere;
    },
    accept: () => {
      const { hash, receipt } = found;
      if (asked === 'rotate') begin({ rotation: hash, nextCommitment: receipt.nextCommitment });
      else {
        epochs.at(-1)?.push(hash);
        ledger.rolled(FAIR, receipt.results[0][0]);
      }
    },
  };
};

/** All concurrent callers. Another seed makes them send other requests. */
export const createCallers = (sight: Sight, ledger: Ledger, seed: number): Caller[] =>
  (
    [
      [bagCaller, 6],
      [guest, 4],
      [roller, 6],
      [keeper, 4],
      [player, 6],
      [editor, 2],
      [auditor, 3],
    ] as const
  ).flatMap(([create, count]) =>
    Array.from({ length: count }, (_, number) => create(sight, number, ledger, 100 * seed + number)),
  );
