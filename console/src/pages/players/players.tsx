import { Card, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconBackpack, IconSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { List, Schemas } from '../../interface/client.ts';
import { useUsers } from '../../interface/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { LinkButton, TextLink } from '../../parts/links.tsx';
import { ListFooter } from '../../parts/list-footer.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { pathTo } from '../../parts/path-id.ts';
import { SortHeader, useSorting } from '../../parts/sorting.tsx';
import { TableCard } from '../../parts/table-card.tsx';

type User = Schemas['User'];

const ROWS_PER_PAGE = 50;

const COLUMNS = {
  id: ({ id }: User) => id,
  externalId: ({ externalId }: User) => externalId ?? '',
  since: ({ createdAt }: User) => createdAt,
};

const UserTable = ({ users }: { users: List<User> }) => {
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const text = search.trim().toLowerCase();
  const found = useMemo(
    () =>
      users.rows.filter(
        ({ id, externalId }) => id.toLowerCase().includes(text) || (externalId ?? '').toLowerCase().includes(text),
      ),
    [users, text],
  );
  const { sorted, sorting } = useSorting(found, COLUMNS, 'since', true);
  const pages = Math.max(1, Math.ceil(sorted.length / ROWS_PER_PAGE));
  const shownPage = Math.min(page, pages);
  return (
    <Stack>
      <TextInput
        aria-label="Find players by id or external id"
        placeholder="Find by id or external id"
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {sorted.length === 0 ? (
        <Card>
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
        </Card>
      ) : (
        <TableCard label="Players" minWidth={520}>
          <Table.Thead>
            <Table.Tr>
              <SortHeader sorting={sorting} column="id">
                Id
              </SortHeader>
              <SortHeader sorting={sorting} column="externalId" visibleFrom="sm">
                External id
              </SortHeader>
              <SortHeader sorting={sorting} column="since">
                Since
              </SortHeader>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted
              .slice((shownPage - 1) * ROWS_PER_PAGE, shownPage * ROWS_PER_PAGE)
              .map(({ id, externalId, createdAt }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <TextLink href={pathTo('players', id)} fw={600} size="sm">
                      {id}
                    </TextLink>
                    <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
                      {externalId}
                    </Text>
                  </Table.Td>
                  <Table.Td visibleFrom="sm">{externalId ?? '–'}</Table.Td>
                  <Table.Td>{formatMoment(createdAt)}</Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </TableCard>
      )}
      <ListFooter page={shownPage} pages={pages} onPage={setPage} isTruncated={users.isTruncated}>
        {formatMany(sorted.length, 'player')}
      </ListFooter>
    </Stack>
  );
};

export const Players = () => {
  const users = useUsers();
  return (
    <Page title="Players" about="Their bags and items, pity and spark." curl={{ path: '/users' }}>
      <Loaded query={users} lines={8}>
        {(list) =>
          list.rows.length === 0 ? (
            <Empty title="No players yet" icon={IconBackpack}>
              Players are created by their first roll, item or bag.
            </Empty>
          ) : (
            <UserTable users={list} />
          )
        }
      </Loaded>
    </Page>
  );
};
