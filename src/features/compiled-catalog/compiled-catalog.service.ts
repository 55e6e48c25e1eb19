import { madeOutside, type Slot } from '../../database/outside.ts';
import type { Finder, Read, Reader, Work } from '../../database/work.ts';
import { createPlainObserver, type PlainObserver } from '../../engine/evidence/observation.ts';
import type { Catalog, CompiledItem } from '../../engine/pool/catalog.ts';
import { buildPool, type Pool, type PoolFilter } from '../../engine/pool/pool.ts';
import { allAtOnce, ELEMENTS_PER_STEP } from '../../engine/steps.ts';
import { ServiceError } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { createRecentlyUsed, type RecentlyUsed } from '../../shared/recently-used.ts';
import { inTurns } from '../../shared/turns.ts';
import { type CatalogPresenter, createPresenter } from './catalog.presenter.ts';
import { type CatalogSpace, type LoadedCatalog, loadCatalog, reloadCatalog } from './catalog-loader.service.ts';
import * as store from './compiled-catalog.store.ts';
import type { ShownCatalog } from './shown-catalog.presenter.ts';

export type { Identified } from './compiled-catalog.store.ts';

/** A team's catalog at one version, compiled for rolling and ready to be shown. */
export interface TeamCatalog extends CatalogPresenter {
  readonly version: number;
  /** Identifies the version, also if a restored backup has another one with the same number. */
  readonly versionId: string;
  readonly catalog: Catalog;
  readonly spaces: ReadonlyMap<string, CatalogSpace>;
  readonly shown: ShownCatalog;
  /** The numerator that an item has without the multipliers of its options. */
  rollNumeratorOf(item: CompiledItem): number;
  /** The pool of all items. */
  readonly everything: Pool;
  /** What is observed of rolls on all items. */
  readonly observer: PlainObserver;
  /** The pool of a plain roll with a filter, compiled once per filter in use. */
  pool(finder: Finder, filter: PoolFilter): Pool;
  /**
   * What is made of this version, kept as long as it is current and used. What takes too long for a transaction is made
   * outside of any, once for everyone who waits for the same key.
   */
  prepared<T>(finder: Finder, kind: PreparedKind, key: string, make: () => T | Promise<T>): T;
  /** The same for what is made at once, or undefined if it was not made yet. */
  kept<T>(kind: PreparedKind, key: string, make?: () => T): T | undefined;
}

declare const forPlacing: unique symbol;

/** The catalog of a command that creates or places item instances: see `currentForPlacing`, which alone returns it. */
export type PlacingCatalog = TeamCatalog & { readonly [forPlacing]: true };

/** Compiled catalogs of teams, each cached while its version is current. */
export interface Catalogs {
  /** The catalog as this transaction sees it. */
  current(finder: Finder): Promise<TeamCatalog>;
  /**
   * The same for a command that creates or places item instances: until it ends, no item is deleted and no item or
   * space changes its size.
   */
  currentForPlacing(work: Work): Promise<PlacingCatalog>;
  /** The same, and whether plain rolls for a user are verifiable. */
  currentForRoll(work: Work): Promise<{ readonly team: PlacingCatalog; readonly isVerifiable: boolean }>;
  /** Whether plain rolls for a user are verifiable. */
  verifiesRolls(finder: Finder): Promise<boolean>;
  /** Whether nothing has changed since. */
  isCurrent(finder: Finder, team: TeamCatalog): Promise<boolean>;
  /** What is held in memory, for metrics. */
  held(): { readonly teams: number; readonly items: number };
}

/** Equivalent filters have the same key. */
const keyOf = ({ classifierOptionIds = [], itemIds }: PoolFilter): string =>
  JSON.stringify([[...classifierOptionIds].sort(), itemIds ?? null]);

/** What is made of a version of a catalog. */
export type PreparedKind = keyof typeof LIMITS.prepared;

const createPrepared = (): Pick<TeamCatalog, 'prepared' | 'kept'> => {
  const caches = new Map<PreparedKind, RecentlyUsed<string, Slot<unknown>>>();
  const slotOf = <T>(kind: PreparedKind, key: string): Slot<T> => {
    let cache = caches.get(kind);
    if (cache === undefined) {
      cache = createRecentlyUsed<string, Slot<unknown>>(LIMITS.prepared[kind], () => ({}));
      caches.set(kind, cache);
    }
    return cache.get(key) as Slot<T>;
  };
  return {
    prepared: (finder, kind, key, make) => madeOutside(slotOf(kind, key), finder, make),
    kept: <T>(kind: PreparedKind, key: string, make?: () => T): T | undefined => {
      const slot = slotOf<T>(kind, key);
      if (slot.made === undefined && make !== undefined) slot.made = { value: make() };
      return slot.made?.value;
    },
  };
};

