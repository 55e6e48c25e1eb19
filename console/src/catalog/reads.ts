import { ItemwrightError } from '@itemwright/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type List, orNull, type Schemas } from '../api/client.ts';
import { listQuery, useClassifiers, useItemOdds, useRead } from '../api/requests.ts';
import { type OptionsById, optionsOf } from '../parts/options.tsx';
import { useApi } from '../session/session.tsx';
import { useActiveDraft, useDraftChanges } from './draft.ts';
import type { Kind, Rows } from './entities.ts';
import { overlayList, plainOdds, show } from './overlay.ts';

/**
 * The catalog as a designer sees it: the live one, or with the active draft laid over it. What players have and what
 * rolls use is always the live catalog, which `requests.ts` reads.
 */

const NO_OPTIONS: OptionsById = new Map();

const useOverlay = <K extends Kind>(kind: K, options = NO_OPTIONS) => {
  const changes = useDraftChanges(kind);
  return useCallback((list: List<Rows[K]>) => overlayList(kind, list, changes, options), [kind, changes, options]);
};

const useCatalog = <K extends Kind>(kind: K, options?: OptionsById) => {
  const select = useOverlay(kind, options);
  return useQuery({ ...listQuery(useApi(), kind), select });
};

export const useCatalogAttributes = () => useCatalog('attribute');
export const useCatalogClassifiers = () => useCatalog('classifier');
export const useCatalogSpaces = () => useCatalog('space');
export const useCatalogTemplates = () => useCatalog('template');
export const useCatalogItems = () => useCatalog('item', useOptions());

const NO_ITEMS: readonly Schemas['Item'][] = [];

/** The items so far: none while they load. */
export const useItemRows = (): readonly Schemas['Item'][] => useCatalogItems().data?.rows ?? NO_ITEMS;

const useOptionsOf = (list: List<Schemas['Classifier']> | undefined): OptionsById =>
  useMemo(() => optionsOf(list?.rows ?? []), [list]);

/** Every option of the team by id. */
export const useOptions = (): OptionsById => useOptionsOf(useCatalogClassifiers().data);

/** Every live option by id, for whatever is about players and rolls. */
export const useLiveOptions = (): OptionsById => useOptionsOf(useClassifiers().data);

/** One entity: as the draft has it, or as it is live. The page says if the draft deletes it. */
const useOne = <K extends 'item' | 'template'>(
  kind: K,
  id: string,
  read: Parameters<typeof useRead<Rows[K] | null>>[1],
) => {
  const after = useDraftChanges(kind).get(id);
  const options = useOptions();
  const select = useCallback(
    (live: Rows[K] | null): Rows[K] => {
      if (after) return show(kind, after, live ?? undefined, options);
      if (live !== null) return live;
      throw new ItemwrightError('Not found', { status: 404 });
    },
    [kind, after, options],
  );
  const one = useRead([`${kind}s`, id], read, { select, enabled: !after });
  // What the draft changes may not be live, and asking for it would then be an error in the browser's log.
  const selectRow = useCallback(
    (list: List<Rows[K]>) => select(list.rows.find((row) => row.id === id) ?? null),
    [select, id],
  );
  const drafted = useQuery({ ...listQuery(useApi(), kind), select: selectRow, enabled: Boolean(after) });
  return after ? drafted : one;
};

export const useCatalogItem = (id: string) => useOne('item', id, (api, options) => orNull(api.items.get(id, options)));
export const useCatalogTemplate = (id: string) =>
  useOne('template', id, (api, options) => orNull(api.templates.get(id, options)));

/** The odds of a plain roll. The service computes them for the live catalog; for a draft they are computed here. */
export const useCatalogItemOdds = (): UseQueryResult<Schemas['ItemOdds'][]> => {
  const isDraft = useActiveDraft() !== undefined;
  const { isSuccess } = useCatalogClassifiers();
  const options = useOptions();
  const overlay = useOverlay('item', options);
  const live = useItemOdds();
  const inDraft = useQuery({
    ...listQuery(useApi(), 'item'),
    enabled: isDraft && isSuccess,
    select: useCallback((list: List<Schemas['Item']>) => plainOdds(overlay(list).rows, options), [overlay, options]),
  });
  return isDraft ? inDraft : live;
};
