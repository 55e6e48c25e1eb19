import { formatShare } from '../../parts/format.ts';

/** Round numbers along an axis that begins at 0, and the last one if there is room for it. */
const ticksTo = (last: number): number[] => {
  const rough = last / 6;
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10);
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, place) => place * step);
  return last - (ticks.at(-1) ?? 0) > step / 2 ? [...ticks, last] : ticks;
};

/** What charts of chances by the number of rolls have in common. */
export const chanceAxes = (last: number, rolls: string) => ({
  dataKey: 'roll',
  curveType: 'linear' as const,
  withDots: false,
  gridAxis: 'x' as const,
  gridProps: { syncWithTicks: true },
  xAxisProps: { type: 'number' as const, domain: [0, last], ticks: ticksTo(last) },
  yAxisProps: { domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], interval: 0 as const, width: 52 },
  xAxisLabel: rolls,
  valueFormatter: (share: number) => formatShare(share, 3),
});
