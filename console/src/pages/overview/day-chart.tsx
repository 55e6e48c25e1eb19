import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { formatCount, formatDay } from '../../parts/format.ts';

/** Loaded on demand: charts are heavy. */
export const DayChart = ({ days }: { days: readonly { readonly date: string; readonly count: number }[] }) => (
  <BarChart
    h={230}
    data={days.map(({ date, count }) => ({ day: formatDay(date), count }))}
    dataKey="day"
    series={[{ name: 'count', label: 'Items rolled', color: 'verdigris.6' }]}
    gridAxis="x"
    tickLine="none"
    xAxisProps={{ minTickGap: 24 }}
    yAxisProps={{ width: 48, allowDecimals: false }}
    valueFormatter={formatCount}
    barChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
    barProps={{ radius: [3, 3, 0, 0] }}
  />
);
