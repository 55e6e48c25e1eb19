/**
 * The number of parameters of a statement is limited, and other work needs its turn between statements, so many rows
 * are read and written in chunks.
 */
const CHUNK_ROWS = 250;

export const chunksOf = <T>(rows: readonly T[], size = CHUNK_ROWS): (readonly T[])[] => {
  if (rows.length <= size) return [rows];
  const chunks = [];
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size));
  return chunks;
};

export const inChunks = async <T>(rows: readonly T[], write: (some: readonly T[]) => Promise<void>): Promise<void> => {
  if (rows.length > 0) for (const some of chunksOf(rows)) await write(some);
};
