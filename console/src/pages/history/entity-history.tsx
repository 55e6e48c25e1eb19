import { Group, Text } from '@mantine/core';
import { historyPath, type Kind } from '../../catalog/entities.ts';
import { useIsNew } from '../../catalog/marks.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { Note } from '../../parts/note.tsx';
import { Section } from '../../parts/section.tsx';
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
      aside={
        rows.length > 0 && (
          <TextLink href={historyPath({ kind, id })} size="sm">
            All versions
          </TextLink>
        )
      }
    >
      {rows.map(({ version, createdAt, author, message, changes }) => (
        <Group key={version} gap="xs" align="baseline">
          <TextLink href={`/history/${version}`} size="sm" fw={600}>
            Version {version}
          </TextLink>
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
