import { formatColumnShare } from '../../parts/format.ts';
import { Detail } from '../../parts/text.tsx';
import classes from './range-bar.module.css';
import { actualRate, type EvidenceRow, promisedRate } from './streams.ts';

/** A lower end below this is the same as 0. */
const NEVER = 1e-9;

/**
 * The place of a rate, with the promised one in the middle. By odds: half and double the odds are a fifth from either
 * end, so that rare and frequent rows look alike and none is ever beyond the end.
 */
const placeOf = (rate: number, promised: number): number => {
  if (rate === promised) return 0.5;
  const [own, other] = [rate * (1 - promised), promised * (1 - rate)];
  return own ** 2 / (own ** 2 + other ** 2);
};

/** The rates that results do not contradict. */
export const RangeBar = ({ row }: { row: EvidenceRow }) => {
  const at = (rate: number): number => placeOf(rate, promisedRate(row));
  const percent = (share: number): string => `${100 * share}%`;
  return (
    <>
      <div className={classes.track} aria-hidden="true">
        <div
          className={classes.range}
          style={{ insetInlineStart: percent(at(row.low)), width: percent(at(row.high) - at(row.low)) }}
        />
        <div className={classes.promised} />
        <div className={classes.actual} style={{ insetInlineStart: percent(at(actualRate(row))) }} />
      </div>
      <Detail style={{ whiteSpace: 'nowrap' }}>
        {formatColumnShare(row.low < NEVER ? 0 : row.low)} to {formatColumnShare(row.high)}
      </Detail>
    </>
  );
};
