import { useDraggable } from '@dnd-kit/core';
import { Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { CELL, describe, type Instance, placeOf, sizeOf } from './bag-grid.ts';
import classes from './bags.module.css';

/** The picture of an instance, as large as its cells allow. */
export const Picture = ({ instance: { item }, rotated }: { instance: Instance; rotated: boolean }) => (
  <span className={classes.picture} data-rotated={rotated || undefined}>
    <Thumbnail name={item.name} thumbnail={item.thumbnail} size={CELL * Math.min(item.width, item.height) - 8} />
  </span>
);

interface ItemTileProps {
  readonly instance: Instance;
  readonly isSelected: boolean;
  readonly canSupport: boolean;
  readonly onSelect: (instance: Instance) => void;
}

const Lock = () => <IconLock size={14} className={classes.lock} aria-hidden />;

const useItemTile = ({ instance, isSelected, canSupport, onSelect }: ItemTileProps) => {
  const canMove = canSupport && instance.locked !== true;
  const { setNodeRef, attributes, listeners, isDragging } = useDraggable({ id: instance.id, disabled: !canMove });
  return {
    ref: setNodeRef,
    type: 'button' as const,
    'aria-pressed': isSelected,
    'data-dragging': isDragging || undefined,
    'data-selected': isSelected || undefined,
    'data-can-move': canMove || undefined,
    ...(canMove && { 'aria-describedby': attributes['aria-describedby'], ...listeners }),
    onClick: () => onSelect(instance),
  };
};

/** An item in a bag. */
export const PlacedItem = (props: ItemTileProps) => {
  const { instance } = props;
  const tile = useItemTile(props);
  const place = placeOf(instance);
  if (place === undefined) return null;
  const { width, height } = sizeOf(instance, place.rotated);
  return (
    <Tooltip label={instance.item.name}>
      <button
        {...tile}
        className={classes.tile}
        style={{ gridColumn: `${place.x + 1} / span ${width}`, gridRow: `${place.y + 1} / span ${height}` }}
      >
        <VisuallyHidden>{describe(instance)}</VisuallyHidden>
        <Picture instance={instance} rotated={place.rotated} />
        {instance.locked === true && <Lock />}
      </button>
    </Tooltip>
  );
};

/** An item that is not in a bag. */
export const LooseItem = (props: ItemTileProps) => {
  const { instance } = props;
  const { item } = instance;
  const tile = useItemTile(props);
  return (
    <button {...tile} className={classes.loose}>
      <VisuallyHidden>{describe(instance)}</VisuallyHidden>
      <Thumbnail name={item.name} thumbnail={item.thumbnail} size={32} />
      <Text size="sm" component="span" lh={1.3} aria-hidden>
        {item.name},{' '}
        <Text size="xs" c="dimmed" component="span" style={{ whiteSpace: 'nowrap' }}>
          {item.width} × {item.height}
        </Text>
      </Text>
      {instance.locked === true && <Lock />}
    </button>
  );
};
