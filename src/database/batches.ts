import { LIMITS } from '../limits.ts';

/** About how much memory a row takes; what counts are its texts. */
const sizeOf = (row: object): number => {
  let size = 0;
  for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 8;
  return size;
};

/** How many rows like these to ask for next: rows may be anything from a few bytes to megabytes. */
export const nextBatchRows = (rows: readonly object[]): number => {
  const size = rows.reduce((sum, row) => sum + sizeOf(row), 1);
  return Math.max(1, Math.min(LIMITS.batchRows, Math.floor((rows.length * LIMITS.batchLength) / size)));
};

/** Gathers rows one by one, to be passed on some at a time. */
export function* inBatches<Row extends object>(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  let size = 0;
  for (const row of rows) {
    batch.push(row);
    size += sizeOf(row);
    if (batch.length < LIMITS.batchRows && size < LIMITS.batchLength) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
