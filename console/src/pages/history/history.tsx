import { Badge, Button, Group, Select, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useLocation, useSearch } from 'wouter';
import { asSentence } from '../../api/client.ts';
import type { Version } from '../../catalog/api.ts';
import { historyPath, KINDS, type Kind, pathOfEntity } from '../../catalog/entities.ts';
import { useNames } from '../../catalog/names.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { formatMany, formatMoment } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Detail, NameLink, Note } from '../../parts/text.tsx';
import { sourceInWords, useVersions, type VersionFilter } from './versions.ts';

const ROWS_PER_PAGE = 50;

/** The filter of the history, kept in the URL, so that it can be linked to. */
const useHistoryFilter = (): { filter: VersionFilter; setFilter: (filter: VersionFilter) => void } => {
  const query = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const kind = KINDS.find((known) => known === query.get('kind'));
  const id = query.get('id');
  return {
    filter: { ...(kind !== undefined && { kind }), ...(id !== null && { id }) },
    setFilter: (filter) => navigate(historyPath(filter)),
  };
};

const KIND_CHOICES = KINDS.map((kind) => ({ value: kind, label: asSentence(`${kind}s`) }));

const COLUMNS: readonly Column<Version>[] = [
  {
    header: 'Version',
    w: 130,
    style: { verticalAlign: 'top' },
    cell: ({ version, changes }) => (
      <>
        <NameLink href={`/history/${version}`} style={{ whiteSpace: 'nowrap' }}>
          Version {version}
        </NameLink>
        <Detail visibleFrom="sm">{formatMany(changes, 'change')}</Detail>
      </>
    ),
  },
  {
    header: 'Message',
    style: { overflowWrap: 'anywhere' },
    cell: ({ message, changes, author, createdAt }) => (
      <>
        {message === null ? <Note>No message</Note> : <Text size="sm">{message}</Text>}
        <Detail hiddenFrom="sm">
          {formatMany(changes, 'change')} by {author.name}, {formatMoment(createdAt)}
        </Detail>
      </>
    ),
  },
  {
    header: 'By',
    visibleFrom: 'sm',
    cell: ({ author, source }) => (
      <Group gap={6} wrap="nowrap">
        {author.name}
        <Badge color="gray" size="sm" miw="max-content">
          {sourceInWords(source)}
        </Badge>
      </Group>
    ),
  },
  {
    header: 'When',
    visibleFrom: 'sm',
    style: { whiteSpace: 'nowrap' },
    cell: ({ createdAt }) => formatMoment(createdAt),
  },
];

const Versions = ({ filter }: { filter: VersionFilter }) => {
  const versions = useVersions(filter, ROWS_PER_PAGE);
  const empty = (
    <Empty title="No versions found" icon={IconHistory}>
      Every change of the catalog makes a version, which is kept forever.
    </Empty>
  );
  return (
    <Loaded query={versions} lines={8} empty={empty}>
      {(rows) => (
        <>
          <DataTable
            label="Versions"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ version }) => version}
            minWidth={640}
            isCard
          />
          {versions.hasNextPage && (
            <Group justify="center">
              <Button variant="default" loading={versions.isFetchingNextPage} onClick={() => versions.fetchNextPage()}>
                Show older versions
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  );
};

export const History = () => {
  const { filter, setFilter } = useHistoryFilter();
  const names = useNames();
  const { kind, id } = filter;
  const isOne = kind !== undefined && id !== undefined;
  const query = new URLSearchParams({ ...filter }).toString();
  return (
    <Page
      title={isOne ? `History of ${names.of(id) ?? id}` : 'History'}
      about={
        isOne
          ? `The versions that changed this ${kind}.`
          : 'Every change of the catalog is a version: who made it, when, and what it did to the odds. Any of them can be undone.'
      }
      back={isOne ? { href: pathOfEntity(kind, id), label: names.of(id) ?? asSentence(`${kind}s`) } : undefined}
      curl={{ path: `/catalog/versions${query === '' ? '' : `?${query}`}` }}
    >
      {isOne ? (
        <Group>
          <Button variant="default" size="xs" onClick={() => setFilter({})}>
            Show all versions
          </Button>
        </Group>
      ) : (
        <Select
          label="Only changes of"
          placeholder="anything"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the filter' }}
          maw={240}
          data={KIND_CHOICES}
          value={kind ?? null}
          onChange={(chosen) => setFilter(chosen === null ? {} : { kind: chosen as Kind })}
        />
      )}
      <Versions key={query} filter={filter} />
    </Page>
  );
};
