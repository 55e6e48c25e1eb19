import { Badge, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useItemRows, useOptions } from '../../catalog/reads.ts';
import type { Column } from '../../parts/data-table.tsx';
import { formatCount, formatMany, formatNumber, formatShare } from '../../parts/format.ts';
import { Section } from '../../parts/section.tsx';
import { Detail, Note } from '../../parts/text.tsx';
import { SYSTEMS } from '../templates/systems.ts';
import { Figures } from './figures.tsx';
import { OriginCard } from './origin-card.tsx';
import { ShareCard } from './share-card.tsx';
import { type Target, targetsOf } from './targets.ts';
import type { Outcome } from './use-simulation.ts';

/** An amount with as many digits as matter. */
const formatAmount = (amount: number): string => (amount >= 1000 ? formatCount(amount) : formatNumber(amount, 2));

/** An amount with its currency: a symbol stands in front, a word behind. */
const formatCost = (amount: number, currency: string): string => {
  const text = formatAmount(amount);
  const unit = currency.trim();
  if (unit === '') return text;
  return /^\p{Sc}$/u.test(unit) ? `${unit}${text}` : `${text}\u00a0${unit}`;
};

const formatMean = (mean: number): string => formatNumber(mean, mean < 10 ? 2 : 1);

/** What a designer wants to know first, in words. */
const inWords = ({ name, never, first, cost }: Target, { subject, request, values }: Outcome): string => {
  const { roll, rolls } = SYSTEMS[subject.type];
  const within = `within ${formatMany(request.rolls, roll, rolls)}`;
  if (first === null) return `Nobody got ${name} ${within}.`;
  if (never > 0) return `${formatShare(1 - never, 3)} of the players got ${name} at least once ${within}.`;
  const by = (number: number) => `by ${roll} ${formatCount(number)}`;
  const price = cost === null ? '' : ` On average it cost ${formatCost(cost.mean, values.currency)}.`;
  return `Half of the players had their first ${name} ${by(first.p50)}, 95 % ${by(first.p95)}, the unluckiest ${by(first.max)}.${price}`;
};

const Summary = ({ outcome, targets, isOutdated }: { outcome: Outcome; targets: Target[]; isOutdated: boolean }) => {
  const { subject, request, values, simulation } = outcome;
  const { roll, rolls, oneRoll } = SYSTEMS[subject.type];
  const told = targets.filter(({ kind }, place) => place === 0 || kind === 'featured').slice(0, 4);
  const facts = [
    subject.name,
    formatMany(request.players, 'player'),
    `${formatMany(request.rolls, roll, rolls)} each`,
    ...(request.depth === undefined ? [] : [`depth ${formatCount(request.depth)}`]),
    ...(request.pricePerRoll === undefined
      ? []
      : [`${formatCost(request.pricePerRoll, values.currency)} for ${oneRoll}`]),
    `seed ${request.seed}`,
  ];
  return (
    <Section title="Result" aside={isOutdated && <Badge color="yellow">the inputs have changed since</Badge>}>
      <Note style={{ overflowWrap: 'anywhere' }}>{facts.join(' · ')}</Note>
      <Stack gap={6} role="status">
        {told.map((target) => (
          <Text key={target.key}>{inWords(target, outcome)}</Text>
        ))}
      </Stack>
      <Detail>
        The same inputs and seed give exactly this result, until the configuration or its items change. Fingerprint of
        the configuration: <code title={simulation.config}>{simulation.config.slice(0, 12)}</code>
      </Detail>
    </Section>
  );
};

/** The mean of a simulation above the exact one. */
const Mean = ({ target: { first, exactMean } }: { target: Target }) => (
  <>
    {first === null ? '–' : formatMean(first.mean)}
    {typeof exactMean === 'number' && <Detail style={{ whiteSpace: 'nowrap' }}>exact {formatMean(exactMean)}</Detail>}
  </>
);

const WAITS: readonly Column<Target>[] = [
  { header: 'Mean', cell: (target) => <Mean target={target} />, visibleFrom: 'sm' },
  { header: 'Median', cell: ({ first }) => (first === null ? '–' : formatCount(first.p50)) },
  { header: '95 %', cell: ({ first }) => (first === null ? '–' : formatCount(first.p95)) },
  { header: 'Worst', cell: ({ first }) => (first === null ? '–' : formatCount(first.max)) },
  { header: 'Never', cell: ({ never }) => formatShare(never, 3) },
];

const COUNTS: readonly Column<Target>[] = [
  { header: 'Mean', cell: ({ perPlayer }) => formatMean(perPlayer.mean) },
  { header: '5 %', cell: ({ perPlayer }) => formatCount(perPlayer.p5), visibleFrom: 'sm' },
  { header: 'Median', cell: ({ perPlayer }) => formatCount(perPlayer.p50) },
  { header: '95 %', cell: ({ perPlayer }) => formatCount(perPlayer.p95) },
  { header: 'Most', cell: ({ perPlayer }) => formatCount(perPlayer.max) },
];

const costColumn = (header: string, of: 'mean' | 'p50' | 'p95' | 'max', visibleFrom?: 'sm'): Column<Target> => ({
  header,
  cell: ({ cost }) => (cost === null ? '–' : formatAmount(cost[of])),
  visibleFrom,
});

const COSTS: readonly Column<Target>[] = [
  costColumn('Mean', 'mean'),
  costColumn('Median', 'p50'),
  costColumn('95 %', 'p95'),
  costColumn('Worst', 'max', 'sm'),
];

interface ResultsProps {
  readonly outcome: Outcome;
  /** Whether inputs or configuration have changed since. */
  readonly isOutdated: boolean;
}

export const Results = ({ outcome, isOutdated }: ResultsProps) => {
  const items = useItemRows();
  const options = useOptions();
  const targets = useMemo(() => targetsOf(outcome, items, options), [outcome, items, options]);
  const { subject, request, values } = outcome;
  const { rolls, roll } = SYSTEMS[subject.type];
  const currency = values.currency.trim();
  const [top] = targets;
  const missing = targets.some(({ never, first }) => never > 0 && first !== null);
  return (
    <Stack gap="lg">
      <Summary outcome={outcome} targets={targets} isOutdated={isOutdated} />
      <Figures
        title="Until the first one"
        about={`How many ${rolls} players needed. 95 %: all but the unluckiest twentieth had one by then.`}
        columns={WAITS}
        targets={targets}
        note={
          missing && (
            <Note>
              Players who never got one are missing from the other columns, which therefore look better than they are.
              Simulate more {rolls} to see how long they would wait.
            </Note>
          )
        }
      />
      <ShareCard outcome={outcome} targets={targets} />
      {request.pricePerRoll !== undefined && (
        <Figures
          title="Cost of the first one"
          about={`What players paid until they had one${currency === '' ? '' : `, in ${currency}`}.`}
          columns={COSTS}
          targets={targets}
        />
      )}
      <Figures
        title="How many a player gets"
        about={`In ${formatMany(request.rolls, roll, rolls)}. 5 %: one in twenty players gets no more than this.`}
        columns={COUNTS}
        targets={targets}
      />
      {top !== undefined && <OriginCard outcome={outcome} top={top} />}
    </Stack>
  );
};
