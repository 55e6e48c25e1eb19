import { Text } from '@mantine/core';
import { formatColumnShare } from '../../parts/format.ts';
import classes from './interval.module.css';
import type { DropRow } from './rows.ts';

/**
 * The interval of the actual drop rate, with a mark at the expected one. On a square root scale, so that rare items are
 * readable too.
 */
export const Interval = ({ row, greatest }: { row: DropRow; greatest: number }) => {
  const at = (share: number): string => `${Math.min(100, 100 * Math.sqrt(share / greatest))}%`;
  return (
    <>
      <div className={classes.track} aria-hidden="true">
        <div
          className={classes.range}
          data-verdict={row.verdict}
          style={{ insetInlineStart: at(row.low), width: `calc(${at(row.high)} - ${at(row.low)})` }}
        />
        <div className={classes.actual} style={{ insetInlineStart: at(row.actual) }} />
        {row.expected !== undefined && (
          <div className={classes.expected} style={{ insetInlineStart: at(row.expected) }} />
        )}
      </div>
      <Text size="xs" c="dimmed">
        {formatColumnShare(row.low)} to {formatColumnShare(row.high)}
      </Text>
    </>
  );
};
