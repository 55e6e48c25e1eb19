import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { IconFilePencil, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { DraftSummary } from '../../catalog/api.ts';
import { storeChoice, useChoice, useTeamId } from '../../catalog/choice.ts';
import { useDrafts } from '../../catalog/draft.ts';
import { usePermissions } from '../../interface/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { pathTo } from '../../parts/path-id.ts';
import { TableCard } from '../../parts/table-card.tsx';
import { NewDraft } from './new-draft.tsx';

const State = ({ draft }: { draft: DraftSummary }) => {
  const choice = useChoice();
  return (
    <Group gap={6}>
      {choice.to === 'draft' && choice.id === draft.id && (
        <Badge variant="light" color="yellow">
          you work on it
        </Badge>
      )}
      {draft.publishAt !== null && (
        <Badge variant="light" color="blue">
          publishes {formatMoment(draft.publishAt)}
        </Badge>
      )}
      {draft.failure !== null && (
        <Badge variant="light" color="red">
          could not be published
        </Badge>
      )}
    </Group>
  );
};

const DraftTable = ({ drafts }: { drafts: readonly DraftSummary[] }) => (
  <TableCard label="Drafts" minWidth={640}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Name</Table.Th>
        <Table.Th visibleFrom="sm">By</Table.Th>
        <Table.Th visibleFrom="sm">Last change</Table.Th>
        <Table.Th ta="right">Changes</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {drafts.map((draft) => (
        <Table.Tr key={draft.id}>
          <Table.Td>
            <TextLink href={pathTo('drafts', draft.id)} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {draft.name}
            </TextLink>
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {draft.author.name}, {formatMoment(draft.updatedAt)}
            </Text>
            <State draft={draft} />
          </Table.Td>
          <Table.Td visibleFrom="sm">{draft.author.name}</Table.Td>
          <Table.Td visibleFrom="sm">{formatMoment(draft.updatedAt)}</Table.Td>
          <Table.Td ta="right">{formatMany(draft.count, 'change')}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </TableCard>
);

export const Drafts = () => {
  const drafts = useDrafts();
  const { canDesign } = usePermissions();
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const create = canDesign && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      New draft
    </Button>
  );
  return (
    <Page
      title="Drafts"
      about="Changes that are collected until they are published together. Nothing is rolled on a draft."
      curl={{ path: '/catalog/drafts' }}
      actions={create}
    >
      <Loaded query={drafts}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No drafts" icon={IconFilePencil} action={create}>
              Edit anything of the catalog, and a draft is started. Or create one with a name of its own.
            </Empty>
          ) : (
            <DraftTable drafts={rows} />
          )
        }
      </Loaded>
      {isCreating && (
        <NewDraft
          onClose={() => setCreating(false)}
          onCreated={(id) => {
            storeChoice(teamId, { to: 'draft', id });
            navigate(pathTo('drafts', id));
          }}
        />
      )}
    </Page>
  );
};
