import { ActionIcon, Button, Checkbox, Group, NumberInput, Select, Stack, Text, Timeline, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  IconArrowsExchange,
  IconLock,
  IconLockOpen,
  IconRotateClockwise,
  IconSend,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import type { Schemas } from '../../api/client.ts';
import { notifyError, useInstanceHistory, usePermissions } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { Facts } from '../../parts/facts.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { OptionBadges } from '../../parts/options.tsx';
import { RangeValue } from '../../parts/range-value.tsx';
import { useTemplateNames } from '../../parts/roll-events.tsx';
import { Detail, Note, pathTo, Strong, TextLink } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { type Bag, bagName, firstFree, type Instance, type Place, placeOf } from './bag-grid.ts';
import classes from './bags.module.css';
import type { ItemAct } from './item-dialog.tsx';

const WHAT_HAPPENED: Record<Schemas['ItemInstanceEvent']['event'], string> = {
  created: 'Given',
  transferred: 'Transferred',
  changed: 'Changed',
  deleted: 'Deleted',
};

/** What else is worth saying about an event; that it was a request is not. */
const CAUSES: Readonly<Record<string, string>> = {
  ...{ request: '', batch: '', roll: 'by a plain roll', restored: 'restored' },
  ...{ 'user deleted': 'with the player', unknown: 'before histories were kept' },
};

type State = Schemas['ItemInstanceState'];

/** A value of the game's own data; texts as they are. */
const shownValue = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);

/** What changed, such as `durability: 10 → 9`. */
const changesOf = ({ data: was = {} }: State = {}, { data: is = {} }: State = {}): string =>
  Object.keys({ ...was, ...is })
    .map((name) => `${name}: ${shownValue(was[name])} → ${shownValue(is[name])}`)
    .join(', ');

/** What happened, in a word or two; locking is a change of its own in the eyes of people. */
const titleOf = ({ event, before, after }: Schemas['ItemInstanceEvent']): string => {
  const isLocked = after?.locked ?? false;
  if (event !== 'changed' || isLocked === (before?.locked ?? false)) return WHAT_HAPPENED[event];
  const lock = isLocked ? 'Locked' : 'Unlocked';
  return changesOf(before, after) === '' ? lock : `Changed and ${lock.toLowerCase()}`;
};

const causeOf = (cause: string, templates: ReadonlyMap<string, string>): string => {
  const [, kind, id = ''] = /^(template|spark):(.+)$/.exec(cause) ?? [];
  if (kind === undefined) return CAUSES[cause] ?? cause;
  return `by a ${kind === 'spark' ? 'spark' : 'roll'} on ${templates.get(id) ?? 'a deleted template'}`;
};

/** From whom and to whom it went. */
const withWhom = ({ event, fromUserId, toUserId }: Schemas['ItemInstanceEvent']): string =>
  event === 'changed'
    ? ''
    : [fromUserId === null ? '' : `from ${fromUserId}`, toUserId === null ? '' : `to ${toUserId}`].join(' ').trim();

const History = ({ id }: { id: string }) => {
  const templates = useTemplateNames();
  return (
    <Loaded query={useInstanceHistory(id)} lines={2}>
      {({ rows }) =>
        rows.length === 0 ? (
          <Note>No history.</Note>
        ) : (
          <Timeline active={rows.length} bulletSize={12} lineWidth={2} className={classes.history} aria-label="History">
            {rows.map((entry) => (
              <Timeline.Item
                key={entry.sequence}
                style={{ overflowWrap: 'anywhere' }}
                title={
                  <Text size="sm" component="span">
                    <Strong span>{titleOf(entry)}</Strong> {withWhom(entry)}
                  </Text>
                }
              >
                {entry.event === 'changed' && <Detail>{changesOf(entry.before, entry.after)}</Detail>}
                {entry.reason !== null && <Text size="sm">“{entry.reason}”</Text>}
                <Detail>
                  {[
                    formatMoment(entry.createdAt),
                    causeOf(entry.cause, templates),
                    entry.author === null ? '' : `with the secret ${entry.author}`,
                  ]
                    .filter((part) => part !== '')
                    .join(', ')}
                </Detail>
              </Timeline.Item>
            ))}
          </Timeline>
        )
      }
    </Loaded>
  );
};

/** A place; its numbers are empty strings while their fields are empty. */
type MoveValues = Omit<Place, 'x' | 'y'> & Record<'x' | 'y', number | string>;

interface MoveFormProps {
  readonly instance: Instance;
  readonly instances: readonly Instance[];
  readonly bags: readonly Bag[];
  readonly onMove: (instance: Instance, to: Place) => void;
}

