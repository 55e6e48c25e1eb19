import { useMemo } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { OptionsById } from '../../parts/options.tsx';
import { BulkBar } from './bulk-bar.tsx';
import type { Row } from './item-columns.tsx';
import classes from './items.module.css';
import { type Selection, useSelected } from './selection.ts';

/** Selects everything that is found, or nothing. */
export const CheckAll = ({ ids, selection }: { ids: () => readonly string[]; selection: Selection }) => {
  const selected = useSelected(selection);
  return (
    <input
      type="checkbox"
      className={classes.check}
      aria-label="Select all items that are shown"
      checked={selected.size > 0}
      ref={(element) => {
        if (element !== null) element.indeterminate = selected.size > 0 && selected.size < ids().length;
      }}
      onChange={() => selection.set(selected.size > 0 ? [] : ids())}
    />
  );
};

/** What can be done with the rows that are selected. */
export const SelectedBar = ({
  rows,
  ...rest
}: {
  rows: readonly Row[];
  selection: Selection;
  options: OptionsById;
  onExport: (items: readonly Schemas['Item'][]) => void;
}) => {
  const { selection, options, onExport } = rest;
  const selected = useSelected(selection);
  const items = useMemo(
    () => rows.filter(({ item }) => selected.has(item.id)).map(({ item }) => item),
    [rows, selected],
  );
  const known = useMemo(() => new Set(rows.map(({ item }) => item.id)), [rows]);
  return items.length === 0 ? null : (
    <BulkBar
      items={items}
      known={known}
      options={options}
      onExport={() => onExport(items)}
      onClear={() => selection.set([])}
    />
  );
};
