import { Group, Stack, TextInput } from '@mantine/core';
import { IconSearch, IconSword } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { List, Schemas } from '../../api/client.ts';
import { useItems } from '../../api/requests.ts';
import { useActiveDraft, useDraftChanges } from '../../catalog/draft.ts';
import { ListPage } from '../../catalog/list-page.tsx';
import { useCatalogItemOdds, useCatalogItems, useOptions } from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { formatCount, formatMany, formatNumber, formatOneIn, formatShare } from '../../parts/format.ts';
import { EmptyCard } from '../../parts/loaded.tsx';
import { OptionSelect, type OptionsById, optionIdsOf } from '../../parts/options.tsx';
import { Note, pathTo } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { type VirtualColumn, VirtualTable } from '../../parts/virtual-table.tsx';
import classes from './items.module.css';

interface Row {
  readonly item: Schemas['Item'];
  readonly weight: number;
  readonly odds: number;
  readonly mark: 'new in draft' | 'changed in draft' | undefined;
  /** What a search looks at. */
  readonly text: string;
}

/** An item must have one of the wanted options of each classifier, as in a filtered roll. */
const optionFilter = (wanted: readonly string[], options: OptionsById): ((item: Schemas['Item']) => boolean) => {
  const groups = [...Map.groupBy(wanted, (id) => options.get(id)?.classifierId).values()];
  return (item) => {
    if (groups.length === 0) return true;
    const own = optionIdsOf(item);
    return groups.every((ids) => ids.some((id) => own.includes(id)));
  };
};

/** Rows are drawn again and again while somebody types or scrolls, so they consist of plain elements. */
const columnsOf = (options: OptionsById): readonly VirtualColumn<Row>[] => [
  {
    header: 'Item',
    sortBy: ({ item }) => item.name,
    cell: ({ item, mark }) => (
      <span className={classes.item}>
        <Thumbnail name={item.name} thumbnail={item.thumbnail} size={26} />
        <Link href={pathTo('items', item.id)} className={classes.name} title={`Id ${item.id}`}>
          {item.name}
        </Link>
        {mark !== undefined && <span className={classes.mark}>{mark}</span>}
      </span>
    ),
  },
  {
    header: 'Classifiers',
    isWideOnly: true,
    cell: ({ item }) => (
      <span className={classes.options}>
        {item.classifiers.map(({ classifierOption: { id, name } }) => {
          const option = options.get(id);
          return (
            <span key={id} className={classes.option} title={option?.classifierName}>
              <i className={classes.dot} style={{ background: option?.colour }} />
              {option?.name ?? name}
            </span>
          );
        })}
      </span>
    ),
  },
  {
    header: 'Cells',
    isNumber: true,
    isWideOnly: true,
    sortBy: ({ item }) => item.width * item.height,
    cell: ({ item }) => `${item.width} × ${item.height}`,
  },
  {
    header: 'Weight',
    isNumber: true,
    isWideOnly: true,
    sortBy: ({ weight }) => weight,
    cell: ({ weight }) => formatNumber(weight),
  },
  {
    header: 'Odds',
    isNumber: true,
    sortBy: ({ odds }) => odds,
    cell: ({ odds }) => (
      <span className={classes.odds} title={`${odds * 100} %`}>
        <b>{formatShare(odds)}</b>
        <span className={classes.oneIn}>{formatOneIn(odds)}</span>
      </span>
    ),
  },
];

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

const BY_ODDS = { header: 'Odds', isDescending: true };

const ItemTable = ({ items, odds }: { items: List<Schemas['Item']>; odds: readonly Schemas['ItemOdds'][] }) => {
  const options = useOptions();
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<string[]>([]);
  const rows = useRows(items.rows, odds);
  const looked = useDeferredValue(search.trim().toLowerCase());
  const found = useMemo(() => {
    const hasOptions = optionFilter(wanted, options);
    return looked === '' && wanted.length === 0
      ? rows
      : rows.filter(({ item, text }) => text.includes(looked) && hasOptions(item));
  }, [rows, looked, wanted, options]);
  const columns = useMemo(() => columnsOf(options), [options]);
  const all = formatMany(rows.length, 'item');
  const filters = useMemo(
    () => (
      <OptionSelect
        flex="1 1 220px"
        aria-label="Only items with these options"
        none="Any classifier option"
        options={options}
        value={wanted}
        onChange={setWanted}
      />
    ),
    [options, wanted],
  );
  const table = useMemo(
    () =>
      found.length === 0 ? (
        <EmptyCard title="No matching items" icon={IconSearch}>
          No item matches the search. Clear it to see {all}.
        </EmptyCard>
      ) : (
        <VirtualTable
          label="Items"
          columns={columns}
          rows={found}
          keyOf={({ item }) => item.id}
          sortedBy={BY_ODDS}
          maxHeight="max(320px, calc(100dvh - 250px))"
        />
      ),
    [found, columns, all],
  );
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TextInput
          flex="1 1 220px"
          aria-label="Search items by name or id"
          placeholder="Search by name or id"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {filters}
      </Group>
      {table}
      <Note role="status">
        {found.length === rows.length ? all : `${formatCount(found.length)} of ${all}`}
        {items.isTruncated && ' (the oldest; there are more than the console loads)'}
      </Note>
    </Stack>
  );
};

export const Items = () => {
  const items = useCatalogItems();
  const odds = useCatalogItemOdds();
  const isDraft = useActiveDraft() !== undefined;
  return (
    <ListPage
      kind="item"
      about={`What can be rolled and given to players. The odds are those of a plain roll over all items, ${isDraft ? 'as they will be once the draft is published' : 'computed exactly'}.`}
      create={<NewButton href="/new-item">New item</NewButton>}
      icon={IconSword}
      none="An item has a name, a weight and ranges for its attributes. Create the first one."
      queries={[items, odds]}
      lines={8}
    >
      {(list, rows) => <ItemTable items={list} odds={rows} />}
    </ListPage>
  );
};