const teamCatalogOf = async ({ version, versionId, catalog, spaces, shown }: LoadedCatalog): Promise<TeamCatalog> => {
  const everything = await inTurns(buildPool(catalog));
  const observer = await inTurns(createPlainObserver(catalog.items));
  // Pools outlive versions that change templates only.
  const pools = createPrepared();
  return {
    version,
    versionId,
    catalog,
    spaces,
    shown,
    ...createPresenter(catalog, shown),
    rollNumeratorOf: ({ place }) => shown.items.at(place).rollNumerator,
    everything,
    observer,
    ...createPrepared(),
    pool: (finder, filter) =>
      filter.classifierOptionIds === undefined && filter.itemIds === undefined
        ? everything
        : pools.prepared(finder, 'pool', keyOf(filter), () => {
            const steps = buildPool(catalog, filter);
            return catalog.items.length <= ELEMENTS_PER_STEP ? allAtOnce(steps) : inTurns(steps);
          }),
  };
};

const isCompiled = (loaded: TeamCatalog | LoadedCatalog): loaded is TeamCatalog => 'everything' in loaded;

/** Reading an item by its id takes a few times as long as reading it with all others. */
const ITEMS_PER_CHANGE = 8;

export const createCatalogs = (read: Read): Catalogs => {
  const kept = new Map<string, TeamCatalog>();
  const loading = new Map<string, Promise<TeamCatalog>>();

  const held: Catalogs['held'] = () => ({
    teams: kept.size,
    items: kept.values().reduce((sum, { catalog }) => sum + catalog.items.length, 0),
  });

  const keep = (teamId: string, loaded: TeamCatalog): void => {
    kept.delete(teamId);
    kept.set(teamId, loaded);
    let { items } = held();
    for (const [oldest, { catalog }] of kept) {
      if (oldest === teamId || (kept.size <= LIMITS.cachedTeams && items <= LIMITS.cachedItems)) break;
      kept.delete(oldest);
      items -= catalog.items.length;
    }
  };

  /**
   * A catalog of which an earlier version is known. If only templates have changed, what was compiled is still right; if
   * few items have, only these are read.
   */
  const renewed = async (reader: Reader): Promise<TeamCatalog | LoadedCatalog | undefined> => {
    const known = kept.get(reader.teamId);
    const [found] = await reader.find(store.currentVersion, {});
    if (known === undefined || found === undefined) return undefined;
    const few = Math.floor(known.catalog.items.length / ITEMS_PER_CHANGE);
    const changes = await store.changedSince(reader, known, found, few);
    if (changes === undefined) return undefined;
    if (changes.length === 0) return { ...known, ...found, ...createPrepared() };
    return reloadCatalog(reader, known, new Set(changes.flatMap(({ kind, id }) => (kind === 'item' ? id : []))));
  };

  const load = async (teamId: string): Promise<TeamCatalog> => {
    const loaded = await read(teamId, async (reader) => (await renewed(reader)) ?? loadCatalog(reader));
    return isCompiled(loaded) ? loaded : teamCatalogOf(loaded);
  };

  /** Many requests may notice at once that a catalog changed; it is read once for all of them. */
  const loadOnce = (teamId: string): Promise<TeamCatalog> => {
    let promise = loading.get(teamId);
    if (promise === undefined) {
      promise = load(teamId);
      loading.set(teamId, promise);
      promise.then((loaded) => keep(teamId, loaded)).catch(() => {});
      promise.finally(() => loading.delete(teamId)).catch(() => {});
    }
    return promise;
  };

  const catalogOf = (finder: Finder, [found]: readonly { readonly versionId: string }[]): TeamCatalog => {
    // The team existed when the caller was authorized, so the database was restored from a backup in the meantime.
    if (found === undefined) throw new ServiceError('UNAUTHORIZED');
    const team = kept.get(finder.teamId);
    // Reading and compiling a catalog takes time, so no transaction is kept open for it.
    return team?.versionId === found.versionId ? team : finder.rerunAfter(loadOnce(finder.teamId));
  };

  const currentForRoll: Catalogs['currentForRoll'] = async (work) => {
    const found = await work.find(store.currentVersionForPlacing, {});
    return { team: catalogOf(work, found) as PlacingCatalog, isVerifiable: found[0]?.verifiableRolls === 1 };
  };

  return {
    held,
    current: async (finder) => catalogOf(finder, await finder.find(store.currentVersion, {})),
    isCurrent: async (finder, { versionId }) =>
      (await finder.find(store.currentVersion, {}))[0]?.versionId === versionId,
    verifiesRolls: async (finder) => (await finder.find(store.currentVersion, {}))[0]?.verifiableRolls === 1,
    currentForPlacing: async (work) => (await currentForRoll(work)).team,
    currentForRoll,
  };
};
