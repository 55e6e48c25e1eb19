import { Badge, ColorSwatch, Group, MultiSelect, type MultiSelectProps, Tooltip } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { coloursOf } from './option-colours.ts';

/** An option with what the console knows about it. */
export interface KnownOption {
  readonly id: string;
  readonly name: string;
  readonly multiplier: number;
  readonly classifierId: string;
  readonly classifierName: string;
  /** The colour that the team has set, or that it has by its rank in a rarity. Options of anything else have none. */
  readonly colour: string | undefined;
}

/** Every option by id. */
export type OptionsById = ReadonlyMap<string, KnownOption>;

export const optionsOf = (classifiers: readonly Schemas['Classifier'][]): OptionsById =>
  new Map(
    classifiers.flatMap((classifier) => {
      const colours = coloursOf(classifier);
      return classifier.classifierOptions.map((option): [string, KnownOption] => [
        option.id,
        {
          id: option.id,
          name: option.name,
          multiplier: option.dropRateMultiplier ?? 1,
          classifierId: classifier.id,
          classifierName: classifier.name,
          colour: colours.get(option.id),
        },
      ]);
    }),
  );

/** The colour of a tier, which is an option. */
export const tierColour = (options: OptionsById, tier: string | null): string =>
  options.get(tier ?? '')?.colour ?? 'var(--mantine-color-verdigris-6)';

/** The colour of an item: that of the first of its options that has one. */
export const rarityColour = (item: { readonly classifiers: readonly Classified[] }, options: OptionsById) =>
  item.classifiers.map(({ classifierOption }) => options.get(classifierOption.id)?.colour).find(Boolean);

/** The weight of an item: its own, times the multipliers of its options. One that is no longer there counts no more. */
export const weightOf = (own: number, optionIds: readonly string[], options: OptionsById): number =>
  optionIds.reduce((weight, id) => weight * (options.get(id)?.multiplier ?? 1), own);

/** Only the ids of the options are needed here. */
export const optionIdsOf = (item: Schemas['Item']): string[] =>
  item.classifiers.map(({ classifierOption }) => classifierOption.id);

export const OptionBadge = ({ option, name }: { option: KnownOption | undefined; name?: string }) => (
  <Tooltip label={option?.classifierName ?? 'A classifier option'}>
    <Badge variant={option?.colour === undefined ? 'default' : 'dot'} size="md" color={option?.colour}>
      {option?.name ?? name ?? 'unknown'}
    </Badge>
  </Tooltip>
);

/** A dot in a colour of CSS. */
export const Swatch = ({ colour, size = 10 }: { colour: string; size?: number }) => (
  <ColorSwatch size={size} withShadow={false} color={colour} aria-hidden />
);

interface Classified {
  readonly classifierOption: { readonly id: string; readonly name: string };
}

/** The options of an item. */
export const OptionBadges = ({ of, options }: { of: readonly Classified[]; options: OptionsById }) => (
  <Group gap={4}>
    {of.map(({ classifierOption: { id, name } }) => (
      <OptionBadge key={id} option={options.get(id)} name={name} />
    ))}
  </Group>
);

interface OptionSelectProps extends MultiSelectProps {
  readonly options: OptionsById;
  /** What it means to choose none. */
  readonly none: string;
}

/** What nobody can read. A configuration may also name a tier by its name. */
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Options by classifier. Those that are no longer in the catalog are still offered, so that they can be replaced. */
export const optionGroups = (options: OptionsById, chosen: readonly string[]) => {
  const groups = [...Map.groupBy(options.values(), ({ classifierName }) => classifierName)].map(([group, members]) => ({
    group,
    items: members.map(({ id, name }) => ({ value: id, label: name })),
  }));
  const unknown = chosen.filter((id) => id !== '' && !options.has(id));
  return unknown.length === 0
    ? groups
    : [
        ...groups,
        {
          group: 'Not in the catalog',
          items: unknown.map((id) => ({ value: id, label: UUID.test(id) ? 'a deleted option' : id })),
        },
      ];
};

export const OptionSelect = ({ options, none, value = [], ...rest }: OptionSelectProps) => (
  <MultiSelect
    placeholder={value.length === 0 ? none : ''}
    searchable
    clearable
    clearButtonProps={{ 'aria-label': 'Clear the options' }}
    data={optionGroups(options, value)}
    value={value}
    {...rest}
  />
);
