import { Card, Group, Stack, Title } from '@mantine/core';
import { IconSortDescending } from '@tabler/icons-react';
import { useChange } from '../../api/requests.ts';
import { IconButton, RemoveButton } from '../../parts/buttons.tsx';
import { confirmLoss } from '../../parts/confirm.tsx';
import { formatMany } from '../../parts/format.ts';
import { Detail } from '../../parts/text.tsx';
import { type Area, type Bag, bagName, CELL, type Instance, placeOf, sizeOf } from './bag-grid.ts';
import classes from './bags.module.css';
import { PlacedItem } from './item-tile.tsx';

/** Where a dragged item would be placed. */
export interface Target extends Area {
  readonly bagId: string;
  readonly kind: 'free' | 'swap' | 'outside';
}

interface BagCardProps {
  readonly bag: Bag;
  readonly instances: readonly Instance[];
  readonly selectedId: string | undefined;
  readonly canSupport: boolean;
  readonly target: Target | undefined;
  readonly onSelect: (instance: Instance) => void;
}

/** Row by row, so that the Tab key follows the visual order. */
const inReadingOrder = (one: Instance, other: Instance): number => {
  const [left, right] = [placeOf(one), placeOf(other)];
  return (left?.y ?? 0) - (right?.y ?? 0) || (left?.x ?? 0) - (right?.x ?? 0);
};

export const BagCard = ({ bag, instances, selectedId, canSupport, target, onSelect }: BagCardProps) => {
  const { id, userId, space } = bag;
  const name = bagName(bag);
  const sort = useChange({
    run: (api) => api.userSpaces.sort(userId, id),
    done: () => `${name} sorted`,
    failed: 'Could not sort',
  });
  const remove = useChange({
    run: (api) => api.userSpaces.delete(userId, id),
    done: () => `${name} removed`,
    failed: 'Could not remove',
  });
  const contents = instances.filter((instance) => placeOf(instance)?.bagId === id).sort(inReadingOrder);
  const taken = contents.reduce((cells, { item }) => cells + item.width * item.height, 0);
  return (
    <Card component="section" aria-label={name} padding="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <div>
            <Title order={2}>{name}</Title>
            <Detail>
              {space.cols} × {space.rows}, {taken} of {space.cols * space.rows} cells taken
            </Detail>
          </div>
          {canSupport && (
            <Group gap={4}>
              <IconButton
                icon={IconSortDescending}
                size="xs"
                aria-label={`Sort ${name}`}
                disabled={contents.length === 0}
                loading={sort.isPending}
                onClick={() => sort.mutate(undefined)}
              >
                Sort
              </IconButton>
              <RemoveButton
                label={`Remove ${name}`}
                loading={remove.isPending}
                onClick={() =>
                  confirmLoss({
                    title: `Remove ${name}?`,
                    text:
                      contents.length === 0
                        ? 'It is empty. The player can be given another one later.'
                        : `The player keeps its contents: ${formatMany(contents.length, 'item')}, then in no bag.`,
                    action: 'Remove bag',
                    run: () => remove.mutate(undefined),
                  })
                }
              />
            </Group>
          )}
        </Group>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard, even an empty bag. */}
        <section className={classes.scroll} tabIndex={0} aria-label={`Cells of ${name}`}>
          <div
            className={classes.grid}
            data-bag={id}
            style={{ '--cols': space.cols, '--rows': space.rows, '--cell': `${CELL}px` } as React.CSSProperties}
          >
            {contents.map((instance) => (
              <PlacedItem
                key={instance.id}
                instance={instance}
                isSelected={instance.id === selectedId}
                canSupport={canSupport}
                onSelect={onSelect}
              />
            ))}
            {target !== undefined && (
              <div
                className={classes.target}
                data-kind={target.kind}
                style={{
                  left: target.x * CELL,
                  top: target.y * CELL,
                  width: target.width * CELL,
                  height: target.height * CELL,
                }}
              />
            )}
          </div>
        </section>
      </Stack>
    </Card>
  );
};

export const heldSize = (instance: Instance, rotated: boolean) => {
  const { width, height } = sizeOf(instance, rotated);
  return { width: width * CELL, height: height * CELL };
};
