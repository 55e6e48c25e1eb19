import { Stack, TextInput } from '@mantine/core';
import { IconBackpack, IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { List, Schemas } from '../../api/client.ts';
import { useUsers } from '../../api/requests.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Detail, LinkButton, NameLink, pathTo } from '../../parts/text.tsx';

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

const UserTable = ({ users }: { users: List<User> }) => {
  const [search, setSearch] = useState('');
  const text = search.trim().toLowerCase();
  const found = useMemo(
    () =>
      users.rows.filter(
        ({ id, externalId }) => id.toLowerCase().includes(text) || (externalId ?? '').toLowerCase().includes(text),
      ),
    [users, text],
  );
  return (
    <Stack>
      <TextInput
        aria-label="Find players by id or external id"
        placeholder="Find by id or external id"
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <DataTable
        label="Players"
        columns={COLUMNS}
        rows={found}
        keyOf={({ id }) => id}
        sortedBy={{ header: 'Since', isDescending: true }}
        minWidth={520}
        isCard
        empty={
          <Empty
            title="No matching players"
            icon={IconSearch}
            action={
              users.isTruncated ? (
                <LinkButton href={pathTo('players', search.trim())} variant="default">
                  Open the id {search.trim()}
                </LinkButton>
              ) : undefined
            }
          >
            {users.isTruncated
              ? 'There are more players than the console loads; others can be opened by id.'
              : 'Players appear with their first roll, item or bag.'}
          </Empty>
        }
        count={formatMany(found.length, 'player')}
        isTruncated={users.isTruncated}
      />
    </Stack>
  );
};

export const Players = () => {
  const empty = (
    <Empty title="No players yet" icon={IconBackpack}>
      Players are created by their first roll, item or bag.
    </Empty>
  );
  return (
    <Page title="Players" about="Their bags and items, pity and spark." curl={{ path: '/users' }}>
      <Loaded query={useUsers()} lines={8} empty={empty}>
        {(users) => <UserTable users={users} />}
      </Loaded>
    </Page>
  );
};
