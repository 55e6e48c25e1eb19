import { ItemwrightError } from '@itemwright/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type List, orNull, type Schemas } from '../interface/client.ts';
import { queries, useClassifiers, useItemOdds } from '../interface/queries.ts';
import { type KnownOption, optionsOf } from '../parts/catalog.ts';
import { useApi } from '../session/session.tsx';
import { useActiveDraft, useDraftChanges } from './draft.ts';
import { overlayList, plainOdds, showAttribute, showClassifier, showItem, showSpace, showTemplate } from './overlay.ts';

/**
 * The catalog as a designer sees it: the live one, or with the active draft laid over it. What players have and what
 * rolls use is always the live catalog, which `queries.ts` reads.
 */

export const useCatalogAttributes = () => {
  const changes = useDraftChanges('attribute');
  const select = useCallback(
    (list: List<Schemas['Attribute']>) => overlayList(list, changes, showAttribute),
    [changes],
  );
  return useQuery({ ...queries.attributes(useApi()), select });
};

export const useCatalogClassifiers = () => {
  const changes = useDraftChanges('classifier');
  const select = useCallback(
    (list: List<Schemas['Classifier']>) => overlayList(list, changes, showClassifier),
    [changes],
  );
  return useQuery({ ...queries.classifiers(useApi()), select });
};

/** Every option of the team by id. */
export const useOptions = (): ReadonlyMap<string, KnownOption> => {
  const { data } = useCatalogClassifiers();
  return useMemo(() => optionsOf(data?.rows ?? []), [data]);
};

/** Every live option by id, for whatever is about players and rolls. */
export const useLiveOptions = (): ReadonlyMap<string, KnownOption> => {
  const { data } = useClassifiers();
  return useMemo(() => optionsOf(data?.rows ?? []), [data]);
};

export const useCatalogSpaces = () => {
  const changes = useDraftChanges('space');
  const select = useCallback(
    (list: List<Schemas['SpaceWithUserSpaces']>) => overlayList(list, changes, showSpace),
    [changes],
  );
  return useQuery({ ...queries.spaces(useApi()), select });
};

const useItemOverlay = () => {
  const changes = useDraftChanges('item');
  const options = useOptions();
  return useCallback(
    (list: List<Schemas['Item']>) => overlayList(list, changes, showItem(options)),
    [changes, options],
  );
};

export const useCatalogItems = () => {
  const select = useItemOverlay();
  return useQuery({ ...queries.items(useApi()), select });
};

export const useCatalogTemplates = () => {
  const changes = useDraftChanges('template');
  const select = useCallback((list: List<Schemas['Template']>) => overlayList(list, changes, showTemplate), [changes]);
  return useQuery({ ...queries.templates(useApi()), select });
};

/** The state of one entity: as the draft has it, or as it is live. The page says if the draft deletes it. */
const stateOf = <E, S>(live: S | null, after: E | null | undefined, show: (entity: E, live?: S) => S): S => {
  if (after !== undefined && after !== null) return show(after, live ?? undefined);
  if (live !== null) return live;
  throw new ItemwrightError('Not found', { status: 404 });
};

export const useCatalogItem = (id: string) => {
  const api = useApi();
  const after = useDraftChanges('item').get(id);
  const options = useOptions();
  return useQuery({
    queryKey: ['items', id],
    queryFn: ({ signal }) => orNull(api.items.get(id, { signal })),
    select: useCallback((live: Schemas['Item'] | null) => stateOf(live, after, showItem(options)), [after, options]),
  });
};

export const useCatalogTemplate = (id: string) => {
  const api = useApi();
  const after = useDraftChanges('template').get(id);
  return useQuery({
    queryKey: ['templates', id],
    queryFn: ({ signal }) => orNull(api.templates.get(id, { signal })),
    select: useCallback((live: Schemas['Template'] | null) => stateOf(live, after, showTemplate), [after]),
  });
};

/** The odds of a plain roll. The service computes them for the live catalog; for a draft they are computed here. */
export const useCatalogItemOdds = (): UseQueryResult<Schemas['ItemOdds'][]> => {
  const isDraft = useActiveDraft() !== undefined;
  const overlay = useItemOverlay();
  const { isSuccess } = useCatalogClassifiers();
  const options = useOptions();
  const live = useItemOdds();
  const inDraft = useQuery({
    ...queries.items(useApi()),
    enabled: isDraft && isSuccess,
    select: useCallback((list: List<Schemas['Item']>) => plainOdds(overlay(list).rows, options), [overlay, options]),
  });
  return isDraft ? inDraft : live;
};
