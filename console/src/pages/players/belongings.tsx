import {
  type Active,
  type Announcements,
  DndContext,
  DragOverlay,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { Button, Card, Drawer, Flex, Stack } from '@mantine/core';
import { useMediaQuery, useReducedMotion, useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import type { List } from '../../api/client.ts';
import { notifyError, usePermissions } from '../../api/requests.ts';
import { formatCount } from '../../parts/format.ts';
import { Section } from '../../parts/section.tsx';
import { Detail, Note } from '../../parts/text.tsx';
import { BagCard, heldSize, type Target } from './bag-card.tsx';
import { areaAt, type Bag, bagName, CELL, type Instance, isInside, othersOn, type Place, placeOf } from './bag-grid.ts';
import classes from './bags.module.css';
import { type ItemAct, ItemDialog } from './item-dialog.tsx';
import { ItemPanel } from './item-panel.tsx';
import { LooseItem, Picture } from './item-tile.tsx';
import { useMove } from './use-move.ts';

const LOOSE_AT_FIRST = 24;

const STEPS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-CELL, 0],
  ArrowRight: [CELL, 0],
  ArrowUp: [0, -CELL],
  ArrowDown: [0, CELL],
};

const HOW_TO_DRAG =
  'Press Enter to select it, R to rotate it. Press Space to pick it up, the arrow keys to move it by one cell, R to rotate it, Space to drop it, Escape to cancel.';

/** The bag, and its cell, under the first cell of the dragged item. */
const placeUnder = ({ rect }: Active, rotated: boolean): Place | undefined => {
  const held = rect.current.translated;
  if (held === null) return undefined;
  const [x, y] = [held.left + CELL / 2, held.top + CELL / 2];
  for (const grid of document.querySelectorAll<HTMLElement>('[data-bag]')) {
    const bounds = grid.getBoundingClientRect();
    if (x < bounds.left - CELL || x > bounds.right || y < bounds.top - CELL || y > bounds.bottom) continue;
    return {
      bagId: grid.dataset.bag ?? '',
      x: Math.floor((x - bounds.left) / CELL),
      y: Math.floor((y - bounds.top) / CELL),
      rotated,
    };
  }
  return undefined;
};

interface Held {
  readonly instance: Instance;
  readonly rotated: boolean;
  readonly place: Place | undefined;
}

interface BelongingsProps {
  readonly userId: string;
  readonly bags: readonly Bag[];
  readonly owned: List<Instance>;
}

