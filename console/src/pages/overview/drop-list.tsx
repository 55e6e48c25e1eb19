import { Group, Stack, Text } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import type { Schemas } from '../../api/client.ts';
import { useItems } from '../../api/requests.ts';
import { formatColumnShare, formatCount } from '../../parts/format.ts';
import { Empty } from '../../parts/loaded.tsx';
import { Note, pathTo, TextLink } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';

export const DropList = ({ rows }: { rows: readonly Schemas['DropRate'][] }) => {
  const items = useItems().data?.rows ?? [];
  if (rows.length === 0)
    return (
      <Empty title="No rolls yet" icon={IconDice5}>
        What your game rolls appears here.
      </Empty>
    );
  return (
    <Stack gap="xs">
      {rows.map(({ itemId, itemName, dropCount, dropRate }) => {
        const item = items.find(({ id }) => id === itemId);
        return (
          <Group key={itemId} gap="sm" wrap="nowrap">
            <Thumbnail name={itemName} thumbnail={item?.thumbnail ?? null} size={30} />
            {item === undefined ? (
              <Text size="sm" flex={1} truncate>
                {itemName} (deleted)
              </Text>
            ) : (
              <TextLink href={pathTo('items', itemId)} flex={1} truncate>
                {itemName}
              </TextLink>
            )}
            <Text size="sm" className="numeric">
              {formatCount(dropCount)}
            </Text>
            <Note w={72} ta="right" className="numeric">
              {formatColumnShare(dropRate)}
            </Note>
          </Group>
        );
      })}
    </Stack>
  );
};
