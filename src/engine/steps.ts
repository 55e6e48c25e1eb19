/** Work in steps: the caller may do something else after each `yield`. */
export type Steps<T> = Generator<void, T>;

/** Number of elements processed between two steps. */
export const ELEMENTS_PER_STEP = 1024;

/** Runs all steps at once. */
export const allAtOnce = <T>(steps: Steps<T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Visits elements in steps. */
export function* each<T>(things: readonly T[], visit: (thing: T, index: number) => void): Steps<void> {
  for (const [index, thing] of things.entries()) {
    visit(thing, index);
    if (index % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
}

type Compare<T> = (one: T, other: T) => number;

/** Merges two sorted arrays; of equal elements those of the first array come first. */
function* merged<T>(first: readonly T[], second: readonly T[], compare: Compare<T>): Steps<T[]> {
  const all: T[] = [];
  let [left, right] = [0, 0];
  while (left < first.length || right < second.length) {
    const isLeft =
      right === second.length || (left < first.length && compare(first[left] as T, second[right] as T) <= 0);
    all.push((isLeft ? first[left++] : second[right++]) as T);
    if (all.length % ELEMENTS_PER_STEP === 0) yield;
  }
  return all;
}

/** A stable sorted copy. */
export function* sorted<T>(things: readonly T[], compare: Compare<T>): Steps<T[]> {
  if (things.length <= ELEMENTS_PER_STEP) {
    yield;
    return things.toSorted(compare);
  }
  const middle = Math.ceil(things.length / 2);
  const first = yield* sorted(things.slice(0, middle), compare);
  const second = yield* sorted(things.slice(middle), compare);
  return yield* merged(first, second, compare);
}
