/** Round numbers along an axis that begins at 0, and the last one if there is room for it. */
export const ticksTo = (last: number): number[] => {
  const rough = last / 6;
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = magnitude * ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10);
  const ticks = Array.from({ length: Math.floor(last / step) + 1 }, (_, place) => place * step);
  return last - (ticks.at(-1) ?? 0) > step / 2 ? [...ticks, last] : ticks;
};
