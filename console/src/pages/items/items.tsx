import { Box, Group, MultiSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconPlus, IconSearch, IconSword } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useActiveDraft } from '../../catalog/draft.ts';
import { DeletedInDraft, DraftBadge } from '../../catalog/marks.tsx';
import { useCatalogItemOdds, useCatalogItems, useOptions } from '../../catalog/reads.ts';
import type { List, Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { type KnownOption, optionIdsOf } from '../../parts/catalog.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatCount, formatMany, formatNumber } from '../../parts/format.ts';
import { LinkButton, TextLink } from '../../parts/links.tsx';
import { ListFooter } from '../../parts/list-footer.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { OptionBadge } from '../../parts/option-badge.tsx';
import { Page } from '../../parts/page.tsx';
import { pathTo } from '../../parts/path-id.ts';
import { ShareBar } from '../../parts/share-bar.tsx';
import { SortHeader, useSorting } from '../../parts/sorting.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';

const ROWS_PER_PAGE = 50;

interface Row {
  readonly item: Schemas['Item'];
  readonly weight: number;
  readonly odds: number;
}

const COLUMNS = {
  name: ({ item }: Row) => item.name,
  size: ({ item }: Row) => item.width * item.height,
  weight: ({ weight }: Row) => weight,
  odds: ({ odds }: Row) => odds,
};

/** An item must have one of the wanted options of each classifier, as in a filtered roll. */
const hasOptions = (item: Schemas['Item'], wanted: readonly string[], options: ReadonlyMap<string, KnownOption>) => {
  const own = new Set(optionIdsOf(item));
  const byClassifier = Map.groupBy(wanted, (id) => options.get(id)?.classifierId);
  return [...byClassifier.values()].every((ids) => ids.some((id) => own.has(id)));
};

interface BadgesProps {
  readonly item: Schemas['Item'];
  readonly options: ReadonlyMap<string, KnownOption>;
}

const Badges = ({ item, options }: BadgesProps) => (
  <Group gap={4}>
    {item.classifiers.map(({ classifierOption: { id, name } }) => (
      <OptionBadge key={id} option={options.get(id)} name={name} />
    ))}
  </Group>
);

const ItemRow = ({
  row,
  options,
  greatest,
}: {
  row: Row;
  options: ReadonlyMap<string, KnownOption>;
  greatest: number;
}) => {
  const { item, weight, odds } = row;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Thumbnail name={item.name} thumbnail={item.thumbnail} size={40} />
          <Stack gap={0} miw={0}>
            <Group gap="xs">
              <TextLink href={pathTo('items', item.id)} fw={600} size="sm">
                {item.name}
              </TextLink>
              <DraftBadge kind="item" id={item.id} />
            </Group>
            <Text size="xs" c="dimmed" truncate maw={220} visibleFrom="sm">
              {item.id}
            </Text>
            <Box hiddenFrom="sm" mt={4}>
              <Badges item={item} options={options} />
            </Box>
          </Stack>
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Badges item={item} options={options} />
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {item.width} × {item.height}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {formatNumber(weight)}
      </Table.Td>
      <Table.Td>
        <ShareBar share={odds} greatest={greatest} />
      </Table.Td>
    </Table.Tr>
  );
};

const ItemTable = ({ items, odds }: { items: List<Schemas['Item']>; odds: readonly Schemas['ItemOdds'][] }) => {
  const options = useOptions();
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<string[]>([]);
  const [page, setPage] = useState(1);

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
  const { sorted, sorting } = useSorting(found, COLUMNS, 'odds', true);
  const pages = Math.max(1, Math.ceil(sorted.length / ROWS_PER_PAGE));
  const shownPage = Math.min(page, pages);
  const greatest = Math.max(...rows.map(({ odds: share }) => share));
  const groups = Map.groupBy(options.values(), ({ classifierName }) => classifierName);

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
        <MultiSelect
          flex="1 1 220px"
          aria-label="Only items with these options"
          placeholder={wanted.length === 0 ? 'Any classifier option' : ''}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the options' }}
          data={[...groups].map(([group, members]) => ({
            group,
            items: members.map(({ id, name }) => ({ value: id, label: name })),
          }))}
          value={wanted}
          onChange={setWanted}
        />
      </Group>
      <TableCard label="Items" minWidth={720}>
        <Table.Thead>
          <Table.Tr>
            <SortHeader sorting={sorting} column="name">
              Item
            </SortHeader>
            <Table.Th visibleFrom="sm">Classifiers</Table.Th>
            <SortHeader sorting={sorting} column="size" isNumeric visibleFrom="sm">
              Cells
            </SortHeader>
            <SortHeader sorting={sorting} column="weight" isNumeric visibleFrom="sm">
              Weight
            </SortHeader>
            <SortHeader sorting={sorting} column="odds" isNumeric>
              Odds
            </SortHeader>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.slice((shownPage - 1) * ROWS_PER_PAGE, shownPage * ROWS_PER_PAGE).map((row) => (
            <ItemRow key={row.item.id} row={row} options={options} greatest={greatest} />
          ))}
        </Table.Tbody>
      </TableCard>
      {sorted.length === 0 && (
        <Empty title="No matching items" icon={IconSearch}>
          No item matches the search. Clear it to see {formatMany(rows.length, 'item')}.
        </Empty>
      )}
      <ListFooter page={shownPage} pages={pages} onPage={setPage} isTruncated={items.isTruncated}>
        {sorted.length === rows.length
          ? formatMany(rows.length, 'item')
          : `${formatCount(sorted.length)} of ${formatMany(rows.length, 'item')}`}
      </ListFooter>
    </Stack>
  );
};

export const Items = () => {
  const items = useCatalogItems();
  const odds = useCatalogItemOdds();
  const isDraft = useActiveDraft() !== undefined;
  const { canDesign } = usePermissions();
  const create = canDesign && (
    <LinkButton href="/new-item" leftSection={<IconPlus size={16} />}>
      New item
    </LinkButton>
  );
  return (
    <Page
      title="Items"
      about={`What can be rolled and given to players. The odds are those of a plain roll over all items, ${isDraft ? 'as they will be once the draft is published' : 'computed exactly'}.`}
      curl={{ path: '/items' }}
      actions={create}
    >
      <Loaded query={items} lines={8}>
        {(list) =>
          list.rows.length === 0 ? (
            <Empty title="No items yet" icon={IconSword} action={create}>
              An item has a name, a weight and ranges for its attributes. Create the first one.
            </Empty>
          ) : (
            <Loaded query={odds} lines={8}>
              {(rows) => <ItemTable items={list} odds={rows} />}
            </Loaded>
          )
        }
      </Loaded>
      <DeletedInDraft kind="item" />
    </Page>
  );
};
