import type { Schemas } from '../interface/client.ts';

/** An option with what the console knows about it. */
export interface KnownOption {
  readonly id: string;
  readonly name: string;
  readonly multiplier: number;
  readonly classifierId: string;
  readonly classifierName: string;
  /** Its colour, by its index in its classifier. */
  readonly colour: string;
}

/** From common to precious, as in many games. */
const COLOURS = ['gray', 'green', 'blue', 'grape', 'orange', 'teal', 'pink', 'cyan', 'lime', 'red'];

/** Every option by id. */
export type OptionsById = ReadonlyMap<string, KnownOption>;

export const optionsOf = (classifiers: readonly Schemas['Classifier'][]): OptionsById =>
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

/** The colour of a tier, which is an option. */
export const tierColour = (options: OptionsById, tier: string | null): string =>
  `${options.get(tier ?? '')?.colour ?? 'verdigris'}-6`;

/** Only the ids of the options are needed here. */
export const optionIdsOf = (item: Schemas['Item']): string[] =>
  item.classifiers.map(({ classifierOption }) => classifierOption.id);
