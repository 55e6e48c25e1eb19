import { LIMITS } from '../shared/limits.ts';

/** Approximate memory use of a row; strings dominate. */
const sizeOf = (row: object): number => {
  let size = 0;
  for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 8;
  return size;
};

/** How many rows like these to fetch next: a row may have a few bytes or several megabytes. */
export const nextBatchRows = (rows: readonly object[]): number => {
  const size = rows.reduce((sum, row) => sum + sizeOf(row), 1);
  return Math.max(1, Math.min(LIMITS.batchRows, Math.floor((rows.length * LIMITS.batchLength) / size)));
};

/** Groups rows into batches. */
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
