import { Group, Progress, Stack, Text } from '@mantine/core';
import { formatCount, formatShare } from '../../parts/format.ts';
import { Swatch } from '../../parts/options.tsx';
import { Section } from '../../parts/section.tsx';
import type { Config } from '../templates/template-values.ts';
import type { Target } from './targets.ts';
import type { Outcome } from './use-simulation.ts';

const guaranteeWords = ({ featuredShare, guaranteeAfterLosses = 1 }: Config): string => {
  const lost = featuredShare === 0.5 ? '50/50' : 'chance';
  return guaranteeAfterLosses === 1
    ? `because the player had lost the ${lost} before`
    : `because the player had lost the ${lost} ${guaranteeAfterLosses} times in a row`;
};

/** How results of the top tier came about; nothing if there is no rule but luck. */
export const OriginCard = ({ outcome, top }: { outcome: Outcome; top: Target }) => {
  const { config } = outcome.subject;
  const { top: all, hard, soft, guarantee } = outcome.simulation.pity;
  const hasPity = Boolean(config.pityThreshold) || (config.softPity?.length ?? 0) > 0;
  const hasGuarantee = config.guaranteeAfterLosses !== undefined;
  if (all === 0 || !(hasPity || hasGuarantee)) return null;
  const parts = [
    { label: 'by luck, at base odds', count: all - hard - soft, colour: 'var(--mantine-color-gray-5)', isShown: true },
    {
      label: 'during soft pity',
      count: soft,
      colour: 'var(--mantine-color-verdigris-5)',
      isShown: (config.softPity?.length ?? 0) > 0,
    },
    {
      label: 'at hard pity',
      count: hard,
      colour: 'var(--mantine-color-orange-6)',
      isShown: Boolean(config.pityThreshold),
    },
  ].filter(({ isShown }) => isShown);
  return (
    <Section
      title={`How ${top.name} results came about`}
      label="How they came about"
      about={`All players together got ${formatCount(all)}.`}
    >
      {hasPity && (
        <>
          <Progress.Root size="xl" aria-hidden>
            {parts.map(({ label, count, colour }) => (
              <Progress.Section key={label} value={(100 * count) / all} color={colour} withAria={false} />
            ))}
          </Progress.Root>
          <Stack gap={4}>
            {parts.map(({ label, count, colour }) => (
              <Group key={label} gap={8} wrap="nowrap">
                <Swatch size={12} colour={colour} />
                <Text size="sm" flex={1}>
                  {label}
                </Text>
                <Text size="sm" className="numeric">
                  <b>{formatShare(count / all, 3)}</b>{' '}
                  <Text span size="sm" c="dimmed">
                    {formatCount(count)}
                  </Text>
                </Text>
              </Group>
            ))}
          </Stack>
        </>
      )}
      {hasGuarantee && (
        <Text size="sm">
          <b>{formatShare(guarantee / all, 3)}</b> were featured by the guarantee, {guaranteeWords(config)}.
        </Text>
      )}
    </Section>
  );
};
