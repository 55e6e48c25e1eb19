import { Card, Grid, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { explain, type Schemas } from '../../api/client.ts';
import {
  useDropRates,
  useFirstUsers,
  useItemOdds,
  useItems,
  useRollStatistics,
  useTemplates,
} from '../../api/requests.ts';
import { formatCount, formatDay, formatMany } from '../../parts/format.ts';
import { AllLoaded, Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Note, pathTo, TextLink } from '../../parts/text.tsx';
import { DraftFailures, OddsAlarms } from './alarms.tsx';
import { CatalogFaults } from './catalog-faults.tsx';
import { dayBefore, everyDay } from './days.ts';
import { DropList } from './drop-list.tsx';
import { FirstSteps } from './first-steps.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

const DAYS = 30;
const MAX_SOURCES = 5;

interface TotalProps {
  readonly label: string;
  readonly href: string;
  readonly value: string | undefined;
  /** Why there is no value. */
  readonly error: Error | null;
}

const Total = ({ label, href, value, error }: TotalProps) => (
  <Card padding="md">
    <Note>
      <TextLink href={href} c="dimmed">
        {label}
      </TextLink>
    </Note>
    {value === undefined && error === null && <Skeleton height={30} width={70} mt={4} />}
    {value === undefined && error !== null && <Note c="red">{explain(error)}</Note>}
    {value !== undefined && (
      <Text fz={26} fw={650} lh={1.3} className="numeric">
        {value}
      </Text>
    )}
  </Card>
);

const counted = (list: { rows: readonly unknown[]; isTruncated: boolean } | undefined): string | undefined =>
  list && `${formatCount(list.rows.length)}${list.isTruncated ? '+' : ''}`;

const RollsByDay = () => {
  const today = new Date().toISOString().slice(0, 10);
  const from = dayBefore(today, DAYS - 1);
  const statistics = useRollStatistics({ from, to: today });
  return (
    <Section title="Rolls by day" h="100%">
      <Loaded query={statistics} lines={5}>
        {({ rollsByDay, totalRolls }) => {
          const [busiest] = rollsByDay.toSorted((one, other) => other.count - one.count);
          if (busiest === undefined)
            return (
              <Empty title={`No rolls in the last ${DAYS} days`} icon={IconChartBar}>
                Rolls of your game appear here.
              </Empty>
            );
          return (
            <>
              <Note>
                {formatMany(totalRolls, 'item')} rolled in the last {DAYS} days (UTC), most on {formatDay(busiest.date)}
                : {formatCount(busiest.count)}.
              </Note>
              <div aria-hidden="true">
                <Suspense fallback={<Skeleton height={230} />}>
                  <DayChart days={everyDay(rollsByDay, from, today)} />
                </Suspense>
              </div>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
};

interface SourcesProps {
  readonly templates: readonly Schemas['Template'][];
  readonly statistics: Schemas['RollStatistics'];
}

/** Where rolls come from: templates, and plain rolls over all items. */
const Sources = ({ templates, statistics }: SourcesProps) => {
  const { totalRolls, rollsByTemplate } = statistics;
  const byTemplates = Object.values(rollsByTemplate).reduce((sum, count) => sum + count, 0);
  const rows = [
    ...templates.map(({ id, name }) => ({ name, href: pathTo('templates', id), count: rollsByTemplate[id] ?? 0 })),
    { name: 'Plain rolls', href: '/roll-lab', count: totalRolls - byTemplates },
  ].sort((one, other) => other.count - one.count);
  return (
    <Stack gap={6}>
      {rows.slice(0, MAX_SOURCES).map(({ name, href, count }) => (
        <Group key={href} gap="sm" wrap="nowrap">
          <TextLink href={href} flex={1} truncate>
            {name}
          </TextLink>
          <Note className="numeric">{formatCount(count)}</Note>
        </Group>
      ))}
    </Stack>
  );
};

const Drops = () => {
  const rates = useDropRates();
  const items = useItems();
  /** The rarest first, preceded by those that never dropped; the API lists only what was rolled. */
  const leastOf = (rows: readonly Schemas['DropRate'][]): Schemas['DropRate'][] => {
    if (rows.length === 0) return [];
    const seen = new Set(rows.map(({ itemId }) => itemId));
    const never = (items.data?.rows ?? []).filter(({ id }) => !seen.has(id));
    return [
      ...never.map(({ id, name }) => ({ itemId: id, itemName: name, dropCount: 0, dropRate: 0 })),
      ...rows.toReversed(),
    ];
  };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <Section title="Most dropped">
        <Loaded query={rates}>{(rows) => <DropList rows={rows.slice(0, 6)} />}</Loaded>
      </Section>
      <Section title="Least dropped">
        <Loaded query={rates}>{(rows) => <DropList rows={leastOf(rows).slice(0, 6)} />}</Loaded>
      </Section>
    </SimpleGrid>
  );
};

export const Overview = () => {
  const items = useItems();
  const templates = useTemplates();
  const users = useFirstUsers();
  const statistics = useRollStatistics();
  const odds = useItemOdds();
  const rolled = statistics.data;
  const isNew = items.data?.rows.length === 0 && rolled?.totalRolls === 0;
  return (
    <Page title="Overview" about="Your game at a glance." curl={{ path: '/roll-events/stats' }}>
      <DraftFailures />
      {templates.data !== undefined && <OddsAlarms templates={templates.data.rows} />}
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Total label="Items" href="/items" value={counted(items.data)} error={items.error} />
        <Total label="Templates" href="/templates" value={counted(templates.data)} error={templates.error} />
        <Total label="Players" href="/players" value={counted(users.data)} error={users.error} />
        <Total
          label="Items rolled"
          href="/statistics"
          value={rolled && formatCount(rolled.totalRolls)}
          error={statistics.error}
        />
      </SimpleGrid>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>{isNew ? <FirstSteps /> : <RollsByDay />}</Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Section title="Catalog health" h="100%">
            <AllLoaded queries={[odds, templates, items]}>
              {(rows, list, known) => <CatalogFaults odds={rows} templates={list.rows} items={known.rows} />}
            </AllLoaded>
            {rolled !== undefined && rolled.totalRolls > 0 && (
              <>
                <Title order={2} mt="lg">
                  Where rolls come from
                </Title>
                <Sources templates={templates.data?.rows ?? []} statistics={rolled} />
              </>
            )}
          </Section>
        </Grid.Col>
      </Grid>
      {!isNew && <Drops />}
    </Page>
  );
};
