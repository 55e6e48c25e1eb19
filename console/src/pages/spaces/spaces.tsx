import { Button } from '@mantine/core';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { EntityMenu } from '../../catalog/entity-menu.tsx';
import { ListPage } from '../../catalog/list-page.tsx';
import { NameWithBadge } from '../../catalog/marks.tsx';
import { useCatalogSpaces } from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { actions, type Column, DataTable } from '../../parts/data-table.tsx';
import { formatMany } from '../../parts/format.ts';
import { Detail } from '../../parts/text.tsx';
import { SpaceForm } from './space-form.tsx';
import { SpaceUsers } from './space-users.tsx';

type Space = Schemas['SpaceWithUserSpaces'];

/** A list of spaces contains at most this many user spaces of each. */
const MAX_LISTED = 100;

const usesOf = ({ userSpaces: { length } }: Space): string =>
  length < MAX_LISTED ? formatMany(length, 'bag') : `${MAX_LISTED} bags or more`;

export const Spaces = () => {
  const spaces = useCatalogSpaces();
  const [edited, setEdited] = useState<Space | 'new'>();
  const [shown, setShown] = useState<Space>();
  const columns: readonly Column<Space>[] = [
    {
      header: 'Name',
      sortBy: ({ name }) => name,
      cell: ({ id, name }) => (
        <>
          <NameWithBadge kind="space" id={id} name={name} />
          <Detail>{id}</Detail>
        </>
      ),
    },
    {
      header: 'Size',
      ta: 'right',
      sortBy: ({ cols, rows }) => cols * rows,
      cell: ({ cols, rows }) => `${cols} × ${rows}`,
    },
    {
      header: 'Used by',
      ta: 'right',
      sortBy: ({ userSpaces }) => userSpaces.length,
      cell: (space) =>
        space.userSpaces.length === 0 ? (
          'nobody'
        ) : (
          <Button variant="subtle" size="compact-sm" onClick={() => setShown(space)}>
            {usesOf(space)}
          </Button>
        ),
    },
    actions((space) => <EntityMenu kind="space" shown={space} onEdit={() => setEdited(space)} />),
  ];
  return (
    <ListPage
      kind="space"
      about="Kinds of bags, each a grid of columns and rows. A bag cannot shrink while that would cut off an item."
      create={<NewButton onClick={() => setEdited('new')}>New space</NewButton>}
      icon={IconLayoutGrid}
      none="A space is a kind of bag, such as a backpack of 10 by 6 cells. Players get bags of that kind."
      queries={[spaces]}
      dialog={
        <>
          {edited !== undefined && (
            <SpaceForm space={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
          )}
          {shown !== undefined && <SpaceUsers space={shown} onClose={() => setShown(undefined)} />}
        </>
      }
    >
      {({ rows }) => (
        <DataTable
          label="Spaces"
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          sortedBy={{ header: 'Name' }}
          minWidth={520}
          isCard
        />
      )}
    </ListPage>
  );
};
