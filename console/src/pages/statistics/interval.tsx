import { formatShare } from '../../parts/format.ts';
import classes from './interval.module.css';
import type { DropRow } from './rows.ts';

/** The interval of what really drops, with a mark where it was expected. */
export const Interval = ({ row, greatest }: { row: DropRow; greatest: number }) => {
  const at = (share: number): string => `${Math.min(100, (100 * share) / greatest)}%`;
  return (
    <div
      className={classes.track}
      role="img"
      aria-label={`95 % interval from ${formatShare(row.low, 3)} to ${formatShare(row.high, 3)}`}
    >
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
  );
};