/** Moves an item by numbers, as an alternative to dragging. */
const MoveForm = ({ instance, instances, bags, onMove }: MoveFormProps) => {
  const place = placeOf(instance);
  const form = useForm<MoveValues>({
    initialValues: place ?? { bagId: bags[0]?.id ?? '', x: 0, y: 0, rotated: false },
  });
  const { bagId, x, y, rotated } = form.values;
  // The numbers follow the item when it is dragged; a refetch that finds it unmoved leaves them alone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another place is another one.
  useEffect(() => {
    if (place !== undefined) form.setValues(place);
  }, [place?.bagId, place?.x, place?.y, place?.rotated]);
  const bag = bags.find(({ id }) => id === bagId);
  if (bag === undefined) return <Note>The player has no bag for it.</Note>;
  const submit = form.onSubmit(() => onMove(instance, { bagId, x: Number(x), y: Number(y), rotated }));
  const placeFirst = () => {
    const free = firstFree(instances, instance, bag);
    if (free === undefined) notifyError('Could not move', new Error(`${bagName(bag)} has no room for it.`));
    else onMove(instance, free);
  };
  return (
    <form onSubmit={submit} aria-label="Move to a position">
      <Stack gap="xs">
        <Select
          label="Bag"
          allowDeselect={false}
          data={bags.map((each) => ({ value: each.id, label: bagName(each) }))}
          {...form.getInputProps('bagId')}
        />
        <Group grow align="flex-start">
          <NumberInput label="X" description="columns before it" allowDecimal={false} {...form.getInputProps('x')} />
          <NumberInput label="Y" description="rows above it" allowDecimal={false} {...form.getInputProps('y')} />
        </Group>
        <Checkbox label="Rotated" {...form.getInputProps('rotated', { type: 'checkbox' })} />
        <Group gap="xs">
          <Button type="submit" size="xs" disabled={x === '' || y === ''}>
            {place === undefined ? 'Place' : 'Move'}
          </Button>
          <Button size="xs" variant="default" onClick={placeFirst}>
            First free position
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

interface ItemPanelProps extends MoveFormProps {
  /** Whether it has its own close button. */
  readonly hasClose: boolean;
  readonly onRotate: (instance: Instance) => void;
  readonly onAct: (act: ItemAct) => void;
  readonly onClose: () => void;
}

/** An item that a player owns: its values, position and history. */
export const ItemPanel = (props: ItemPanelProps) => {
  const { instance, instances, bags, hasClose, onMove, onRotate, onAct, onClose } = props;
  const { id, item, classifiers, attributes, data, locked: isLocked = false } = instance;
  const { canSupport } = usePermissions();
  const options = useLiveOptions();
  const isPlaced = placeOf(instance) !== undefined;
  return (
    <Stack gap="md">
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Thumbnail name={item.name} thumbnail={item.thumbnail} size={56} />
        <Stack gap={4} miw={0} flex={1}>
          <TextLink href={pathTo('items', item.id)} size="md" fw={650}>
            {item.name}
          </TextLink>
          <OptionBadges of={classifiers} options={options} />
        </Stack>
        {hasClose && (
          <ActionIcon variant="subtle" color="gray" aria-label="Close" onClick={onClose}>
            <IconX size={18} />
          </ActionIcon>
        )}
      </Group>
      {attributes.map(({ id: attributeId, name, value, min, max }) => (
        <RangeValue key={attributeId} name={name} value={value} min={min} max={max} />
      ))}
      {data !== undefined && (
        <section aria-label="Data">
          <Facts facts={Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shownValue(value)]))} />
        </section>
      )}
      {isLocked && (
        <Group gap={6} wrap="nowrap">
          <IconLock size={16} aria-hidden />
          <Note>Locked: it cannot be moved, transferred or removed.</Note>
        </Group>
      )}
      {canSupport && (
        <>
          <Group gap="xs">
            {isPlaced && (
              <IconButton
                icon={IconRotateClockwise}
                size="xs"
                disabled={isLocked}
                aria-keyshortcuts="R"
                onClick={() => onRotate(instance)}
              >
                Rotate
              </IconButton>
            )}
            <IconButton icon={IconSend} size="xs" disabled={isLocked} onClick={() => onAct('transfer')}>
              Transfer
            </IconButton>
            <IconButton icon={IconArrowsExchange} size="xs" disabled={isLocked} onClick={() => onAct('trade')}>
              Trade
            </IconButton>
            <IconButton icon={isLocked ? IconLockOpen : IconLock} size="xs" onClick={() => onAct('lock')}>
              {isLocked ? 'Unlock' : 'Lock'}
            </IconButton>
            <IconButton
              icon={IconTrash}
              size="xs"
              disabled={isLocked}
              c={isLocked ? undefined : 'var(--mantine-color-error)'}
              onClick={() => onAct('remove')}
            >
              Remove
            </IconButton>
          </Group>
          {!isLocked && <MoveForm key={id} instance={instance} instances={instances} bags={bags} onMove={onMove} />}
        </>
      )}
      <Stack gap="xs" component="section" aria-label="History of the item">
        <Title order={3}>History</Title>
        <History id={id} />
      </Stack>
    </Stack>
  );
};
