import { ActionIcon, Group, Stack, TextInput, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconDownload,
  IconFileUpload,
  IconSearch,
} from '@tabler/icons-react';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { List, Schemas } from '../../api/client.ts';
import { useItems, usePermissions } from '../../api/requests.ts';
import { useDraftChanges } from '../../catalog/draft.ts';
import { type Entities, entityOf, toldOf } from '../../catalog/entities.ts';
import { useCatalogAttributes, useCatalogClassifiers, useOptions } from '../../catalog/reads.ts';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import { formatCount, formatMany } from '../../parts/format.ts';
import { EmptyCard } from '../../parts/loaded.tsx';
import { OptionSelect, type OptionsById, optionIdsOf, rarityColour } from '../../parts/options.tsx';
import type { Order } from '../../parts/order.ts';
import { saveFile } from '../../parts/save-file.ts';
import { Note } from '../../parts/text.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { type ItemColumn, itemColumns, type Row } from './item-columns.tsx';
import { CheckAll, SelectedBar } from './selected.tsx';
import { useSelection } from './selection.ts';
import { csvOf } from './sheet.ts';

/** An item must have one of the wanted options of each classifier, as in a filtered roll. */
const optionFilter = (wanted: readonly string[], options: OptionsById): ((item: Schemas['Item']) => boolean) => {
  const groups = [...Map.groupBy(wanted, (id) => options.get(id)?.classifierId).values()];
  return (item) => {
    if (groups.length === 0) return true;
    const own = optionIdsOf(item);
    return groups.every((ids) => ids.some((id) => own.includes(id)));
  };
};

const useRows = (items: readonly Schemas['Item'][], odds: readonly Schemas['ItemOdds'][]): readonly Row[] => {
  const changes = useDraftChanges('item');
  const live = useItems().data?.rows;
  return useMemo(() => {
    const byId = new Map(odds.map((row) => [row.itemId, row]));
    const liveIds = changes.size === 0 ? undefined : new Set(live?.map(({ id }) => id));
    return items.map((item): Row => {
      const { weight = 0, odds: share = 0 } = byId.get(item.id) ?? {};
      const mark = !changes.has(item.id) ? undefined : liveIds?.has(item.id) ? 'changed in draft' : 'new in draft';
      return { item, weight, odds: share, mark, text: `${item.name}\n${item.id}`.toLowerCase() };
    });
  }, [items, odds, changes, live]);
};

/** Rows of one line of text, or with more room: the height of a row in pixels. */
const HEIGHTS = { compact: 26, comfortable: 36 };

