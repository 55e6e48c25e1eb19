import { Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useOptions } from '../../catalog/reads.ts';
import { formatShare } from '../../parts/format.ts';
import { tierColour } from '../../parts/options.tsx';
import { Detail, Strong } from '../../parts/text.tsx';
import classes from './tier-bars.module.css';

/** Small shares would be invisible next to large ones, so bars are on a square root scale. */
const length = (share: number): string => `${100 * Math.sqrt(share)}%`;

/** Base and effective share of each tier. */
export const TierBars = ({ tiers }: { tiers: Schemas['ConfigOdds']['tiers'] }) => {
  const options = useOptions();
  return (
    <Stack gap="sm">
      <Group gap="md">
        <Detail className={classes.legend} data-kind="effective">
          effective, with all rules
        </Detail>
        <Detail className={classes.legend} data-kind="base">
          base
        </Detail>
      </Group>
      {tiers.map(({ tier, name, base, effective }) => (
        <div key={tier ?? ''}>
          <Group justify="space-between" gap="xs">
            <Strong>{name ?? 'Any item'}</Strong>
            <Text size="sm" className="numeric">
              <b>{formatShare(effective)}</b>{' '}
              <Text span c="dimmed" size="sm">
                base {formatShare(base)}
              </Text>
            </Text>
          </Group>
          <div className={classes.track} aria-hidden="true">
            <div
              className={classes.effective}
              style={{ width: length(effective), background: tierColour(options, tier) }}
            />
            <div className={classes.base} style={{ width: length(base) }} />
          </div>
        </div>
      ))}
    </Stack>
  );
};
