import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { memo } from 'react';
import type { Schemas } from '../../api/client.ts';
import { chanceAxes } from './chance-axes.ts';

/** A roll at which something happens, with a word for it. */
export interface Mark {
  readonly roll: number;
  readonly label: string;
}

interface CurveChartProps {
  readonly curve: Schemas['ConfigOdds']['curve'];
  readonly rolls: string;
  readonly roll: string;
  readonly marks: readonly Mark[];
  /** The last roll at which one can come; null if there is no limit. */
  readonly worst: number | null;
}

/**
 * The chance to have one by a roll, and that of the roll itself if there was none before. Points may be several rolls
 * apart: then it is the mean of these rolls.
 */
const pointsOf = (curve: CurveChartProps['curve']) =>
  curve.map(({ roll, chance }, place) => {
    const { roll: before, chance: had } = curve[place - 1] ?? { roll: 0, chance: 0 };
    const own = had >= 1 ? 1 : 1 - ((1 - chance) / (1 - had)) ** (1 / (roll - before));
    return { roll, chance, own: Math.min(1, Math.max(0, own)) };
  });

/** Loaded on demand, and drawn only if something in it has changed: charts are heavy. */
export const CurveChart = memo(({ curve, rolls, roll, marks, worst }: CurveChartProps) => {
  const last = Math.max(curve.at(-1)?.roll ?? 0, worst !== null && worst <= 2 * (curve.at(-1)?.roll ?? 0) ? worst : 0);
  return (
    <AreaChart
      h={250}
      {...chanceAxes(last, rolls)}
      data={pointsOf(curve)}
      series={[
        { name: 'chance', label: `Have one by this ${roll}`, color: 'verdigris.6' },
        { name: 'own', label: `This ${roll}, without one before`, color: 'orange.7' },
      ]}
      fillOpacity={0.12}
      withLegend
      legendProps={{ verticalAlign: 'top', height: 34 }}
      referenceLines={marks.map(({ roll: x, label }) => ({
        x,
        label,
        color: 'gray.6',
        labelPosition: 'insideTopLeft' as const,
      }))}
      areaChartProps={{ accessibilityLayer: false, margin: { top: 10, bottom: 30 } }}
      tooltipProps={{ labelFormatter: (at) => `${roll} ${at}` }}
    />
  );
});
