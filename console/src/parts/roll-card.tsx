import { Card, Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { useItems } from '../api/requests.ts';
import { useLiveOptions } from '../catalog/reads.ts';
import { OptionBadges } from './options.tsx';
import { RangeValue } from './range-value.tsx';
import { Thumbnail } from './thumbnail.tsx';

/** The result of a roll: the item, and its values on the ranges from which they were rolled. */
export const RollCard = ({ result, size = 52 }: { result: Schemas['RollResult']; size?: number }) => {
  const { item, itemAttributeInstances } = result;
  const ranges = useItems().data?.rows.find(({ id }) => id === item.id)?.attributes ?? [];
  return (
    <Card padding="md">
      <Stack gap="sm">
        <Group wrap="nowrap" gap="sm">
          <Thumbnail name={item.name} thumbnail={item.thumbnail} size={size} />
          <Text fw={650} lh={1.3} miw={0}>
            {item.name}
          </Text>
        </Group>
        <OptionBadges of={item.classifiers} options={useLiveOptions()} />
        {itemAttributeInstances.map(({ itemAttributeId, value, attribute }) => {
          const { min, max } = ranges.find(({ id }) => id === itemAttributeId) ?? attribute;
          return <RangeValue key={itemAttributeId} name={attribute.name} value={value} min={min} max={max} />;
        })}
      </Stack>
    </Card>
  );
};
