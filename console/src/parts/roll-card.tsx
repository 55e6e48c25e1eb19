import { Card, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../interface/client.ts';
import { OptionBadges, type OptionsById } from './options.tsx';
import { RangeValue } from './range-value.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface RollCardProps {
  readonly result: Schemas['RollResult'];
  readonly items: readonly Schemas['Item'][];
  readonly options: OptionsById;
  readonly size?: number;
}

/** The result of a roll: the item, and its values on the ranges from which they were rolled. */
export const RollCard = ({ result, items, options, size = 52 }: RollCardProps) => {
  const { item, itemAttributeInstances } = result;
  const ranges = items.find(({ id }) => id === item.id)?.attributes ?? [];
  return (
    <Card padding="md">
      <Stack gap="sm">
        <Group wrap="nowrap" gap="sm">
          <Thumbnail name={item.name} thumbnail={item.thumbnail} size={size} />
          <Text fw={650} lh={1.3} miw={0}>
            {item.name}
          </Text>
        </Group>
        <OptionBadges of={item.classifiers} options={options} />
        {itemAttributeInstances.map(({ itemAttributeId, value, attribute }) => {
          const { min, max } = ranges.find(({ id }) => id === itemAttributeId) ?? attribute;
          return <RangeValue key={itemAttributeId} name={attribute.name} value={value} min={min} max={max} />;
        })}
      </Stack>
    </Card>
  );
};
