import { Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import {
  type RollFilter,
  useDropRates,
  useEvidence,
  useItems,
  useRollStatistics,
  useTemplates,
} from '../../api/requests.ts';
import { IconButton } from '../../parts/buttons.tsx';
import type { Stream } from '../../parts/evidence.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { DropFilters, Drops } from './drops.tsx';
import { EvidenceCard } from './evidence-card.tsx';
import { csvOf, rowsOf, tiersOf } from './rows.ts';

const NO_STREAMS: readonly Stream[] = [];

const queryOf = (filter: RollFilter): string => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined) as [string, string][];
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

export const Statistics = () => {
  const [filter, setFilter] = useState<RollFilter>({});
  const { templateId, from, to } = filter;
  const templates = useTemplates();
  const rates = useDropRates(filter);
  const statistics = useRollStatistics(filter);
  const evidence = useEvidence().data;
  const items = useItems().data?.rows;
  // Evidence is about all days.
  const hasDates = from !== undefined || to !== undefined;
  const streams = useMemo(
    () =>
      evidence === undefined || hasDates
        ? NO_STREAMS
        : evidence.filter((stream) => templateId === undefined || stream.templateId === templateId),
    [evidence, hasDates, templateId],
  );
  const rows = useMemo(() => {
    const names = new Map(items?.map(({ id, name }) => [id, name]));
    return rowsOf(rates.data ?? [], streams, (id) => names.get(id));
  }, [rates.data, streams, items]);
  return (
    <Page
      title="Statistics"
      about="What players got, and whether it fits the odds."
      curl={{ path: `/roll-events/drop-rates${queryOf(filter)}` }}
      actions={
        <IconButton
          icon={IconDownload}
          disabled={rows.length === 0}
          onClick={() => saveFile(`drop-rates-${templateId ?? 'all'}.csv`, csvOf(rows), 'text/csv')}
        >
          Download CSV
        </IconButton>
      }
    >
      <EvidenceCard />
      <Title order={2}>Drops</Title>
      <DropFilters filter={filter} onChange={setFilter} templates={templates.data?.rows ?? []} />
      <Loaded query={rates} lines={8}>
        {() => (
          <Drops
            tiers={tiersOf(streams)}
            items={rows}
            rolled={statistics.data?.totalRolls ?? 0}
            compared={streams.reduce((sum, { rolls }) => sum + rolls, 0)}
            hasDates={hasDates}
          />
        )}
      </Loaded>
    </Page>
  );
};
