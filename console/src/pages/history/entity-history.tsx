import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { Kind } from '../../catalog/entities.ts';
import { useIsNew } from '../../catalog/marks.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { historyPath } from './history-filter.ts';
import { useVersions } from './versions.ts';

const SHOWN = 5;

/** The last versions that changed an entity. */
export const EntityHistory = ({ kind, id }: { kind: Kind; id: string }) => {
  const versions = useVersions({ kind, id }, SHOWN);
  const isNew = useIsNew(kind, id);
  const rows = versions.data?.slice(0, SHOWN) ?? [];
  return (
    <Card component="section" aria-label="History">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>History</Title>
          {rows.length > 0 && (
            <TextLink href={historyPath({ kind, id })} size="sm">
              All versions
            </TextLink>
          )}
        </Group>
        {rows.map(({ version, createdAt, author, message, changes }) => (
          <Group key={version} gap="xs" align="baseline">
            <TextLink href={`/history/${version}`} size="sm" fw={600}>
              Version {version}
            </TextLink>
            <Text size="sm" flex="1 1 160px" style={{ overflowWrap: 'anywhere' }}>
              {message ?? formatMany(changes, 'change')}
            </Text>
            <Text size="sm" c="dimmed">
              {author.name}, {formatMoment(createdAt)}
            </Text>
          </Group>
        ))}
        {versions.isSuccess && rows.length === 0 && (
          <Text size="sm" c="dimmed">
            {isNew ? 'It is new in the draft.' : 'No versions yet.'}
          </Text>
        )}
      </Stack>
    </Card>
  );
};
