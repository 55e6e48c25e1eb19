import type { Database, Finder, Reader, Transaction, Work } from '../../database/work.ts';
import {
  type Catalog,
  compileCatalog,
  compilePool,
  type Pool,
  type PoolFilter,
  type RolledItem,
} from '../../engine/pool/pool.ts';
import { newId } from '../../ids.ts';
import { LIMITS } from '../../limits.ts';
import { isoTime } from '../../time.ts';
import type { Attribute } from '../attributes/attributes.contract.ts';
import type { RolledItemBody } from '../rolls/rolls.contract.ts';
import {
  type CatalogRows,
  selectCatalog,
  updateTemplatesVersion,
  updateVersion,
  versions,
  versionsForPlacing,
} from './catalog.store.ts';

/** A space as placing things needs it. */
export interface CatalogSpace {
  readonly id: string;
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
}

/** A team's catalog at one version, compiled for rolling and ready to be shown. */
export interface TeamCatalog {
  readonly version: string;
  readonly catalog: Catalog;
  /** A roll result as the text of an answer; `more` is the text of further members, each after a comma. */
  rollText(rolled: RolledItem, more?: string): string;
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
  await updateVersion(tx, teamId, newId());
};

/** The same for a change to templates, which leaves the catalog as it is. */
export const beginTemplateChange = async (tx: Transaction, teamId: string): Promise<void> => {
  await updateTemplatesVersion(tx, teamId, newId());
};

const gather = <R, K, V>(rows: readonly R[], key: (row: R) => K, value: (row: R) => V): Map<K, V[]> => {
  const gathered = new Map<K, V[]>();
  for (const row of rows) {
    const values = gathered.get(key(row));
    if (values === undefined) gathered.set(key(row), [value(row)]);
    else values.push(value(row));
  }
  return gathered;
};

/** The catalog for the engine. A function of its own: what it gathers on the way is not kept. */
const compileRows = (rows: CatalogRows): Catalog => {
  const attributesById = new Map(rows.attributes.map((row) => [row.id, row]));
  const optionsOfItem = gather(
    rows.itemOptions,
    (row) => row.item_id,
    (row) => row.classifier_option_id,
  );
  const attributesOfItem = gather(
    rows.itemAttributes,
    (row) => row.item_id,
    (row) => row,
  );
  return compileCatalog(
    rows.options.map((row) => ({
      id: row.id,
      classifierId: row.classifier_id,
      name: row.name,
      dropRateMultiplier: row.drop_rate_multiplier,
    })),
    rows.items.map((row) => ({
      id: row.id,
      name: row.name,
      rollNumerator: row.roll_numerator,
      optionIds: optionsOfItem.get(row.id) ?? [],
      attributes: (attributesOfItem.get(row.id) ?? []).map((attribute) => ({
        id: attribute.id,
        attributeId: attribute.attribute_id,
        min: attribute.min,
        max: attribute.max,
        step: attributesById.get(attribute.attribute_id)?.step ?? null,
      })),
    })),
  );
};

type ShownLink = RolledItemBody['classifiers'][number];
type ShownItem = Omit<RolledItemBody, 'classifiers' | 'createdAt' | 'updatedAt' | 'teamId'>;

/** An item as it is kept to be shown: small, since there may be a hundred thousand. */
interface KeptItem {
  readonly item: ShownItem;
  readonly teamId: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly links: readonly { readonly id: string; readonly optionId: string }[];
}

/** Makes the texts in which a roll shows items and attributes. */
const createTexts = (rows: CatalogRows) => {
  const links = gather(
    rows.itemOptions,
    (row) => row.item_id,
    (row) => ({ id: row.id, optionId: row.classifier_option_id }),
  );
  const items = new Map(
    rows.items.map((row): [string, KeptItem] => [
      row.id,
      {
        item: {
          id: row.id,
          name: row.name,
          thumbnail: row.thumbnail,
          rollNumerator: row.roll_numerator,
          width: row.width,
          height: row.height,
        },
        teamId: row.team_id,
        createdAtMs: row.created_at,
        updatedAtMs: row.updated_at,
        links: links.get(row.id) ?? [],
      },
    ]),
  );
  const optionTexts = new Map(
    rows.options.map((row) => {
      const shown: Omit<ShownLink, 'id' | 'itemId'> = {
        classifierId: row.classifier_id,
        classifierOptionId: row.id,
        classifierOption: {
          id: row.id,
          name: row.name,
          dropRateMultiplier: row.drop_rate_multiplier,
          classifierId: row.classifier_id,
        },
      };
      return [row.id, JSON.stringify(shown).slice(1)];
    }),
  );
  const attributeTexts = new Map(
    rows.attributes.map(({ id, name, min, max, step, team_id }) => {
      const shown: Attribute = { id, name, min, max, step, teamId: team_id };
      return [id, JSON.stringify(shown)];
    }),
  );
  const linkText = (itemId: string, { id, optionId }: KeptItem['links'][number]): string =>
    `{"id":${JSON.stringify(id)},"itemId":${JSON.stringify(itemId)},${known(optionTexts.get(optionId))}`;
  return {
    itemText: remembered((itemId) => {
      const { item, teamId, createdAtMs, updatedAtMs, links: own } = known(items.get(itemId));
      const classifiers = own.map((link) => linkText(itemId, link)).join();
      const times = `"createdAt":"${isoTime(createdAtMs)}","updatedAt":"${isoTime(updatedAtMs)}"`;
      return `${JSON.stringify(item).slice(0, -1)},${times},"teamId":${JSON.stringify(teamId)},"classifiers":[${classifiers}]}`;
    }),
    attributeText: (attributeId: string): string => known(attributeTexts.get(attributeId)),
  };
};