export const Belongings = ({ userId, bags, owned }: BelongingsProps) => {
  const { canSupport } = usePermissions();
  const instances = owned.rows;
  const move = useMove(userId, instances);
  const [selectedId, setSelectedId] = useState<string>();
  // With its item, so that the dialog stays until it is done with an item that is no longer there.
  const [acting, setActing] = useState<{ readonly act: ItemAct; readonly instance: Instance }>();
  const [held, setHeld] = useState<Held>();
  const [showsAll, setShowsAll] = useState(false);
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const isStill = useReducedMotion();

  const selected = instances.find(({ id }) => id === selectedId);
  const loose = instances.filter((instance) => placeOf(instance) === undefined);
  const aboutLoose =
    loose.length === 0
      ? 'All items of the player are in bags.'
      : `${formatCount(loose.length)} owned, but in no bag.${canSupport ? ' Drag one into a bag, or select it to enter a position.' : ''}`;
  const bagOf = (place: Place) => bags.find(({ id }) => id === place.bagId);

  const kindOf = (instance: Instance, place: Place): Target['kind'] => {
    const bag = bagOf(place);
    if (bag === undefined || !isInside(areaAt(instance, place), bag)) return 'outside';
    return othersOn(instances, instance, place).length > 0 ? 'swap' : 'free';
  };
  const target: Target | undefined = held?.place && {
    ...areaAt(held.instance, held.place),
    bagId: held.place.bagId,
    kind: kindOf(held.instance, held.place),
  };

  const rotate = (instance: Instance) => {
    const place = placeOf(instance);
    if (place !== undefined && instance.locked !== true) move(instance, { ...place, rotated: !place.rotated });
  };
  const select = ({ id }: Instance) => setSelectedId((before) => (before === id ? undefined : id));

  useWindowEvent('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target: on } = event;
    if (ctrlKey || metaKey || altKey || key.toLowerCase() !== 'r' || !canSupport) return;
    if (on instanceof HTMLElement && on.closest('input, textarea, [role="dialog"]') !== null) return;
    if (held !== undefined)
      setHeld({
        ...held,
        rotated: !held.rotated,
        place: held.place && { ...held.place, rotated: !held.rotated },
      });
    else if (selected !== undefined) rotate(selected);
  });

  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 5 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 220, tolerance: 8 } }),
    useSensor(KeyboardSensor, {
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
      coordinateGetter: (event, { currentCoordinates }) => {
        const step = STEPS[event.code];
        if (step === undefined) return undefined;
        event.preventDefault();
        return { x: currentCoordinates.x + step[0], y: currentCoordinates.y + step[1] };
      },
    }),
  );

  const drop = (active: Active) => {
    if (held === undefined) return;
    const { instance, rotated } = held;
    const to = placeUnder(active, rotated);
    setHeld(undefined);
    if (to === undefined) return notifyError('Could not move', new Error('It was dropped outside of every bag.'));
    const from = placeOf(instance);
    const isSame = from?.bagId === to.bagId && from.x === to.x && from.y === to.y && from.rotated === to.rotated;
    if (!isSame) move(instance, to);
  };

  const nameOf = ({ id }: Active) => instances.find((instance) => instance.id === id)?.item.name ?? 'It';
  const whereIs = (active: Active): string => {
    const place = placeUnder(active, held?.rotated ?? false);
    const bag = place && bagOf(place);
    if (held === undefined || place === undefined || bag === undefined) return 'outside of every bag';
    const kind = { free: 'free', swap: 'occupied, would swap', outside: 'outside the grid' };
    return `${bagName(bag)}, column ${place.x + 1}, row ${place.y + 1}, ${kind[kindOf(held.instance, place)]}`;
  };
  const announcements: Announcements = {
    onDragStart: ({ active }) => `${nameOf(active)} picked up.`,
    onDragMove: ({ active }) => whereIs(active),
    onDragOver: () => undefined,
    onDragEnd: ({ active }) => `${nameOf(active)} dropped.`,
    onDragCancel: ({ active }) => `${nameOf(active)} was not moved.`,
  };

  const panel = selected && (
    <ItemPanel
      instance={selected}
      instances={instances}
      bags={bags}
      hasClose={isWide}
      onMove={move}
      onRotate={rotate}
      onAct={(act) => setActing({ act, instance: selected })}
      onClose={() => setSelectedId(undefined)}
    />
  );
  return (
    <DndContext
      sensors={sensors}
      accessibility={{ announcements, screenReaderInstructions: { draggable: HOW_TO_DRAG } }}
      onDragStart={({ active }) => {
        const instance = instances.find(({ id }) => id === active.id);
        if (instance !== undefined) {
          const place = placeOf(instance);
          setHeld({ instance, rotated: place?.rotated ?? false, place });
        }
      }}
      onDragMove={({ active }) =>
        setHeld((before) => before && { ...before, place: placeUnder(active, before.rotated) })
      }
      onDragEnd={({ active }) => drop(active)}
      onDragCancel={() => setHeld(undefined)}
    >
      <Flex gap="lg" align="flex-start">
        <Stack gap="lg" flex={1} miw={0}>
          {bags.length === 0 && (
            <Section title="No bags yet" padding="md">
              <Detail>
                {canSupport
                  ? 'Give the player a bag, then drag items from the list below into it.'
                  : 'The items of the player are listed below.'}
              </Detail>
            </Section>
          )}
          <Flex gap="lg" wrap="wrap" align="flex-start" display={bags.length === 0 ? 'none' : undefined}>
            {bags.map((bag) => (
              <BagCard
                key={bag.id}
                bag={bag}
                instances={instances}
                selectedId={selectedId}
                canSupport={canSupport}
                target={target?.bagId === bag.id ? target : undefined}
                onSelect={select}
              />
            ))}
          </Flex>
          <Section title="Not in a bag" about={<Detail>{aboutLoose}</Detail>} padding="md">
            {loose.length > 0 && (
              <ul className={classes.looseList}>
                {loose.slice(0, showsAll ? undefined : LOOSE_AT_FIRST).map((instance) => (
                  <li key={instance.id}>
                    <LooseItem
                      instance={instance}
                      isSelected={instance.id === selectedId}
                      canSupport={canSupport}
                      onSelect={select}
                    />
                  </li>
                ))}
              </ul>
            )}
            {loose.length > LOOSE_AT_FIRST && (
              <Button variant="default" size="xs" onClick={() => setShowsAll(!showsAll)}>
                {showsAll ? 'Show fewer' : `Show all ${formatCount(loose.length)}`}
              </Button>
            )}
          </Section>
          {owned.isTruncated && (
            <Note role="status">The player owns more items than the console loads; the newest are not shown.</Note>
          )}
        </Stack>
        {isWide && (
          <Card component="aside" aria-label="Selected item" w={320} className={classes.aside}>
            {panel ?? (
              <Note>
                Select an item to see its values and history
                {canSupport ? ', rotate it (R), move it or remove it.' : '.'}
              </Note>
            )}
          </Card>
        )}
      </Flex>
      {!isWide && (
        <Drawer
          // A dialog takes its place: both would not fit.
          opened={panel !== undefined && acting === undefined}
          onClose={() => setSelectedId(undefined)}
          title="Selected item"
          position="bottom"
          size="70%"
        >
          {panel}
        </Drawer>
      )}
      {acting !== undefined && (
        <ItemDialog {...acting} onRemoved={() => setSelectedId(undefined)} onClose={() => setActing(undefined)} />
      )}
      <DragOverlay dropAnimation={isStill ? null : { duration: 160 }}>
        {held !== undefined && (
          <div className={classes.held} style={heldSize(held.instance, held.rotated)}>
            <Picture instance={held.instance} rotated={held.rotated} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
};
