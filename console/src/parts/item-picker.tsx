import { MultiSelect, type MultiSelectProps } from '@mantine/core';
import { memo, useCallback, useMemo, useRef, useState } from 'react';
import type { Schemas } from '../api/client.ts';

const MAX_OFFERED = 50;

interface ItemPickerProps extends Omit<MultiSelectProps, 'data' | 'value' | 'onChange'> {
  readonly items: readonly Pick<Schemas['Item'], 'id' | 'name'>[];
  readonly value: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

interface Known {
  readonly value: string;
  readonly label: string;
}

/** The chosen items, and those that a search finds: however many items there are, only a few are looked at. */
const offer = (items: ItemPickerProps['items'], chosen: readonly string[], search: string | undefined): Known[] => {
  const wanted = new Set(chosen);
  const known = new Map(chosen.map((id) => [id, id]));
  const found: Known[] = [];
  const text = search?.trim().toLowerCase();
  for (const { id, name } of items) {
    if (wanted.has(id)) known.set(id, name);
    else if (text !== undefined && found.length < MAX_OFFERED && name.toLowerCase().includes(text))
      found.push({ value: id, label: name });
  }
  return [...[...known].map(([value, label]) => ({ value, label })), ...found];
};

const Picker = memo(({ items, value, onChange, ...rest }: ItemPickerProps) => {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const data = useMemo(() => offer(items, value, isOpen ? search : undefined), [items, value, search, isOpen]);
  return (
    <MultiSelect
      searchable
      data={data}
      value={[...value]}
      onChange={onChange}
      searchValue={search}
      onSearchChange={setSearch}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      nothingFoundMessage="No item has this name"
      {...rest}
    />
  );
});

/** A choice of items, which is drawn anew only if something about it has changed. */
export const ItemPicker = ({ onChange, ...rest }: ItemPickerProps) => {
  const latest = useRef(onChange);
  latest.current = onChange;
  const stable = useCallback((ids: string[]) => latest.current(ids), []);
  return <Picker {...rest} onChange={stable} />;
};
