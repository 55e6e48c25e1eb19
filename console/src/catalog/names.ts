import { useMemo } from 'react';
import { useAttributes, useClassifiers, useItems, useSpaces, useTemplates } from '../interface/queries.ts';
import type { Change } from './api.ts';
import { type Names, namesOf } from './diff.ts';
import type { Entity, Kind } from './entities.ts';

/** Names of what the live catalog has, and of everything in the given changes. */
export const useNames = (changes: readonly Pick<Change, 'kind' | 'before' | 'after'>[]): Names => {
  const attributes = useAttributes().data?.rows;
  const classifiers = useClassifiers().data?.rows;
  const items = useItems().data?.rows;
  const spaces = useSpaces().data?.rows;
  const templates = useTemplates().data?.rows;
  return useMemo(() => {
    const live = Object.entries({
      attribute: attributes,
      classifier: classifiers,
      item: items,
      space: spaces,
      template: templates,
    }).flatMap(([kind, rows]) => (rows ?? []).map((row) => [kind as Kind, row as unknown as Entity] as const));
    const given = changes.flatMap(({ kind, before, after }) =>
      [before, after].filter((entity) => entity !== null).map((entity) => [kind, entity] as const),
    );
    return namesOf(live, given);
  }, [attributes, classifiers, items, spaces, templates, changes]);
};
