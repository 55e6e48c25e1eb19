import { Card, Grid, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import {
  useDropRates,
  useFirstUsers,
  useItemOdds,
  useItems,
  useRollStatistics,
  useTemplates,
} from '../../interface/queries.ts';
import { formatCount } from '../../parts/format.ts';
import { TextLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { CatalogFaults } from './catalog-faults.tsx';
import { dayBefore, everyDay } from './days.ts';
import { DropList } from './drop-list.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

const DAYS = 30;

const Total = ({ label, href, value }: { label: string; href: string; value: string | undefined }) => (
  <Card padding="md">
    <Text size="sm" c="dimmed">
      <TextLink href={href} c="dimmed">
        {label}
      </TextLink>
    </Text>
    {value === undefined ? (
      <Skeleton height={30} width={70} mt={4} />
    ) : (
      <Text fz={26} fw={650} lh={1.3} className="numeric">
        {value}
      </Text>
    )}
  </Card>
);

const counted = (list: { rows: readonly unknown[]; isCut: boolean } | undefined): string | undefined =>
  list && `${formatCount(list.rows.length)}${list.isCut ? '+' : ''}`;

const RollsByDay = () => {
  const today = new Date().toISOString().slice(0, 10);
  const from = dayBefore(today, DAYS - 1);
  const statistics = useRollStatistics({ from, to: today });
  return (
    <Card component="section" aria-label="Rolls by day" h="100%">
      <Stack gap="sm">
        <Title order={2}>Rolls by day</Title>
        <Loaded query={statistics} lines={5}>
          {({ rollsByDay, totalRolls }) => (
            <>
              <Text size="sm" c="dimmed">
                {formatCount(totalRolls)} items rolled in the last {DAYS} days (UTC).
              </Text>
              <div aria-hidden="true">
                <Suspense fallback={<Skeleton height={230} />}>
                  <DayChart days={everyDay(rollsByDay, from, today)} />
                </Suspense>
              </div>
            </>
          )}
        </Loaded>
      </Stack>
    </Card>
  );
};

const Drops = () => {
  const rates = useDropRates();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <Card component="section" aria-label="Most dropped">
        <Stack gap="sm">
          <Title order={2}>Most dropped</Title>
          <Loaded query={rates}>{(rows) => <DropList rows={rows.slice(0, 6)} />}</Loaded>
        </Stack>
      </Card>
      <Card component="section" aria-label="Least dropped">
        <Stack gap="sm">
          <Title order={2}>Least dropped</Title>
          <Loaded query={rates}>{(rows) => <DropList rows={rows.toReversed().slice(0, 6)} />}</Loaded>
        </Stack>
      </Card>
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
  return (
    <Page title="Overview" about="Your game at a glance." curl={{ path: '/roll-events/stats' }}>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Total label="Items" href="/items" value={counted(items.data)} />
        <Total label="Templates" href="/templates" value={counted(templates.data)} />
        <Total label="Players" href="/players" value={counted(users.data)} />
        <Total label="Items rolled" href="/statistics" value={rolled && formatCount(rolled.totalRolls)} />
      </SimpleGrid>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <RollsByDay />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Card component="section" aria-label="Health of the catalog" h="100%">
            <Stack gap="sm">
              <Group justify="space-between">
                <Title order={2}>Health of the catalog</Title>
              </Group>
              <Loaded query={odds}>
                {(rows) => (
                  <Loaded query={templates}>
                    {(list) => (
                      <Loaded query={items}>
                        {(known) => <CatalogFaults odds={rows} templates={list.rows} items={known.rows} />}
                      </Loaded>
                    )}
                  </Loaded>
                )}
              </Loaded>
            </Stack>
          </Card>
        </Grid.Col>
      </Grid>
      <Drops />
    </Page>
  );
};
