import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import type { Schemas } from '../../api/client.ts';
import { chanceAxes } from '../templates/chance-axes.ts';

export interface Line {
  readonly key: string;
  readonly name: string;
  readonly colour: string;
  readonly curve: Schemas['SimulationTarget']['curve'];
  /** Whether it has the exact chances, too. */
  readonly isExact: boolean;
}

const NEARLY_ALL = 0.9995;

/** The last roll worth drawing: when nearly everybody has everything, or the end. */
const lastOf = (lines: readonly Line[]): number =>
  Math.max(...lines.map(({ curve }) => (curve.find(({ share }) => share >= NEARLY_ALL) ?? curve.at(-1))?.roll ?? 1));

/** Loaded on demand: charts are heavy. */
export const ShareChart = ({ lines, roll, rolls }: { lines: readonly Line[]; roll: string; rolls: string }) => {
  const last = lastOf(lines);
  // The points of all lines are at the same rolls.
  const points = lines[0]?.curve.filter((point) => point.roll <= last) ?? [];
  const data = [
    {
      roll: 0,
      ...Object.fromEntries(lines.flatMap(({ key }) => [`${key} simulated`, `${key} exact`].map((k) => [k, 0]))),
    },
    ...points.map(({ roll: number }, place) => ({
      roll: number,
      ...Object.fromEntries(
        lines.flatMap(({ key, curve }) => [
          [`${key} simulated`, curve[place]?.share],
          [`${key} exact`, curve[place]?.chance],
        ]),
      ),
    })),
  ];
  return (
    <LineChart
      h={280}
      {...chanceAxes(last, rolls)}
      data={data}
      series={[
        ...lines
          .filter(({ isExact }) => isExact)
          .map(({ key, name, colour }) => ({ name: `${key} exact`, label: `${name}, exact`, color: colour })),
        ...lines.map(({ key, name, colour }) => ({
          name: `${key} simulated`,
          label: `${name}, simulated`,
          color: colour,
        })),
      ]}
      lineProps={({ name }) =>
        name.endsWith(' exact') ? { strokeWidth: 8, strokeOpacity: 0.28 } : { strokeWidth: 1.75 }
      }
      lineChartProps={{ accessibilityLayer: false, margin: { top: 10, bottom: 16 } }}
      tooltipProps={{ labelFormatter: (number) => `By ${roll} ${number}` }}
    />
  );
};
