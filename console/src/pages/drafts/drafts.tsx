import { Badge, Group } from '@mantine/core';
import { IconFilePencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { usePermissions } from '../../api/requests.ts';
import type { DraftSummary } from '../../catalog/api.ts';
import { useChoice, useDrafts } from '../../catalog/draft.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Detail, NameLink, pathTo } from '../../parts/text.tsx';
import { NewDraft } from './new-draft.tsx';

const State = ({ draft }: { draft: DraftSummary }) => {
  const choice = useChoice();
  return (
    <Group gap={6}>
      {choice.to === 'draft' && choice.id === draft.id && <Badge color="yellow">you work on it</Badge>}
      {draft.publishAt !== null && <Badge color="blue">publishes {formatMoment(draft.publishAt)}</Badge>}
      {draft.failure !== null && <Badge color="red">could not be published</Badge>}
    </Group>
  );
};

const COLUMNS: readonly Column<DraftSummary>[] = [
  {
    header: 'Name',
    cell: (draft) => (
      <>
        <NameLink href={pathTo('drafts', draft.id)} style={{ overflowWrap: 'anywhere' }}>
          {draft.name}
        </NameLink>
        <Detail hiddenFrom="sm">
          {draft.author.name}, {formatMoment(draft.updatedAt)}
        </Detail>
        <State draft={draft} />
      </>
    ),
  },
  { header: 'By', visibleFrom: 'sm', cell: ({ author }) => author.name },
  { header: 'Last change', visibleFrom: 'sm', cell: ({ updatedAt }) => formatMoment(updatedAt) },
  { header: 'Changes', ta: 'right', cell: ({ count }) => formatMany(count, 'change') },
];

export const Drafts = () => {
  const drafts = useDrafts();
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const create = canDesign && <NewButton onClick={() => setCreating(true)}>New draft</NewButton>;
  const empty = (
    <Empty title="No drafts" icon={IconFilePencil} action={create}>
      Edit anything of the catalog, and a draft is started. Or create one with a name of its own.
    </Empty>
  );
  return (
    <Page
      title="Drafts"
      about="Changes that are collected until they are published together. Nothing is rolled on a draft."
      curl={{ path: '/catalog/drafts' }}
      actions={create}
    >
      <Loaded query={drafts} empty={empty}>
        {(rows) => (
          <DataTable label="Drafts" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} minWidth={640} isCard />
        )}
      </Loaded>
      {isCreating && <NewDraft onClose={() => setCreating(false)} onCreated={(id) => navigate(pathTo('drafts', id))} />}
    </Page>
  );
};
