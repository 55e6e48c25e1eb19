import { Box, Card, Group, NumberInput, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Schemas } from '../../interface/client.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { Copy } from '../../parts/copy.tsx';
import { formatNumber } from '../../parts/format.ts';
import { disclosureOf } from './disclosure.ts';
import { ItemOddsTable } from './item-odds-table.tsx';
import { SYSTEMS } from './systems.ts';
import type { TemplateType } from './template-values.ts';
import { TierBars } from './tier-bars.tsx';

const CurveChart = lazy(async () => ({ default: (await import('./curve-chart.tsx')).CurveChart }));

interface OddsPanelProps {
  readonly name: string;
  readonly type: TemplateType;
  readonly odds: Schemas['ConfigOdds'];
  /** The depth of these odds; 0 for other systems. */
  readonly depth: number;
  readonly options: ReadonlyMap<string, KnownOption>;
  /** Whether newer odds are being computed. */
  readonly isOld: boolean;
  /** What the odds depend on, such as the depth. */
  readonly children?: ReactNode;
}

const formatRolls = (rolls: number | null, otherwise: string): string =>
  rolls === null ? otherwise : formatNumber(Number(rolls.toFixed(2)));

/** Base and effective odds, how long the top tier takes, and what it costs. */
export const OddsPanel = ({ name, type, odds, depth, options, isOld, children }: OddsPanelProps) => {
  const [price, setPrice] = useState<number | string>('');
  const { rolls, roll, oneRoll } = SYSTEMS[type];
  const [top] = odds.tiers;
  const cost = price === '' ? undefined : Number(price);

  return (
    <Stack gap="lg" style={{ opacity: isOld ? 0.6 : 1, transition: 'opacity 120ms' }} aria-busy={isOld}>
      <Card component="section" aria-label="Odds of the tiers">
        <Stack gap="md">
          <Group justify="space-between" align="flex-end">
            <Title order={2}>Odds</Title>
            <Copy text={disclosureOf(name, type, odds, depth)} label="Copy disclosure" size="xs" disabled={isOld} />
          </Group>
          {children}
          <TierBars tiers={odds.tiers} options={options} />
          <Table.ScrollContainer minWidth={340} type="native" tabIndex={0}>
            <Table verticalSpacing={6} horizontalSpacing={6} aria-label={`${rolls} until the first of each tier`}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>First one, in {rolls}</Table.Th>
                  <Table.Th ta="right">Mean</Table.Th>
                  <Table.Th ta="right">Median</Table.Th>
                  <Table.Th ta="right">Maximum</Table.Th>
                  {cost !== undefined && <Table.Th ta="right">Mean cost</Table.Th>}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {odds.tiers.map((tier) => (
                  <Table.Tr key={tier.tier ?? ''}>
                    <Table.Td>{tier.name ?? 'Any item'}</Table.Td>
                    <Table.Td ta="right">{formatRolls(tier.expectedRolls, 'never')}</Table.Td>
                    <Table.Td ta="right">{formatRolls(tier.medianRolls, 'never')}</Table.Td>
                    <Table.Td ta="right">{formatRolls(tier.worstRolls, 'no limit')}</Table.Td>
                    {cost !== undefined && (
                      <Table.Td ta="right">
                        {tier.expectedRolls === null
                          ? '–'
                          : formatNumber(Number((tier.expectedRolls * cost).toFixed(2)))}
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <NumberInput
            label={`Price of ${oneRoll}`}
            description="Shows the mean cost. Not saved."
            placeholder="e.g. 160"
            maw={320}
            min={0}
            value={price}
            onChange={setPrice}
          />
        </Stack>
      </Card>
      {top !== undefined && top.base < 1 && odds.curve.length > 0 && (
        <Card component="section" aria-label="Chance of the top tier over time">
          <Stack gap="sm">
            <Title order={2}>
              {top.name ?? 'First item'} by {roll} number
            </Title>
            <Text size="sm" c="dimmed">
              {top.medianRolls !== null &&
                `Half of all players have one by ${roll} ${formatNumber(top.medianRolls)}; on average it takes ${formatRolls(top.expectedRolls, '')}.`}
            </Text>
            <Box aria-hidden>
              <Suspense fallback={<Skeleton height={210} />}>
                <CurveChart curve={odds.curve} rolls={rolls} median={top.medianRolls} />
              </Suspense>
            </Box>
          </Stack>
        </Card>
      )}
      <Card component="section" aria-label="Odds of the items">
        <Stack gap="sm">
          <Title order={2}>Items</Title>
          <ItemOddsTable items={odds.items} options={options} />
          <Text size="xs" c="dimmed">
            Base: without pity and guarantee{type === 'roguelike' ? `, at depth ${depth}` : ''}. Effective: in the long
            run, with every rule except spark. Both are shares of all items rolled. Mean: {rolls} until the first one.
          </Text>
        </Stack>
      </Card>
    </Stack>
  );
};
