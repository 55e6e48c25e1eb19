/** How many letters must be added, removed, changed or swapped with the next to get from one word to another. */
const distance = (from: string, to: string): number => {
  let older: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const costs = [(last[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (isSame ? 0 : 1)];
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        costs.push((older[column - 2] ?? 0) + 1);
      next.push(Math.min(...costs));
    }
    older = last;
    last = next;
  }
  return last[to.length] ?? 0;
};

/** The known word that was probably meant; undefined if none is close. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  // Nobody mistypes a text of this length.
  if (word.length > 40) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate) }))
    .sort((one, other) => one.far - other.far);
  return best !== undefined && best.far <= Math.max(1, Math.floor(best.candidate.length / 3))
    ? best.candidate
    : undefined;
};
