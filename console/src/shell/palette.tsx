import { Modal, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { usePermissions } from '../api/requests.ts';
import { useCatalogTemplates, useItemRows } from '../catalog/reads.ts';
import { pathTo } from '../parts/text.tsx';
import { NAVIGATION } from './pages.tsx';
import classes from './palette.module.css';

interface Entry {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
}

const MAX_SHOWN = 12;

const PAGES: readonly Entry[] = NAVIGATION.flatMap(({ places }) =>
  places.map(({ label, path }) => ({ kind: 'page', name: label, path })),
);

const NEW: readonly Entry[] = [
  { kind: 'action', name: 'New item', path: '/new-item' },
  { kind: 'action', name: 'New template', path: '/new-template' },
];

/** Those that begin with the text come first. */
const find = (entries: readonly Entry[], text: string): Entry[] => {
  if (text === '') return entries.slice(0, MAX_SHOWN);
  const [first, other]: [Entry[], Entry[]] = [[], []];
  for (const entry of entries) {
    const place = entry.name.toLowerCase().indexOf(text);
    if (place === 0) first.push(entry);
    else if (place > 0 && other.length < MAX_SHOWN) other.push(entry);
    if (first.length === MAX_SHOWN) break;
  }
  return [...first, ...other].slice(0, MAX_SHOWN);
};

/** Goes to a page, an item or a template by its name. */
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const [, navigate] = useLocation();
  const { canDesign } = usePermissions();
  const items = useItemRows();
  const templates = useCatalogTemplates().data?.rows;
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const list = useId();
  const chosen = useRef<HTMLDivElement>(null);
  const text = useDeferredValue(typed.trim().toLowerCase());
  const entries = useMemo(
    (): Entry[] => [
      ...PAGES,
      ...(canDesign ? NEW : []),
      ...(templates ?? []).map(({ id, name }) => ({ kind: 'template', name, path: pathTo('templates', id) })),
      ...items.map(({ id, name }) => ({ kind: 'item', name, path: pathTo('items', id) })),
    ],
    [items, templates, canDesign],
  );
  const found = useMemo(() => find(entries, text), [entries, text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when something else is found.
  useEffect(() => setActive(0), [found]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another one is chosen.
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [active]);
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    navigate(entry.path);
  };
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setActive((active + by + found.length) % Math.max(1, found.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      go(found[active]);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      yOffset="12vh"
      centered={false}
      padding="xs"
      attributes={{ content: { 'aria-label': 'Go to' } }}
    >
      <TextInput
        role="combobox"
        aria-label="Go to a page, an item or a template"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={found[active] === undefined ? undefined : `${list}-${active}`}
        placeholder="Go to a page, an item or a template"
        leftSection={<IconSearch size={16} />}
        data-autofocus
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
      />
      <div id={list} role="listbox" aria-label="Found" className={classes.list}>
        {found.map((entry, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus.
          <div
            key={`${entry.kind} ${entry.path}`}
            id={`${list}-${place}`}
            ref={place === active ? chosen : undefined}
            role="option"
            aria-selected={place === active}
            className={classes.entry}
            onClick={() => go(entry)}
            onMouseMove={() => setActive(place)}
          >
            <span className={classes.name}>{entry.name}</span>
            <span className={classes.kind}>{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <Text size="sm" c="dimmed" p="xs" role="status">
          Nothing has this name.
        </Text>
      )}
    </Modal>
  );
};
