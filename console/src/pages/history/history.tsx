import { Button, Group, Select } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { KINDS, type Kind, kindWords, pathOfEntity } from '../../catalog/entities.ts';
import { useNames } from '../../catalog/names.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { useHistoryFilter } from './history-filter.ts';
import { VersionTable } from './version-table.tsx';
import { useVersions, type VersionFilter } from './versions.ts';

const ROWS_PER_PAGE = 50;

const KIND_CHOICES = KINDS.map((kind) => ({ value: kind, label: kindWords(kind).many }));

const NO_CHANGES: never[] = [];

const Versions = ({ filter }: { filter: VersionFilter }) => {
  const versions = useVersions(filter, ROWS_PER_PAGE);
  if (versions.data === undefined)
    return versions.isError ? <Failure error={versions.error} retry={versions.refetch} /> : <Lines count={8} />;
  if (versions.data.length === 0)
    return (
      <Empty title="No versions found" icon={IconHistory}>
        Every change of the catalog makes a version, which is kept forever.
      </Empty>
    );
  return (
    <>
      <VersionTable versions={versions.data} />
      {versions.hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={versions.isFetchingNextPage} onClick={() => versions.fetchNextPage()}>
            Show older versions
          </Button>
        </Group>
      )}
    </>
  );
};

export const History = () => {
  const { filter, setFilter } = useHistoryFilter();
  const names = useNames(NO_CHANGES);
  const { kind, id } = filter;
  const isOne = kind !== undefined && id !== undefined;
  const query = new URLSearchParams({ ...filter }).toString();
  return (
    <Page
      title={isOne ? `History of ${names.of(id) ?? id}` : 'History'}
      about={
        isOne
          ? `The versions that changed this ${kindWords(kind).one}.`
          : 'Every change of the catalog is a version: who made it, when, and what it did to the odds. Any of them can be undone.'
      }
      back={isOne ? { href: pathOfEntity(kind, id), label: names.of(id) ?? kindWords(kind).many } : undefined}
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
