import { Button, Group, Menu, Popover, Select, Stack, Text } from '@mantine/core';
import { IconCopy, IconDownload, IconPencil, IconTrash, IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { type Entities, entityOf, newId } from '../../catalog/entities.ts';
import { useBulkChange } from '../../catalog/use-catalog-change.ts';
import { formatMany } from '../../parts/format.ts';
import { isFormValid, NumberField } from '../../parts/number-field.tsx';
import { type OptionsById, optionGroups } from '../../parts/options.tsx';
import { freeSlug } from '../../parts/slug.ts';
import { bulkEdit, FIELDS, OPTION_WAYS, WAYS } from './bulk-edit.ts';
import classes from './items.module.css';

type Item = Entities['item'];

const copyOf = (item: Item, known: Set<string>): Item => {
  const name = `${item.name} copy`;
  const id = freeSlug(name, (one) => known.has(one)) ?? newId();
  known.add(id);
  return { ...item, id, name, itemAttributes: item.itemAttributes.map((own) => ({ ...own, id: newId() })) };
};

/** A choice outside of the popover would close it. */
const WITHIN = { withinPortal: false };

interface BulkFormProps {
  readonly options: OptionsById;
  readonly isSaving: boolean;
  readonly onApply: (change: (item: Item) => Item) => void;
}

/** One change for all: a number to set, add or multiply by, or an option. */
const BulkForm = ({ options, isSaving, onApply }: BulkFormProps) => {
  const [field, setField] = useState<string>('rollNumerator');
  const [way, setWay] = useState<string>('multiply');
  const [amount, setAmount] = useState<number | string>('');
  const [option, setOption] = useState<string | null>(null);
  const isOption = field === 'option';
  const isReady = isOption ? option !== null : typeof amount === 'number';
  const choose = (chosen: string) => {
    setField(chosen);
    setWay(chosen === 'option' ? 'set' : 'multiply');
  };
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isReady || !isFormValid(event.currentTarget)) return;
    onApply((item) => bulkEdit(item, { field, way, amount: Number(amount), option, options }));
  };
  return (
    <form onSubmit={apply} noValidate>
      <Stack gap="xs">
        <Select
          label="Field"
          data={FIELDS}
          value={field}
          allowDeselect={false}
          comboboxProps={WITHIN}
          onChange={(one) => choose(one ?? field)}
        />
        <Select
          label="How"
          data={isOption ? OPTION_WAYS : WAYS}
          value={way}
          allowDeselect={false}
          comboboxProps={WITHIN}
          onChange={(one) => setWay(one ?? way)}
        />
        {isOption ? (
          <Select
            label="Option"
            searchable
            comboboxProps={WITHIN}
            data={optionGroups(options, [])}
            value={option}
            onChange={setOption}
          />
        ) : (
          <NumberField label="Number" value={amount} onChange={setAmount} data-autofocus />
        )}
        <Button type="submit" disabled={!isReady} loading={isSaving}>
          Apply
        </Button>
      </Stack>
    </form>
  );
};

interface BulkBarProps {
  /** The items that are selected. */
  readonly items: readonly Schemas['Item'][];
  /** The ids of all items. */
  readonly known: ReadonlySet<string>;
  readonly options: OptionsById;
  readonly onExport: () => void;
  readonly onClear: () => void;
}

/** What can be done with the items that are selected. */
export const BulkBar = ({ items, known, options, onExport, onClear }: BulkBarProps) => {
  const [isOpen, setOpen] = useState(false);
  const count = formatMany(items.length, 'item');
  const change = useBulkChange({ kind: 'item', done: (changed) => `${formatMany(changed, 'item')} saved` });
  const entities = (): Item[] => items.map((item) => entityOf('item', item));
  const apply = (edit: (item: Item) => Item) => {
    const edits = entities().map((before) => ({ before, after: edit(before) }));
    change.mutate(
      edits.filter(({ before, after }) => before !== after),
      { onSettled: () => setOpen(false) },
    );
  };
  const duplicate = () => {
    const taken = new Set(known);
    change.mutate(entities().map((item) => ({ before: null, after: copyOf(item, taken) })));
  };
  const remove = () =>
    change.mutate(
      entities().map((before) => ({ before, after: null })),
      { onSuccess: onClear },
    );
  return (
    <Group gap={6} className={classes.bulk} role="group" aria-label="Selected items">
      <Text size="sm" role="status">
        {count} selected
      </Text>
      <Popover opened={isOpen} onChange={setOpen} trapFocus withinPortal width={260} shadow="md">
        <Popover.Target>
          <Button size="compact-sm" leftSection={<IconPencil size={14} />} onClick={() => setOpen(!isOpen)}>
            Edit
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Edit the selected items">
          <BulkForm options={options} isSaving={change.isPending} onApply={apply} />
        </Popover.Dropdown>
      </Popover>
      <Button size="compact-sm" variant="default" leftSection={<IconCopy size={14} />} onClick={duplicate}>
        Duplicate
      </Button>
      <Button size="compact-sm" variant="default" leftSection={<IconDownload size={14} />} onClick={onExport}>
        CSV
      </Button>
      <Menu>
        <Menu.Target>
          <Button size="compact-sm" variant="default" leftSection={<IconTrash size={14} />}>
            Delete
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item color="red" onClick={remove}>
            Delete {count}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Button size="compact-sm" variant="subtle" leftSection={<IconX size={14} />} onClick={onClear}>
        Clear
      </Button>
    </Group>
  );
};
