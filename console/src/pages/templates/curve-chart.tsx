import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { formatShare } from '../../parts/format.ts';
import { ticksTo } from './ticks.ts';

const MAX_DRAWN = 300;

interface CurveChartProps {
  readonly points: readonly number[];
  readonly rolls: string;
  readonly median: number | null;
}

/** Loaded on demand: charts are heavy. */
export const CurveChart = ({ points, rolls, median }: CurveChartProps) => {
  const every = Math.ceil(points.length / MAX_DRAWN);
  const data = [
    { n: 0, chance: 0 },
    ...points
      .map((chance, place) => ({ n: place + 1, chance }))
      .filter(({ n }) => n % every === 0 || n === points.length),
  ];
  return (
    <AreaChart
      h={210}
      data={data}
      dataKey="n"
      series={[{ name: 'chance', label: 'Chance', color: 'verdigris.6' }]}
      curveType="linear"
      withDots={false}
      gridAxis="x"
      gridProps={{ syncWithTicks: true }}
      xAxisProps={{ type: 'number', domain: [0, points.length], ticks: ticksTo(points.length) }}
      yAxisProps={{ domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], interval: 0, width: 52 }}
      xAxisLabel={rolls}
      valueFormatter={(value) => formatShare(value, 3)}
      referenceLines={median === null ? [] : [{ x: median, color: 'gray.6', label: 'half' }]}
      areaChartProps={{ accessibilityLayer: false, margin: { top: 10, bottom: 30 } }}
      tooltipProps={{ labelFormatter: (n) => `By ${rolls} ${n}` }}
    />
  );
};
