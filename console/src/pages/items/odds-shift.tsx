import { Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '../../interface/client.ts';
import type { KnownOption } from '../../parts/catalog.ts';
import { formatColumnShare, formatNumber, formatOneIn, formatShare, formatShift } from '../../parts/format.ts';
import type { ItemValues } from './item-values.ts';

const OTHERS_SHOWN = 6;

/** The weight that the values would give the item. */
const weightOf = (values: ItemValues, options: ReadonlyMap<string, KnownOption>): number =>
  values.classifierOptionIds.reduce(
    (weight, id) => weight * (options.get(id)?.multiplier ?? 1),
    Math.max(0, Number(values.rollNumerator)),
  );

interface OddsShiftProps {
  readonly itemId: string | undefined;
  readonly values: ItemValues;
  readonly odds: readonly Schemas['ItemOdds'][];
  readonly options: ReadonlyMap<string, KnownOption>;
}

const Shift = ({ before, after }: { before: number; after: number }) => {
  const shift = after - before;
  const isSame = Math.abs(shift) < 1e-12;
  return (
    <Text span size="sm" c={isSame ? 'dimmed' : shift > 0 ? 'var(--console-more)' : 'var(--console-less)'}>
      {formatShift(shift)}
    </Text>
  );
};

/** How saving would change the odds of this item and of the others. */
export const OddsShift = ({ itemId, values, odds, options }: OddsShiftProps) => {
  const present = odds.find((row) => row.itemId === itemId);
  const others = odds.filter((row) => row.itemId !== itemId);
  const othersWeight = others.reduce((sum, { weight }) => sum + weight, 0);
  const weight = weightOf(values, options);
  const total = othersWeight + weight;
  const after = total > 0 ? weight / total : 0;
  const shown = [...others].sort((left, right) => right.odds - left.odds).slice(0, OTHERS_SHOWN);
  const multipliers = values.classifierOptionIds
    .map((id) => options.get(id))
    .filter((option) => option !== undefined && option.multiplier !== 1);

  return (
    <Card>
      <Stack gap="sm" aria-live="polite">
        <Title order={2}>Odds after saving</Title>
        <Group align="baseline" gap="xs">
          <Text fz={28} fw={650} lh={1.1} className="numeric">
            {formatShare(after)}
          </Text>
          <Text size="sm" c="dimmed">
            {formatOneIn(after)}
          </Text>
          {present !== undefined && <Shift before={present.odds} after={after} />}
        </Group>
        <Text size="sm" c="dimmed">
          Weight {formatNumber(weight)} = {formatNumber(Number(values.rollNumerator))}
          {multipliers.map((option) => ` × ${formatNumber(option?.multiplier ?? 1)} (${option?.name})`).join('')}, of{' '}
          {formatNumber(total)} in all.
        </Text>
        {weight === 0 && (
          <Text size="sm" fw={600}>
            With a weight of 0 it never drops.
          </Text>
        )}
        {shown.length > 0 && (
          <Table verticalSpacing={4} aria-label="Odds of other items, before and after">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Most likely others</Table.Th>
                <Table.Th ta="right">Now</Table.Th>
                <Table.Th ta="right">After</Table.Th>
                <Table.Th ta="right">Shift</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((row) => {
                const share = total > 0 ? row.weight / total : 0;
                return (
                  <Table.Tr key={row.itemId}>
                    <Table.Td>{row.itemName}</Table.Td>
                    <Table.Td ta="right">{formatColumnShare(row.odds)}</Table.Td>
                    <Table.Td ta="right">{formatColumnShare(share)}</Table.Td>
                    <Table.Td ta="right">
                      <Shift before={row.odds} after={share} />
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        )}
        <Text size="xs" c="dimmed">
          Shifts are in percentage points. Templates with tiers have their own odds.
        </Text>
      </Stack>
    </Card>
  );
};
