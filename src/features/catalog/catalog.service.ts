import type { Reader, Transaction } from '../../database/database.ts';
import type { Catalog } from '../../engine/pool/catalog.ts';
import { compilePool, type Pool, type PoolFilter } from '../../engine/pool/pool.ts';
import { newId } from '../../ids.ts';
import { LIMITS } from '../../limits.ts';
import { createRecentlyUsed } from '../../recently-used.ts';
import { type CatalogPresenter, createPresenter } from './catalog.presenter.ts';
import { selectVersions, updateTemplatesVersion, updateVersion } from './catalog.store.ts';
import { type LoadedCatalog, loadCatalog } from './catalog-loader.service.ts';

/** A team's catalog at one version, compiled for rolling and ready to be shown. */
export interface TeamCatalog extends CatalogPresenter {
  readonly version: string;
  readonly catalog: Catalog;
  /** The pool of a plain roll, compiled once for each filter in use. */
  pool(filter: PoolFilter): Pool;
}

/** Compiled catalogs of the teams that roll, each for as long as its version holds. */
export interface Catalogs {
  /** The catalog as the given transaction sees it. */
  current(reader: Reader, teamId: string): Promise<TeamCatalog>;
  /** The same, with the version of the templates at that moment. */
  currentWithTemplates(reader: Reader, teamId: string): Promise<{ team: TeamCatalog; templatesVersion: string }>;
  /** The catalog that was current when one was last asked for, if it is still kept: whoever uses it checks its version. */
  latest(teamId: string): TeamCatalog | undefined;
}

/**
 * Begins every change to a catalog. From the commit on, no node rolls on what was compiled before, since each roll
 * compares the version in its own transaction. A version is never used twice, not even after a rollback.
 */
export const beginCatalogChange = async (tx: Transaction, teamId: string): Promise<void> => {
  await updateVersion(tx, teamId, newId());
};

/** The same for a change to templates, which leaves the catalog as it is. */
export const beginTemplateChange = async (tx: Transaction, teamId: string): Promise<void> => {
  await updateTemplatesVersion(tx, teamId, newId());
};

/** Filters that mean the same have the same key. */
const keyOf = ({ classifierOptionIds = [], itemIds }: PoolFilter): string =>
  JSON.stringify([[...classifierOptionIds].sort(), itemIds ?? null]);

const teamCatalogOf = ({ version, catalog, shown }: LoadedCatalog): TeamCatalog => {
  const everything = compilePool(catalog);
  const pools = createRecentlyUsed(LIMITS.rolledPools, (key: string) => {
    const [classifierOptionIds, itemIds] = JSON.parse(key);
    return compilePool(catalog, { classifierOptionIds, itemIds: itemIds ?? undefined });
  });
  return {
    version,
    catalog,
    ...createPresenter(catalog, shown),
    pool: (filter) =>
      filter.classifierOptionIds === undefined && filter.itemIds === undefined ? everything : pools.get(keyOf(filter)),
  };
};

export const createCatalogs = (): Catalogs => {
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

  const catalogOf = async (reader: Reader, teamId: string, version: string): Promise<TeamCatalog> => {
    const found = kept.get(teamId);
    if (found?.version === version) return found;
    const key = `${teamId}\n${version}`;
    // Many rolls may find out at once that the catalog changed; one of them reads it for all.
    const underWay = await loading.get(key)?.catch(() => undefined);
    if (underWay?.version === version) return underWay;
    const promise = loadCatalog(reader, teamId).then(teamCatalogOf);
    loading.set(key, promise);
    try {
      const loaded = await promise;
      keep(teamId, loaded);
      return loaded;
    } finally {
      loading.delete(key);
    }
  };

  return {
    latest: (teamId) => kept.get(teamId),
    current: async (reader, teamId) => {
      const { catalogVersion } = await selectVersions(reader, teamId);
      return catalogOf(reader, teamId, catalogVersion);
    },
    currentWithTemplates: async (reader, teamId) => {
      const { catalogVersion, templatesVersion } = await selectVersions(reader, teamId);
      return { team: await catalogOf(reader, teamId, catalogVersion), templatesVersion };
    },
  };
};
