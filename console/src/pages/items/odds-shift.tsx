import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { formatColumnShare, formatNumber, formatOneIn, formatShare, formatShift } from '../../parts/format.ts';
import { type OptionsById, weightOf } from '../../parts/options.tsx';
import { Detail, Note, Strong } from '../../parts/text.tsx';
import type { ItemValues } from './item-values.ts';

const OTHERS_SHOWN = 6;

interface OddsShiftProps {
  readonly itemId: string | undefined;
  readonly values: ItemValues;
  readonly odds: readonly Schemas['ItemOdds'][];
  readonly options: OptionsById;
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
  const { rollNumerator } = values;
  const own = typeof rollNumerator === 'number' ? Math.max(0, rollNumerator) : 0;
  const weight = weightOf(own, values.classifierOptionIds, options);
  const total = othersWeight + weight;
  const shareOf = (part: number) => (total > 0 ? part / total : 0);
  const after = shareOf(weight);
  const shown = [...others].sort((left, right) => right.odds - left.odds).slice(0, OTHERS_SHOWN);
  const multipliers = values.classifierOptionIds
    .map((id) => options.get(id))
    .filter((option) => option !== undefined && option.multiplier !== 1);

  if (typeof rollNumerator !== 'number' || rollNumerator < 0)
    return (
      <Card>
        <Stack gap="sm" aria-live="polite">
          <Title order={2}>Odds after saving</Title>
          <Note>They are shown once there is a weight.</Note>
        </Stack>
      </Card>
    );
  return (
    <Card>
      <Stack gap="sm" aria-live="polite">
        <Title order={2}>Odds after saving</Title>
        <Group align="baseline" gap="xs">
          <Text fz={28} fw={650} lh={1.1} className="numeric">
            {formatShare(after)}
          </Text>
          <Note>{formatOneIn(after)}</Note>
          {present !== undefined && <Shift before={present.odds} after={after} />}
        </Group>
        <Note>
          Weight {formatNumber(weight)} = {formatNumber(own)}
          {multipliers.map((option) => ` × ${formatNumber(option?.multiplier ?? 1)} (${option?.name})`).join('')}, of{' '}
          {formatNumber(total)} in all.
        </Note>
        {weight === 0 && <Strong>With a weight of 0 it never drops.</Strong>}
        {shown.length > 0 && (
          <DataTable
            label="Odds of other items, before and after"
            columns={[
              { header: 'Most likely others', cell: (row) => row.itemName },
              { header: 'Now', ta: 'right', cell: (row) => formatColumnShare(row.odds) },
              { header: 'After', ta: 'right', cell: (row) => formatColumnShare(shareOf(row.weight)) },
              {
                header: 'Shift',
                ta: 'right',
                cell: (row) => <Shift before={row.odds} after={shareOf(row.weight)} />,
              },
            ]}
            rows={shown}
            keyOf={(row) => row.itemId}
            verticalSpacing={4}
          />
        )}
        <Detail>Shifts are in percentage points. Templates with tiers have their own odds.</Detail>
      </Stack>
    </Card>
  );
};
