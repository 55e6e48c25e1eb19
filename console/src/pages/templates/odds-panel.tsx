import { Box, Skeleton, Stack } from '@mantine/core';
import { lazy, memo, type ReactNode, Suspense, useMemo, useState } from 'react';
import { asSentence, type Schemas } from '../../api/client.ts';
import { Copy } from '../../parts/copy.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { formatNumber } from '../../parts/format.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { Section } from '../../parts/section.tsx';
import { Detail, Note } from '../../parts/text.tsx';
import type { Mark } from './curve-chart.tsx';
import { disclosureOf } from './disclosure.ts';
import { ItemOddsTable } from './item-odds-table.tsx';
import { SYSTEMS } from './systems.ts';
import type { TemplateType } from './template-values.ts';
import { TierBars } from './tier-bars.tsx';

const CurveChart = lazy(async () => ({ default: (await import('./curve-chart.tsx')).CurveChart }));

interface OddsPanelProps {
  /** What to call it; asked for only when somebody copies the odds. */
  readonly nameOf: () => string;
  readonly type: TemplateType;
  readonly odds: Schemas['ConfigOdds'];
  /** The depth of these odds; 0 for other systems. */
  readonly depth: number;
  /** Whether newer odds are being computed. */
  readonly isBusy: boolean;
  /** Whether there are no newer odds, because what was entered has none. */
  readonly isOld: boolean;
  /** Where soft and hard pity of the top tier are. Must stay the same object. */
  readonly pityMarks: readonly Mark[];
  /** What the odds depend on, such as the depth. */
  readonly children?: ReactNode;
}

const formatRolls = (rolls: number | null, otherwise: string): string =>
  rolls === null ? otherwise : formatNumber(rolls, 2);

/** Base and effective odds, how long the top tier takes, and what it costs. */
export const OddsPanel = memo(({ nameOf, type, odds, depth, isBusy, isOld, pityMarks, children }: OddsPanelProps) => {
  const [price, setPrice] = useState<number | string>('');
  const { rolls, roll, oneRoll } = SYSTEMS[type];
  const [top] = odds.tiers;
  const median = top?.medianRolls ?? null;
  const marks = useMemo(
    () => [...pityMarks, ...(median === null ? [] : [{ roll: median, label: 'half' }])],
    [pityMarks, median],
  );
  const cost = typeof price === 'number' && price >= 0 ? price : undefined;

  return (
    <Stack gap="lg" aria-busy={isBusy}>
      <Section
        title="Odds"
        label="Odds of the tiers"
        gap="md"
        about={isOld ? 'As they were before your last change.' : undefined}
        aside={
          <Copy
            text={() => disclosureOf(nameOf(), type, odds, depth)}
            label="Copy disclosure"
            size="xs"
            disabled={isBusy || isOld}
          />
        }
      >
        {children}
        <TierBars tiers={odds.tiers} />
        <DataTable
          label={`${rolls} until the first of each tier`}
          columns={[
            { header: `First one, in ${rolls}`, cell: ({ name: tier }) => tier ?? 'Any item' },
            { header: 'Mean', ta: 'right', cell: ({ expectedRolls }) => formatRolls(expectedRolls, 'never') },
            { header: 'Median', ta: 'right', cell: ({ medianRolls }) => formatRolls(medianRolls, 'never') },
            { header: 'Maximum', ta: 'right', cell: ({ worstRolls }) => formatRolls(worstRolls, 'no limit') },
            cost !== undefined && {
              header: 'Mean cost',
              ta: 'right',
              cell: ({ expectedRolls }) => formatRolls(expectedRolls && expectedRolls * cost, '–'),
            },
          ]}
          rows={odds.tiers}
          keyOf={({ tier }) => tier ?? ''}
          minWidth={340}
          verticalSpacing={6}
          horizontalSpacing={6}
        />
        <NumberField
          label={`Price of ${oneRoll}`}
          description="Shows the mean cost. Not saved."
          placeholder="e.g. 160"
          maw={320}
          min={0}
          value={price}
          onChange={setPrice}
        />
      </Section>
      {top !== undefined && top.base < 1 && odds.curve.length > 0 && (
        <Section title={`${top.name ?? 'First item'} by ${roll} number`} label="Chance of the top tier over time">
          <Note>
            {top.medianRolls !== null &&
              `Half of all players have one by ${roll} ${formatNumber(top.medianRolls)}; on average it takes ${formatRolls(top.expectedRolls, '')}.`}
            {pityMarks.map(({ roll: at, label }) => ` ${asSentence(label)}: ${roll} ${formatNumber(at)}.`).join('')}
          </Note>
          <Box aria-hidden>
            <Suspense fallback={<Skeleton height={250} />}>
              <CurveChart curve={odds.curve} rolls={rolls} roll={roll} marks={marks} worst={top.worstRolls} />
            </Suspense>
          </Box>
        </Section>
      )}
      <Section title="Items" label="Odds of the items">
        <ItemOddsTable items={odds.items} />
        <Detail>
          Base: without pity and guarantee{type === 'roguelike' ? `, at depth ${depth}` : ''}. Effective: in the long
          run, with every rule except spark. Both are shares of all items rolled. Mean: {rolls} until the first one.
        </Detail>
      </Section>
    </Stack>
  );
});
