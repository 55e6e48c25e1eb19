import { Box, Chip, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Section } from '../../parts/section.tsx';
import { Detail } from '../../parts/text.tsx';
import { SYSTEMS } from '../templates/systems.ts';
import type { Line } from './share-chart.tsx';
import type { Target } from './targets.ts';
import type { Outcome } from './use-simulation.ts';

const ShareChart = lazy(async () => ({ default: (await import('./share-chart.tsx')).ShareChart }));

/** As many lines as can be told apart. */
const COLOURS = ['verdigris.5', 'orange.6', 'indigo.5', 'pink.6', 'cyan.6'];

/** The top tier, and the first featured items. */
const firstChoice = (targets: readonly Target[]): string[] => [
  ...targets.slice(0, 1).map(({ key }) => key),
  ...targets
    .filter(({ kind }) => kind === 'featured')
    .slice(0, 2)
    .map(({ key }) => key),
];

const linesOf = (targets: readonly Target[], shown: readonly string[]): Line[] =>
  shown.flatMap((key, place) => {
    const target = targets.find((one) => one.key === key);
    if (target === undefined) return [];
    const { name, curve } = target;
    const isExact = curve.some(({ chance }) => chance !== undefined);
    return [{ key, name, colour: COLOURS[place] ?? 'gray.6', curve, isExact }];
  });

/** How many players have a tier or an item by a roll, on top of the exact chance. */
export const ShareCard = ({ outcome, targets }: { outcome: Outcome; targets: readonly Target[] }) => {
  const [chosen, setChosen] = useState(() => firstChoice(targets));
  const { roll, rolls } = SYSTEMS[outcome.subject.type];
  // Another template has other tiers and items.
  const shown = useMemo(() => {
    const known = chosen.filter((key) => targets.some((target) => target.key === key));
    return known.length > 0 ? known : firstChoice(targets);
  }, [chosen, targets]);
  const lines = useMemo(() => linesOf(targets, shown), [targets, shown]);
  return (
    <Section title={`Players who have one, by ${roll}`} label="Players who have it">
      <Chip.Group multiple value={shown} onChange={(keys) => setChosen(keys.slice(-COLOURS.length))}>
        <Group gap={6}>
          {targets.map(({ key, name }) => {
            const colour = lines.find((line) => line.key === key)?.colour;
            return (
              <Chip key={key} value={key} size="xs" color={colour} variant="outline">
                {name}
              </Chip>
            );
          })}
        </Group>
      </Chip.Group>
      <Box aria-hidden>
        <Suspense fallback={<Skeleton height={280} />}>
          <ShareChart lines={lines} roll={roll} rolls={rolls} />
        </Suspense>
      </Box>
      <Detail>
        Thin lines: the share of the simulated players who have at least one.
        {lines.some(({ isExact }) => isExact) && ' Wide, pale lines: the exact chance, computed from the rules.'}
      </Detail>
    </Section>
  );
};
