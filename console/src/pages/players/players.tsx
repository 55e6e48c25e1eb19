import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconBackpack, IconSearch } from '@tabler/icons-react';
import type { Schemas } from '../../api/client.ts';
import { useFoundUsers } from '../../api/requests.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Detail, NameLink, pathTo } from '../../parts/text.tsx';
import { useUrlState } from '../../parts/url-state.ts';

type User = Schemas['User'];

const COLUMNS: readonly Column<User>[] = [
  {
    header: 'Id',
    sortBy: ({ id }) => id,
    cell: ({ id, externalId }) => (
      <>
        <NameLink href={pathTo('players', id)}>{id}</NameLink>
        <Detail hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
          {externalId}
        </Detail>
      </>
    ),
  },
  {
    header: 'External id',
    visibleFrom: 'sm',
    sortBy: ({ externalId }) => externalId ?? '',
    cell: ({ externalId }) => externalId ?? '–',
  },
  { header: 'Since', sortBy: ({ createdAt }) => createdAt, cell: ({ createdAt }) => formatMoment(createdAt) },
];

export const Players = () => {
  const [search, setSearch] = useUrlState('q');
  const [prefix] = useDebouncedValue(search.trim(), 200);
  const found = useFoundUsers(prefix);
  const empty =
    prefix === '' ? (
      <Empty title="No players yet" icon={IconBackpack}>
        Players are created by their first roll, item or bag.
      </Empty>
    ) : (
      <Empty title="No matching players" icon={IconSearch}>
        No id or external id begins with "{prefix}". Upper and lower case differ.
      </Empty>
    );
  return (
    <Page
      title="Players"
      about="Their bags and items, pity and rolls."
      curl={{ path: prefix === '' ? '/users' : `/users?prefix=${encodeURIComponent(prefix)}` }}
    >
      <TextInput
        aria-label="Find players by the beginning of their id or external id"
        placeholder="Find by the beginning of an id or external id"
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Loaded query={found} lines={8}>
        {({ rows, isTruncated }) => (
          <DataTable
            key={prefix}
            label="Players"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            sortedBy={prefix === '' ? { header: 'Since', isDescending: true } : undefined}
            minWidth={520}
            verticalSpacing={7}
            isCard
            empty={empty}
            count={formatMany(rows.length, 'player')}
            isTruncated={isTruncated}
          />
        )}
      </Loaded>
    </Page>
  );
};
