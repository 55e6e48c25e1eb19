import { Alert, Group, Text } from '@mantine/core';
import { IconArrowBackUp, IconInfoCircle, IconRestore } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { usePermissions } from '../../api/requests.ts';
import type { Proposal, VersionWithChanges } from '../../catalog/api.ts';
import { useCurrentVersion } from '../../catalog/draft.ts';
import { ChangeList } from '../../catalog/entity-diff.tsx';
import { useNames } from '../../catalog/names.ts';
import { PoolChange } from '../../catalog/odds-change.tsx';
import { ProposalDialog } from '../../catalog/plan-dialog.tsx';
import { IconButton } from '../../parts/buttons.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Note, usePathId } from '../../parts/text.tsx';
import { sourceInWords, useVersion } from './versions.ts';

const Details = ({ version }: { version: VersionWithChanges }) => {
  const names = useNames(version.changes);
  const { odds = [], oddsLeftOut = [] } = version;
  return (
    <>
      <Section title="Effect on the odds" label="Odds" gap="md">
        {odds.map((pool) => (
          <PoolChange key={pool.pool} odds={pool} />
        ))}
        {oddsLeftOut.length > 0 && (
          <Note>Also changed, but too much to compute here: {oddsLeftOut.map(({ name }) => name).join(', ')}.</Note>
        )}
        {odds.length + oddsLeftOut.length === 0 && <Note>No odds changed.</Note>}
      </Section>
      <Section title={formatMany(version.count, 'change')} label="Changes" gap="md">
        <ChangeList changes={version.changes} names={names} />
      </Section>
    </>
  );
};

interface Revert {
  readonly title: string;
  readonly about: string;
  readonly action: string;
  readonly proposal: Proposal;
  readonly message: string;
}

const undoOf = (version: number): Revert => ({
  title: `Undo version ${version}?`,
  about: `This takes back what version ${version} changed. Later versions stay. It becomes a new version, which can be undone as well.`,
  action: 'Undo this version',
  proposal: { undo: version },
  message: `Undo version ${version}`,
});

const restoreOf = (version: number): Revert => ({
  title: `Restore version ${version}?`,
  about: `This makes the whole catalog what it was at version ${version}. It becomes a new version, which can be undone as well.`,
  action: 'Restore this version',
  proposal: { rollbackTo: version },
  message: `Restore version ${version}`,
});

export const VersionPage = () => {
  const number = Number(usePathId());
  const version = useVersion(number);
  const current = useCurrentVersion().data;
  const { canDesign } = usePermissions();
  const [, navigate] = useLocation();
  const [revert, setRevert] = useState<Revert>();
  const { data } = version;
  const isCurrent = current === number;
  return (
    <Page
      title={`Version ${number}`}
      about={data && `${formatMoment(data.createdAt)}, by ${data.author.name} (${sourceInWords(data.source)})`}
      back={{ href: '/history', label: 'History' }}
      curl={{ path: `/catalog/versions/${number}` }}
      actions={
        canDesign &&
        data !== undefined && (
          <Group gap="xs">
            <IconButton icon={IconArrowBackUp} onClick={() => setRevert(undoOf(number))}>
              Undo this version
            </IconButton>
            {!isCurrent && (
              <IconButton icon={IconRestore} onClick={() => setRevert(restoreOf(number))}>
                Restore this version
              </IconButton>
            )}
          </Group>
        )
      }
    >
      {isCurrent && (
        <Alert color="blue" icon={<IconInfoCircle />} role="note">
          This is the current version of the catalog.
        </Alert>
      )}
      {data?.message != null && <Text style={{ overflowWrap: 'anywhere' }}>{data.message}</Text>}
      <Loaded query={version} lines={8}>
        {(loaded) => <Details version={loaded} />}
      </Loaded>
      {revert !== undefined && (
        <ProposalDialog
          {...revert}
          onCancel={() => setRevert(undefined)}
          onPublished={() => {
            setRevert(undefined);
            navigate('/history');
          }}
        />
      )}
    </Page>
  );
};