/** What is chosen once and for all items, in this browser. */
const useLook = () => {
  const [density, setDensity] = useLocalStorage<keyof typeof HEIGHTS>({
    key: 'itemwright.items.density',
    defaultValue: 'compact',
    getInitialValueInEffect: false,
  });
  const [chosen, setChosen] = useLocalStorage<Record<string, boolean>>({
    key: 'itemwright.items.columns',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  return { density, setDensity, chosen, setChosen };
};

/** Changes a member of an item in place. */
const useItemEdit = () => {
  const change = useCatalogChange({
    kind: 'item',
    edit: ({ item, members }: { item: Schemas['Item']; members: Partial<Entities['item']> }) => {
      const before = entityOf('item', item);
      const { description: _, data: __, ...rest } = { ...before, ...members };
      return { before, after: { ...rest, ...toldOf({ ...before, ...members }) } };
    },
    failed: 'Could not save',
  });
  const latest = useRef(change.mutateAsync);
  latest.current = change.mutateAsync;
  return useCallback(
    (item: Schemas['Item'], members: Partial<Entities['item']>) => latest.current({ item, members }),
    [],
  );
};

export const ItemTable = ({ items, odds }: { items: List<Schemas['Item']>; odds: readonly Schemas['ItemOdds'][] }) => {
  const options = useOptions();
  const { canDesign } = usePermissions();
  const classifiers = useCatalogClassifiers().data?.rows;
  const attributes = useCatalogAttributes().data?.rows;
  const vocabulary = useMemo(
    () => ({ classifiers: classifiers ?? [], attributes: attributes ?? [] }),
    [classifiers, attributes],
  );
  const [search, setSearch] = useUrlState('q');
  const [optionIds, setOptionIds] = useUrlState('options');
  const [sort, setSort] = useUrlState('sort', '-Odds');
  const { density, setDensity, chosen, setChosen } = useLook();
  const [isImporting, setImporting] = useState(false);
  const selection = useSelection();
  const edit = useItemEdit();
  const rows = useRows(items.rows, odds);
  const wanted = useMemo(() => (optionIds === '' ? [] : optionIds.split(',')), [optionIds]);
  const looked = useDeferredValue(search.trim().toLowerCase());
  const found = useMemo(() => {
    const hasOptions = optionFilter(wanted, options);
    return looked === '' && wanted.length === 0
      ? rows
      : rows.filter(({ item, text }) => text.includes(looked) && hasOptions(item));
  }, [rows, looked, wanted, options]);
  const shownIds = useRef<readonly string[]>([]);
  shownIds.current = useMemo(() => found.map(({ item }) => item.id), [found]);
  // What a search hides must not be changed with the rest.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when something else is shown.
  useEffect(() => selection.set([]), [looked, wanted]);
  const all = useMemo(
    () =>
      itemColumns({
        ...vocabulary,
        options,
        selection,
        edit: canDesign ? edit : undefined,
        head: <CheckAll ids={() => shownIds.current} selection={selection} />,
      }),
    [vocabulary, options, selection, canDesign, edit],
  );
  const isShown = useCallback(
    ({ header, isFixed = false, isUsual = false }: ItemColumn) => isFixed || (chosen[header] ?? isUsual),
    [chosen],
  );
  const columns = useMemo(() => all.filter(isShown), [all, isShown]);
  const order = useMemo((): Order => ({ header: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }), [sort]);
  const setOrder = useRef((_: Order): void => undefined);
  setOrder.current = ({ header, isDescending }) => setSort(`${isDescending ? '-' : ''}${header}`);
  const count = formatMany(rows.length, 'item');
  const save = (some: readonly Schemas['Item'][]) =>
    saveFile(
      'items.csv',
      csvOf(
        some.map((item) => entityOf('item', item)),
        vocabulary,
      ),
      'text/csv',
    );
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it changes is always the same.
  const filters = useMemo(
    () => (
      <OptionSelect
        flex="1 1 200px"
        aria-label="Only items with these options"
        none="Any classifier option"
        options={options}
        value={wanted}
        onChange={(ids) => setOptionIds(ids.join(','))}
      />
    ),
    [options, wanted],
  );
  const table = useMemo(
    () =>
      found.length === 0 ? (
        <EmptyCard title="No matching items" icon={IconSearch}>
          No item matches the search. Clear it to see {count}.
        </EmptyCard>
      ) : (
        <VirtualTable
          label="Items"
          columns={columns}
          rows={found}
          keyOf={({ item }) => item.id}
          sortedBy={order}
          onOrder={(next) => setOrder.current(next)}
          view={`${looked} ${wanted.join()}`}
          colourOf={({ item }) => rarityColour(item, options)}
          rowHeight={HEIGHTS[density]}
          maxHeight="max(320px, calc(100dvh - 205px))"
        />
      ),
    [found, columns, count, order, looked, wanted, options, density],
  );
  const isCompact = density === 'compact';
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <TextInput
          flex="1 1 200px"
          aria-label="Search items by name or id"
          placeholder="Search by name or id"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-search
        />
        {filters}
        <Note role="status" size="xs">
          {found.length === rows.length ? count : `${formatCount(found.length)} of ${count}`}
          {items.isTruncated && ' (the oldest; there are more than the console loads)'}
        </Note>
        <Group gap={4} wrap="nowrap">
          <ColumnMenu
            columns={all}
            isShown={isShown}
            onToggle={(column) => setChosen({ ...chosen, [column.header]: !isShown(column) })}
          />
          <Tooltip label={isCompact ? 'More room for each row' : 'More rows'}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label="Compact rows"
              aria-pressed={isCompact}
              onClick={() => setDensity(isCompact ? 'comfortable' : 'compact')}
            >
              {isCompact ? <IconBaselineDensityMedium size={18} /> : <IconBaselineDensitySmall size={18} />}
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Save as CSV what is shown">
            <ActionIcon
              variant="default"
              size={36}
              aria-label="Save as CSV"
              onClick={() => save(found.map(({ item }) => item))}
            >
              <IconDownload size={18} />
            </ActionIcon>
          </Tooltip>
          {canDesign && (
            <Tooltip label="Paste rows, or open a CSV file">
              <ActionIcon
                variant="default"
                size={36}
                aria-label="Import from a spreadsheet"
                onClick={() => setImporting(true)}
              >
                <IconFileUpload size={18} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      </Group>
      <SelectedBar rows={rows} selection={selection} options={options} onExport={save} />
      {table}
      {isImporting && <ImportDialog items={items.rows} {...vocabulary} onClose={() => setImporting(false)} />}
    </Stack>
  );
};
