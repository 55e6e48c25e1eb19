import { ActionIcon, Button, Checkbox, Code, Group, NumberInput, Select, Stack, Timeline, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconArrowsExchange, IconRotateClockwise, IconSend, IconTrash, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { notifyError, useInstanceHistory, usePermissions } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { OptionBadges } from '../../parts/options.tsx';
import { RangeValue } from '../../parts/range-value.tsx';
import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import { useTemplateNames } from '../../parts/roll-events.tsx';
import { Detail, Note, pathTo, TextLink } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { type Bag, bagName, firstFree, type Instance, type Place, placeOf } from './bag-grid.ts';
import { TradeItem, TransferItem } from './hand-over.tsx';

const WHAT_HAPPENED: Record<Schemas['ItemInstanceEvent']['event'], string> = {
  created: 'Given',
  transferred: 'Transferred',
  changed: 'Changed',
  deleted: 'Deleted',
};

const CAUSES: Readonly<Record<string, string>> = {
  ...{ request: 'by a request', batch: 'in a batch', roll: 'by a roll' },
  ...{ restored: 'restored', unknown: 'before histories were kept' },
};

type State = Schemas['ItemInstanceState'];

/** What changed, such as `durability: 10 → 9`. */
const changesOf = (before: State = {}, after: State = {}): string => {
  const members = (of: State) => ({ ...of.data, ...(of.locked !== undefined && { locked: of.locked }) });
  const [was, is]: Record<string, unknown>[] = [members(before), members(after)];
  const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return [...new Set(Object.keys({ ...was, ...is }))]
    .map((name) => `${name}: ${shown(was?.[name])} → ${shown(is?.[name])}`)
    .join(', ');
};

const causeOf = (cause: string, templates: ReadonlyMap<string, string>): string => {
  const [, kind, id = ''] = /^(template|spark):(.+)$/.exec(cause) ?? [];
  if (kind === undefined) return CAUSES[cause] ?? cause;
  return `by a ${kind === 'spark' ? 'spark' : 'roll'} on ${templates.get(id) ?? 'a deleted template'}`;
};

const History = ({ id }: { id: string }) => {
  const templates = useTemplateNames();
  return (
    <Loaded query={useInstanceHistory(id)} lines={2}>
      {({ rows }) =>
        rows.length === 0 ? (
          <Note>No history.</Note>
        ) : (
          <Timeline active={rows.length} bulletSize={14} lineWidth={2} aria-label="History">
            {rows.map(({ sequence, event, fromUserId, toUserId, cause, author, reason, createdAt, before, after }) => (
              <Timeline.Item key={sequence} title={WHAT_HAPPENED[event]}>
                <Detail>
                  {formatMoment(createdAt)}
                  {event !== 'changed' && fromUserId !== null && `, from ${fromUserId}`}
                  {event !== 'changed' && toUserId !== null && `, to ${toUserId}`}, {causeOf(cause, templates)}
                  {author !== null && `, with the secret ${author}`}
                </Detail>
                {event === 'changed' && (
                  <Detail style={{ overflowWrap: 'anywhere' }}>{changesOf(before, after)}</Detail>
                )}
                {reason !== null && <Note>“{reason}”</Note>}
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
  readonly onClose: () => void;
}

/** An item that a player owns: its values, position and history. */
export const ItemPanel = (props: ItemPanelProps) => {
  const { instance, instances, bags, hasClose, onMove, onRotate, onClose } = props;
  const { id, item, classifiers, attributes, data, locked } = instance;
  const { canSupport } = usePermissions();
  const options = useLiveOptions();
  const isPlaced = placeOf(instance) !== undefined;
  const [act, setAct] = useState<'remove' | 'transfer' | 'trade'>();
  const close = () => setAct(undefined);
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
      {locked === true && <Note>Locked: it cannot be moved, transferred or removed.</Note>}
      {data !== undefined && (
        <Code block aria-label="Data">
          {JSON.stringify(data, null, 2)}
        </Code>
      )}
      {canSupport && (
        <>
          <Group gap="xs">
            {isPlaced && (
              <IconButton icon={IconRotateClockwise} size="xs" aria-keyshortcuts="R" onClick={() => onRotate(instance)}>
                Rotate
              </IconButton>
            )}
            <IconButton icon={IconTrash} size="xs" c="var(--mantine-color-error)" onClick={() => setAct('remove')}>
              Remove
            </IconButton>
            <IconButton icon={IconSend} size="xs" onClick={() => setAct('transfer')}>
              Transfer
            </IconButton>
            <IconButton icon={IconArrowsExchange} size="xs" onClick={() => setAct('trade')}>
              Trade
            </IconButton>
          </Group>
          {act === 'remove' && (
            <ReasonDialog
              title={`Remove ${item.name}?`}
              text="The player loses it. Its history is kept, and it can be restored for 30 days."
              action="Remove item"
              isHarmful
              done={`${item.name} removed`}
              run={(api, options) => api.itemInstances.delete(id, options)}
              onDone={onClose}
              onClose={close}
            />
          )}
          {act === 'transfer' && <TransferItem instance={instance} onClose={close} />}
          {act === 'trade' && <TradeItem instance={instance} onClose={close} />}
          <MoveForm key={id} instance={instance} instances={instances} bags={bags} onMove={onMove} />
        </>
      )}
      <Stack gap="xs" component="section" aria-label="History of the item">
        <Title order={3}>History</Title>
        <History id={id} />
      </Stack>
    </Stack>
  );
};
