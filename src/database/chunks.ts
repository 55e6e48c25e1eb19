/** A statement takes a bounded number of parameters, so what may be many rows is written some at a time. */
const CHUNK_ROWS = 1000;

export const inChunks = async <T>(rows: readonly T[], write: (some: readonly T[]) => Promise<void>): Promise<void> => {
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) await write(rows.slice(start, start + CHUNK_ROWS));
};
