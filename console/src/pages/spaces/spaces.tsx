import { Button, Group, Table, Text } from '@mantine/core';
import { IconLayoutGrid, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { entityOf } from '../../catalog/entities.ts';
import { DeletedInDraft, DraftBadge } from '../../catalog/marks.tsx';
import { useCatalogSpaces } from '../../catalog/reads.ts';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatMany } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { SortHeader, useSorting } from '../../parts/sorting.tsx';
import { ActionsHeader, TableCard } from '../../parts/table-card.tsx';
import { historyPath } from '../history/history-filter.ts';
import { SpaceForm } from './space-form.tsx';
import { SpaceUsers } from './space-users.tsx';

type Space = Schemas['SpaceWithUserSpaces'];

const COLUMNS = {
  name: ({ name }: Space) => name,
  size: ({ cols, rows }: Space) => cols * rows,
  uses: ({ userSpaces }: Space) => userSpaces.length,
};

/** A list of spaces contains at most this many user spaces of each. */
const MAX_LISTED = 100;

const usesOf = ({ userSpaces: { length } }: Space): string =>
  length < MAX_LISTED ? formatMany(length, 'bag') : `${MAX_LISTED} bags or more`;

interface SpaceTableProps {
  readonly spaces: readonly Space[];
  readonly onEdit: (space: Space) => void;
  readonly onShowUsers: (space: Space) => void;
}

const SpaceTable = ({ spaces, onEdit, onShowUsers }: SpaceTableProps) => {
  const { canDesign } = usePermissions();
  const { sorted, sorting } = useSorting(spaces, COLUMNS, 'name');
  const remove = useCatalogChange({
    kind: 'space',
    edit: (space: Space) => ({ before: entityOf('space', space), after: null }),
    done: ({ before }) => `${before?.name} deleted`,
    failed: 'Could not delete',
  });
  return (
    <TableCard label="Spaces" minWidth={520}>
      <Table.Thead>
        <Table.Tr>
          <SortHeader sorting={sorting} column="name">
            Name
          </SortHeader>
          <SortHeader sorting={sorting} column="size" isNumeric>
            Size
          </SortHeader>
          <SortHeader sorting={sorting} column="uses" isNumeric>
            Used by
          </SortHeader>
          <ActionsHeader />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sorted.map((space) => (
          <Table.Tr key={space.id}>
            <Table.Td>
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {space.name}
                </Text>
                <DraftBadge kind="space" id={space.id} />
              </Group>
              <Text size="xs" c="dimmed">
                {space.id}
              </Text>
            </Table.Td>
            <Table.Td ta="right">
              {space.cols} × {space.rows}
            </Table.Td>
            <Table.Td ta="right">
              {space.userSpaces.length === 0 ? (
                'nobody'
              ) : (
                <Button variant="subtle" size="compact-sm" onClick={() => onShowUsers(space)}>
                  {usesOf(space)}
                </Button>
              )}
            </Table.Td>
            <Table.Td>
              <Group justify="flex-end">
                <RowMenu
                  of={space.name}
                  history={historyPath({ kind: 'space', id: space.id })}
                  onEdit={canDesign ? () => onEdit(space) : undefined}
                  onDelete={canDesign ? () => remove.mutate(space) : undefined}
                />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
};

export const Spaces = () => {
  const spaces = useCatalogSpaces();
  const { canDesign } = usePermissions();
  const [edited, setEdited] = useState<Space | 'new'>();
  const [shown, setShown] = useState<Space>();
  const create = canDesign && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
      New space
    </Button>
  );
  return (
    <Page
      title="Spaces"
      about="Kinds of bags, each a grid of columns and rows. A bag cannot shrink while that would cut off an item."
      curl={{ path: '/spaces' }}
      actions={create}
    >
      <Loaded query={spaces}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No spaces yet" icon={IconLayoutGrid} action={create}>
              A space is a kind of bag, such as a backpack of 10 by 6 cells. Players get bags of that kind.
            </Empty>
          ) : (
            <SpaceTable spaces={rows} onEdit={setEdited} onShowUsers={setShown} />
          )
        }
      </Loaded>
      <DeletedInDraft kind="space" />
      {edited !== undefined && (
        <SpaceForm space={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {shown !== undefined && <SpaceUsers space={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
};