const compile = (version: string, rows: CatalogRows): TeamCatalog => {
  const catalog = compileRows(rows);
  const { itemText, attributeText } = createTexts(rows);
  const everything = compilePool(catalog);
  const pools = new Map<string, Pool>();
  return {
    version,
    catalog,
    spaces: new Map(rows.spaces.map(({ id, name, cols, rows: height }) => [id, { id, name, cols, rows: height }])),
    rollText: (rolled, more = '') => {
      let text = `{"item":${itemText(rolled.item.id)},"itemAttributeInstances":[`;
      let separator = '';
      for (const { itemAttributeId, attributeId, value } of rolled.values) {
        text += `${separator}{"itemAttributeId":${JSON.stringify(itemAttributeId)},"value":${value},"attribute":${attributeText(attributeId)}}`;
        separator = ',';
      }
      return `${text}]${more}}`;
    },
    pool: (filter) => {
      if (filter.classifierOptionIds === undefined && filter.itemIds === undefined) return everything;
      const key = JSON.stringify([[...(filter.classifierOptionIds ?? [])].sort(), filter.itemIds ?? null]);
      const compiled = pools.get(key) ?? compilePool(catalog, filter);
      if (pools.size >= LIMITS.rolledPools) pools.delete(pools.keys().next().value as string);
      pools.set(key, compiled);
      return compiled;
    },
  };
};

/** What the compiled catalog names is in the rows it was compiled from. */
const known = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the catalog names a row that it does not hold');
  return value;
};

/** More texts are not kept: a large catalog would take more memory for them than for all else, to save little. */
const MOST_REMEMBERED = 10_000;

const remembered = (make: (id: string) => string): ((id: string) => string) => {
  const made = new Map<string, string>();
  return (id) => {
    const kept = made.get(id);
    if (kept !== undefined) return kept;
    const text = make(id);
    if (made.size < MOST_REMEMBERED) made.set(id, text);
    return text;
  };
};

/** A team's catalog, from a reader that sees one state of the data throughout. */
const load = async (reader: Reader): Promise<TeamCatalog> => {
  const [found] = await reader.find(versions, {});
  if (found === undefined) throw new Error(`there is no team ${reader.teamId}`);
  return compile(found.catalogVersion, await selectCatalog(reader, reader.teamId));
};

export const createCatalogs = (database: Pick<Database, 'read'>): Catalogs => {
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
      promise = database.read(teamId, load);
      loading.set(teamId, promise);
      promise.then((loaded) => keep(teamId, loaded)).catch(() => {});
      promise.finally(() => loading.delete(teamId)).catch(() => {});
    }
    return promise;
  };

  const currentWithTemplates: Catalogs['currentWithTemplates'] = async (finder, { forPlacing }) => {
    const [found] = await finder.find(forPlacing ? versionsForPlacing : versions, {});
    if (found === undefined) throw new Error(`there is no team ${finder.teamId}`);
    const team = kept.get(finder.teamId);
    // Reading and compiling a catalog takes time, for which no transaction is kept open.
    if (team?.version !== found.catalogVersion) return finder.rerunAfter(loadOnce(finder.teamId));
    return { team, templatesVersion: found.templatesVersion };
  };

  return {
    current: async (finder) => (await currentWithTemplates(finder, { forPlacing: false })).team,
    currentForPlacing: async (work) => (await currentWithTemplates(work, { forPlacing: true })).team,
    currentWithTemplates,
  };
};

/** Weights below this cannot bring a finite sum to infinity: they are lost in the rounding of one that is near it. */
const HARMLESS_WEIGHT = 2 ** 900;

/** Whether the weights of a team's items still have a finite sum, after a change that made one as large as given. */
export const hasFiniteWeights = async (tx: Transaction, teamId: string, largest: number): Promise<boolean> => {
  if (largest <= HARMLESS_WEIGHT) return true;
  const catalog = compileRows(await selectCatalog(tx, teamId));
  return Number.isFinite(catalog.items.reduce((sum, { weight }) => sum + weight, 0));
};
