import { Group, Text } from '@mantine/core';
import { formatNumber } from './format.ts';
import classes from './range-value.module.css';

/** A value on the range from which it was rolled. */
export const RangeValue = ({ name, value, min, max }: { name: string; value: number; min: number; max: number }) => {
  const place = max > min ? (value - min) / (max - min) : 1;
  return (
    <div>
      <Group justify="space-between" gap={6} wrap="nowrap" align="flex-end">
        <Text size="sm">{name}</Text>
        <Text size="sm" className="numeric" ta="right" style={{ flex: 'none' }}>
          <b>{formatNumber(value)}</b>{' '}
          <Text span size="xs" c="dimmed">
            of {formatNumber(min)} to {formatNumber(max)}
          </Text>
        </Text>
      </Group>
      <div className={classes.track} aria-hidden="true">
        <div className={classes.mark} style={{ insetInlineStart: `${100 * Math.min(1, Math.max(0, place))}%` }} />
      </div>
    </div>
  );
};
