import type { Finder, Read, Transaction, Work } from '../../database/work.ts';
import type { Catalog } from '../../engine/pool/catalog.ts';
import { compilePool, type Pool, type PoolFilter } from '../../engine/pool/pool.ts';
import { ServiceError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { LIMITS } from '../../limits.ts';
import { createRecentlyUsed } from '../../recently-used.ts';
import { type CatalogPresenter, createPresenter } from './catalog.presenter.ts';
import * as store from './catalog.store.ts';
import { type CatalogSpace, type LoadedCatalog, loadCatalog } from './catalog-loader.service.ts';

/** A team's catalog at one version, compiled for rolling and ready to be shown. */
export interface TeamCatalog extends CatalogPresenter {
  readonly version: string;
  readonly catalog: Catalog;
  /** Spaces by id. */
  readonly spaces: ReadonlyMap<string, CatalogSpace>;
  /** The pool of a plain roll, compiled once for each filter in use. */
  pool(filter: PoolFilter): Pool;
}

/** Compiled catalogs of teams, each for as long as its version holds. */
export interface Catalogs {
  /** The catalog as the given transaction sees it. */
  current(finder: Finder): Promise<TeamCatalog>;
  /**
   * The same for a command that gives or places things: until its end no item goes, and no item or space changes its
   * size.
   */
  currentForPlacing(work: Work): Promise<TeamCatalog>;
  /** The same with the version of the templates at that moment. */
  currentWithTemplates(
    finder: Finder,
    options: { forPlacing: boolean },
  ): Promise<{ team: TeamCatalog; templatesVersion: string }>;
}

/**
 * Begins every change to a catalog. From the commit on, no node rolls on what was compiled before, since each roll
 * compares the version in its own transaction. A version is never used twice, not even after a rollback.
 */
export const beginCatalogChange = async (tx: Transaction, teamId: string): Promise<void> => {
  await store.updateVersion(tx, teamId, newId());
};

/** The same for a change to templates, which leaves the catalog as it is. */
export const beginTemplateChange = async (tx: Transaction, teamId: string): Promise<void> => {
  await store.updateTemplatesVersion(tx, teamId, newId());
};

/** Keeps the number of a team's items, and tells it. */
export const changeItemCount = (tx: Transaction, by: number): Promise<number> =>
  store.changeItemCount(tx, tx.teamId, by);

/** Filters that mean the same have the same key. */
const keyOf = ({ classifierOptionIds = [], itemIds }: PoolFilter): string =>
  JSON.stringify([[...classifierOptionIds].sort(), itemIds ?? null]);

const teamCatalogOf = ({ version, catalog, spaces, shown }: LoadedCatalog): TeamCatalog => {
  const everything = compilePool(catalog);
  const pools = createRecentlyUsed(LIMITS.rolledPools, (key: string) => {
    const [classifierOptionIds, itemIds] = JSON.parse(key);
    return compilePool(catalog, { classifierOptionIds, itemIds: itemIds ?? undefined });
  });
  return {
    version,
    catalog,
    spaces,
    ...createPresenter(catalog, shown),
    pool: (filter) =>
      filter.classifierOptionIds === undefined && filter.itemIds === undefined ? everything : pools.get(keyOf(filter)),
  };
};

export const createCatalogs = (read: Read): Catalogs => {
  const kept = new Map<string, TeamCatalog>();
  const loading = new Map<string, Promise<TeamCatalog>>();

  const keep = (teamId: string, loaded: TeamCatalog): void => {
    kept.delete(teamId);
    kept.set(teamId, loaded);
    let items = [...kept.values()].reduce((sum, { catalog }) => sum + catalog.items.length, 0);
    for (const [oldest, { catalog }] of kept) {
      if (oldest === teamId || (kept.size <= LIMITS.cachedTeams && items <= LIMITS.cachedItems)) break;
      kept.delete(oldest);
      items -= catalog.items.length;
    }
  };

  /** Many find out at once that a catalog changed; it is read once for all of them. */
  const loadOnce = (teamId: string): Promise<TeamCatalog> => {
    let promise = loading.get(teamId);
    if (promise === undefined) {
      promise = read(teamId, loadCatalog).then(teamCatalogOf);
      loading.set(teamId, promise);
      promise.then((loaded) => keep(teamId, loaded)).catch(() => {});
      promise.finally(() => loading.delete(teamId)).catch(() => {});
    }
    return promise;
  };

  /** The catalog of the version that was found. */
  const catalogOf = (finder: Finder, found: { readonly catalogVersion: string } | undefined): TeamCatalog => {
    // It was there when the caller was authorized: another state of the database was restored meanwhile.
    if (found === undefined) throw new ServiceError('UNAUTHORIZED');
    const team = kept.get(finder.teamId);
    // Reading and compiling a catalog takes time, for which no transaction is kept open.
    return team?.version === found.catalogVersion ? team : finder.rerunAfter(loadOnce(finder.teamId));
  };

  return {
    current: async (finder) => catalogOf(finder, (await finder.find(store.versions, {}))[0]),
    currentForPlacing: async (work) => catalogOf(work, (await work.find(store.versionsForPlacing, {}))[0]),
    currentWithTemplates: async (finder, { forPlacing }) => {
      const [found] = await finder.find(forPlacing ? store.versionsForPlacing : store.versions, {});
      return { team: catalogOf(finder, found), templatesVersion: found?.templatesVersion ?? '' };
    },
  };
};
