import { Badge, Group, Table, Text } from '@mantine/core';
import type { Version } from '../../catalog/api.ts';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import { sourceInWords } from './versions.ts';

const VersionRow = ({ version }: { version: Version }) => {
  const { version: number, createdAt, author, source, message, changes } = version;
  return (
    <Table.Tr>
      <Table.Td style={{ verticalAlign: 'top' }}>
        <TextLink href={`/history/${number}`} fw={600} size="sm" style={{ whiteSpace: 'nowrap' }}>
          Version {number}
        </TextLink>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {formatMany(changes, 'change')}
        </Text>
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {message === null ? (
          <Text size="sm" c="dimmed">
            No message
          </Text>
        ) : (
          <Text size="sm">{message}</Text>
        )}
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {formatMany(changes, 'change')} by {author.name}, {formatMoment(createdAt)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Group gap={6} wrap="nowrap">
          <Text size="sm">{author.name}</Text>
          <Badge variant="light" color="gray" size="sm" miw="max-content">
            {sourceInWords(source)}
          </Badge>
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
        <Text size="sm">{formatMoment(createdAt)}</Text>
      </Table.Td>
    </Table.Tr>
  );
};

export const VersionTable = ({ versions }: { versions: readonly Version[] }) => (
  <TableCard label="Versions" minWidth={640}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th w={130}>Version</Table.Th>
        <Table.Th>Message</Table.Th>
        <Table.Th visibleFrom="sm">By</Table.Th>
        <Table.Th visibleFrom="sm">When</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {versions.map((version) => (
        <VersionRow key={version.version} version={version} />
      ))}
    </Table.Tbody>
  </TableCard>
);
