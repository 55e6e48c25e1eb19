import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import type { Schemas } from '../../api/client.ts';
import { chanceAxes } from './chance-axes.ts';

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
      {...chanceAxes(last, rolls)}
      data={[{ roll: 0, chance: 0 }, ...curve]}
      series={[{ name: 'chance', label: 'Chance', color: 'verdigris.6' }]}
      referenceLines={median === null ? [] : [{ x: median, color: 'gray.6', label: 'half' }]}
      areaChartProps={{ accessibilityLayer: false, margin: { top: 10, bottom: 30 } }}
      tooltipProps={{ labelFormatter: (roll) => `By ${rolls} ${roll}` }}
    />
  );
};
