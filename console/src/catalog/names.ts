import { useMemo } from 'react';
import { useAttributes, useClassifiers, useItems, useSpaces, useTemplates } from '../api/requests.ts';
import type { Change } from './api.ts';
import { type Named, type Names, namesOf } from './diff.ts';

type Changes = readonly Pick<Change, 'before' | 'after'>[];

const NONE: Changes = [];

/** Names of what the live catalog has, and of everything in the given changes. */
export const useNames = (changes: Changes = NONE): Names => {
  const attributes = useAttributes().data;
  const classifiers = useClassifiers().data;
  const items = useItems().data;
  const spaces = useSpaces().data;
  const templates = useTemplates().data;
  return useMemo(
    () =>
      namesOf([
        ...[attributes, classifiers, items, spaces, templates].flatMap((list): Named[] => list?.rows ?? []),
        ...changes.flatMap(({ before, after }) => [before, after]).filter((entity) => entity !== null),
      ]),
    [attributes, classifiers, items, spaces, templates, changes],
  );
};
