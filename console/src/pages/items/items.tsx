import { Box, Group, Stack, TextInput } from '@mantine/core';
import { IconSearch, IconSword } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { List, Schemas } from '../../api/client.ts';
import { useActiveDraft } from '../../catalog/draft.ts';
import { ListPage } from '../../catalog/list-page.tsx';
import { DraftBadge } from '../../catalog/marks.tsx';
import { useCatalogItemOdds, useCatalogItems, useOptions } from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { type Column, DataTable, figures } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatNumber } from '../../parts/format.ts';
import { Empty } from '../../parts/loaded.tsx';
import { OptionBadges, OptionSelect, type OptionsById, optionIdsOf } from '../../parts/options.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { Detail, NameLink, pathTo } from '../../parts/text.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';

interface Row {
  readonly item: Schemas['Item'];
  readonly weight: number;
  readonly odds: number;
}

/** An item must have one of the wanted options of each classifier, as in a filtered roll. */
const hasOptions = (item: Schemas['Item'], wanted: readonly string[], options: OptionsById) => {
  const own = new Set(optionIdsOf(item));
  const byClassifier = Map.groupBy(wanted, (id) => options.get(id)?.classifierId);
  return [...byClassifier.values()].every((ids) => ids.some((id) => own.has(id)));
};

const columnsOf = (options: OptionsById, greatest: number): readonly Column<Row>[] => [
  {
    header: 'Item',
    sortBy: ({ item }) => item.name,
    cell: ({ item }) => (
      <Group gap="sm" wrap="nowrap">
        <Thumbnail name={item.name} thumbnail={item.thumbnail} size={40} />
        <Stack gap={0} miw={0}>
          <Group gap="xs">
            <NameLink href={pathTo('items', item.id)}>{item.name}</NameLink>
            <DraftBadge kind="item" id={item.id} />
          </Group>
          <Detail truncate maw={220} visibleFrom="sm">
            {item.id}
          </Detail>
          <Box hiddenFrom="sm" mt={4}>
            <OptionBadges of={item.classifiers} options={options} />
          </Box>
        </Stack>
      </Group>
    ),
  },
  {
    header: 'Classifiers',
    visibleFrom: 'sm',
    cell: ({ item }) => <OptionBadges of={item.classifiers} options={options} />,
  },
  {
    header: 'Cells',
    ta: 'right',
    visibleFrom: 'sm',
    sortBy: ({ item }) => item.width * item.height,
    cell: ({ item }) => `${item.width} × ${item.height}`,
  },
  figures('Weight', ({ weight }) => weight, formatNumber, { visibleFrom: 'sm' }),
  figures(
    'Odds',
    ({ odds }) => odds,
    (share) => <ShareBar share={share} greatest={greatest} />,
  ),
];

const ItemTable = ({ items, odds }: { items: List<Schemas['Item']>; odds: readonly Schemas['ItemOdds'][] }) => {
  const options = useOptions();
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<string[]>([]);

  const rows = useMemo(() => {
    const byId = new Map(odds.map((row) => [row.itemId, row]));
    return items.rows.map((item): Row => {
      const { weight = 0, odds: share = 0 } = byId.get(item.id) ?? {};
      return { item, weight, odds: share };
    });
  }, [items, odds]);
  const found = useMemo(() => {
    const text = search.trim().toLowerCase();
    return rows.filter(
      ({ item }) =>
        (text === '' || item.name.toLowerCase().includes(text) || item.id.toLowerCase().includes(text)) &&
        hasOptions(item, wanted, options),
    );
  }, [rows, search, wanted, options]);
  const all = formatMany(rows.length, 'item');

  return (
    <Stack>
      <Group gap="sm">
        <TextInput
          flex="1 1 220px"
          aria-label="Search items by name or id"
          placeholder="Search by name or id"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <OptionSelect
          flex="1 1 220px"
          aria-label="Only items with these options"
          none="Any classifier option"
          options={options}
          value={wanted}
          onChange={setWanted}
        />
      </Group>
      <DataTable
        label="Items"
        columns={columnsOf(options, Math.max(...rows.map((row) => row.odds)))}
        rows={found}
        keyOf={({ item }) => item.id}
        sortedBy={{ header: 'Odds', isDescending: true }}
        minWidth={720}
        isCard
        empty={
          <Empty title="No matching items" icon={IconSearch}>
            No item matches the search. Clear it to see {all}.
          </Empty>
        }
        count={found.length === rows.length ? all : `${formatCount(found.length)} of ${all}`}
        isTruncated={items.isTruncated}
      />
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
