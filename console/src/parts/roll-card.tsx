import { Badge, Card, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { useItems } from '../api/requests.ts';
import { useCatalogAttributes, useLiveOptions, useOptions } from '../catalog/reads.ts';
import { OptionBadges, type OptionsById, rarityColour } from './options.tsx';
import { RangeValue } from './range-value.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface ItemCardProps {
  readonly item: Pick<Schemas['Item'], 'name' | 'thumbnail' | 'classifiers'>;
  readonly options: OptionsById;
  readonly size: number;
  readonly badges?: ReactNode;
  readonly values: readonly {
    readonly key: string;
    readonly name: string;
    readonly value: number;
    readonly min: number;
    readonly max: number;
  }[];
}

const ItemCard = ({ item, options, size, badges, values }: ItemCardProps) => (
  <Card padding="md" style={{ borderInlineStart: `4px solid ${rarityColour(item, options) ?? 'var(--console-line)'}` }}>
    <Stack gap="sm">
      <Group wrap="nowrap" gap="sm">
        <Thumbnail name={item.name} thumbnail={item.thumbnail} size={size} />
        <Text fw={650} lh={1.3} miw={0}>
          {item.name}
        </Text>
      </Group>
      <Group gap={4}>
        <OptionBadges of={item.classifiers} options={options} />
        {badges}
      </Group>
      {values.map(({ key, ...range }) => (
        <RangeValue key={key} {...range} />
      ))}
    </Stack>
  </Card>
);

/** The result of a roll: the item, and its values on the ranges from which they were rolled. */
export const RollCard = ({ result, size = 52 }: { result: Schemas['RollResult']; size?: number }) => {
  const { item, itemAttributeInstances } = result;
  const ranges = useItems().data?.rows.find(({ id }) => id === item.id)?.attributes ?? [];
  const values = itemAttributeInstances.map(({ itemAttributeId, value, attribute }) => {
    const { min, max } = ranges.find(({ id }) => id === itemAttributeId) ?? attribute;
    return { key: itemAttributeId, name: attribute.name, value, min, max };
  });
  return <ItemCard item={item} options={useLiveOptions()} size={size} values={values} />;
};

export type TestRoll = Schemas['TestRoll'];

interface TestRollCardProps {
  readonly roll: TestRoll;
  /** The item as the page shows it; undefined if it is no longer there. */
  readonly item: Schemas['Item'] | undefined;
  readonly size?: number;
}

/** The result of a test roll, which knows only the ids of what it gives. */
export const TestRollCard = ({ roll, item, size = 52 }: TestRollCardProps) => {
  const { itemName, pity, featured, values } = roll;
  const attributes = useCatalogAttributes().data?.rows ?? [];
  const shown = item ?? { name: itemName, thumbnail: null, classifiers: [], attributes: [] };
  const ranges = values.flatMap(({ attributeId, value }) => {
    const range = shown.attributes.find((own) => own.attributeId === attributeId);
    const name = attributes.find(({ id }) => id === attributeId)?.name ?? attributeId;
    return range === undefined ? [] : { key: attributeId, name, value, min: range.min, max: range.max };
  });
  const badges = (
    <>
      {featured && <Badge variant="filled">featured</Badge>}
      {pity && <Badge color="yellow">pity</Badge>}
    </>
  );
  return <ItemCard item={shown} options={useOptions()} size={size} badges={badges} values={ranges} />;
};
