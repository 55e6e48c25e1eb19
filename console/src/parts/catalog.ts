import { useMemo } from 'react';
import type { Schemas } from '../interface/client.ts';
import { useClassifiers } from '../interface/queries.ts';

/** What the console knows of an option besides its own members. */
export interface KnownOption {
  readonly id: string;
  readonly name: string;
  readonly multiplier: number;
  readonly classifierId: string;
  readonly classifierName: string;
  /** Its colour, by its place in its classifier. */
  readonly colour: string;
}

/** From plain to precious, as players know it from many games. */
const COLOURS = ['gray', 'green', 'blue', 'grape', 'orange', 'teal', 'pink', 'cyan', 'lime', 'red'];

const optionsOf = (classifiers: readonly Schemas['Classifier'][]): ReadonlyMap<string, KnownOption> =>
  new Map(
    classifiers.flatMap((classifier) =>
      classifier.classifierOptions.map((option, place): [string, KnownOption] => [
        option.id,
        {
          id: option.id,
          name: option.name,
          multiplier: option.dropRateMultiplier ?? 1,
          classifierId: classifier.id,
          classifierName: classifier.name,
          colour: COLOURS[place % COLOURS.length] ?? 'gray',
        },
      ]),
    ),
  );

/** Every option of the team by its id. */
export const useOptions = (): ReadonlyMap<string, KnownOption> => {
  const { data } = useClassifiers();
  return useMemo(() => optionsOf(data?.rows ?? []), [data]);
};

/** Rolled and listed things name a classifier and an option; the option's id is all that is needed here. */
export const optionIdsOf = (item: Schemas['Item']): string[] =>
  item.classifiers.map(({ classifierOption }) => classifierOption.id);
