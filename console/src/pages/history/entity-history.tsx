import { Group, Text } from '@mantine/core';
import { historyPath, type Kind } from '../../catalog/entities.ts';
import { useIsNew } from '../../catalog/marks.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { Section } from '../../parts/section.tsx';
import { NameLink, Note, TextLink } from '../../parts/text.tsx';
import { useVersions } from './versions.ts';

const SHOWN = 5;

/** The last versions that changed an entity. */
export const EntityHistory = ({ kind, id }: { kind: Kind; id: string }) => {
  const versions = useVersions({ kind, id }, SHOWN);
  const isNew = useIsNew(kind, id);
  const rows = versions.data?.slice(0, SHOWN) ?? [];
  return (
    <Section
      title="History"
      aside={rows.length > 0 && <TextLink href={historyPath({ kind, id })}>All versions</TextLink>}
    >
      {rows.map(({ version, createdAt, author, message, changes }) => (
        <Group key={version} gap="xs" align="baseline">
          <NameLink href={`/history/${version}`}>Version {version}</NameLink>
          <Text size="sm" flex="1 1 160px" style={{ overflowWrap: 'anywhere' }}>
            {message ?? formatMany(changes, 'change')}
          </Text>
          <Note>
            {author.name}, {formatMoment(createdAt)}
          </Note>
        </Group>
      ))}
      {versions.isSuccess && rows.length === 0 && <Note>{isNew ? 'It is new in the draft.' : 'No versions yet.'}</Note>}
    </Section>
  );
};
