import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import type { Schemas } from '../../interface/client.ts';
import { formatShare } from '../../parts/format.ts';
import { ticksTo } from './ticks.ts';

interface CurveChartProps {
  readonly curve: Schemas['ConfigOdds']['curve'];
  readonly rolls: string;
  readonly median: number | null;
}

/** Loaded on demand: charts are heavy. */
export const CurveChart = ({ curve, rolls, median }: CurveChartProps) => {
  const last = curve.at(-1)?.roll ?? 0;
  return (
    <AreaChart
      h={210}
      data={[{ roll: 0, chance: 0 }, ...curve]}
      dataKey="roll"
      series={[{ name: 'chance', label: 'Chance', color: 'verdigris.6' }]}
      curveType="linear"
      withDots={false}
      gridAxis="x"
      gridProps={{ syncWithTicks: true }}
      xAxisProps={{ type: 'number', domain: [0, last], ticks: ticksTo(last) }}
      yAxisProps={{ domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], interval: 0, width: 52 }}
      xAxisLabel={rolls}
      valueFormatter={(value) => formatShare(value, 3)}
      referenceLines={median === null ? [] : [{ x: median, color: 'gray.6', label: 'half' }]}
      areaChartProps={{ accessibilityLayer: false, margin: { top: 10, bottom: 30 } }}
      tooltipProps={{ labelFormatter: (roll) => `By ${rolls} ${roll}` }}
    />
  );
};
