import { Group, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../interface/client.ts';
import type { OptionsById } from '../../parts/catalog.ts';
import { formatShare } from '../../parts/format.ts';
import classes from './tier-bars.module.css';

interface TierBarsProps {
  readonly tiers: Schemas['ConfigOdds']['tiers'];
  readonly options: OptionsById;
}

/** Small shares would be invisible next to large ones, so bars are on a square root scale. */
const length = (share: number): string => `${100 * Math.sqrt(share)}%`;

/** Base and effective share of each tier. */
export const TierBars = ({ tiers, options }: TierBarsProps) => (
  <Stack gap="sm">
    <Group gap="md">
      <Text size="xs" c="dimmed" className={classes.legend} data-kind="effective">
        effective, with all rules
      </Text>
      <Text size="xs" c="dimmed" className={classes.legend} data-kind="base">
        base
      </Text>
    </Group>
    {tiers.map(({ tier, name, base, effective }) => (
      <div key={tier ?? ''}>
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600}>
            {name ?? 'Any item'}
          </Text>
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
            style={{
              width: length(effective),
              background: `var(--mantine-color-${options.get(tier ?? '')?.colour ?? 'verdigris'}-6)`,
            }}
          />
          <div className={classes.base} style={{ width: length(base) }} />
        </div>
      </div>
    ))}
  </Stack>
);
